package demo

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

//go:embed markdown.md
var everything string

// maxTokens bounds /demo stream and /demo reasoning.
const maxTokens = 1_000_000

// commandList is the answer to /demo; the package comment has the same list.
const commandList = `These commands make the offline model behave in a certain way:

| Command | What it does |
| --- | --- |
| ` + "`/demo stream N [RATE]`" + ` | N tokens, RATE a second (0: as fast as possible) |
| ` + "`/demo reasoning [N]`" + ` | thinks for N tokens before it answers |
| ` + "`/demo markdown`" + ` | everything that Markdown can do |
| ` + "`/demo echo TEXT`" + ` | says TEXT |
| ` + "`/demo messages`" + ` | lists the messages as they arrived |
| ` + "`/demo tool NAME [JSON]`" + ` | calls a tool |
| ` + "`/demo tools`" + ` | calls several tools at once |
| ` + "`/demo error STATUS`" + ` | answers with an HTTP error: 401, 404, 429, 500 ... |
| ` + "`/demo error stream`" + ` | sends an error inside the stream |
| ` + "`/demo error context`" + ` | says that the request is too long |
| ` + "`/demo flaky N`" + ` | fails N times with 503, then answers |
| ` + "`/demo break`" + ` | breaks the connection inside the answer |
| ` + "`/demo stall`" + ` | falls silent inside the answer |
| ` + "`/demo html`" + ` | answers with a web page |
| ` + "`/demo empty`" + ` | answers with nothing |
`

// command carries out a prompt that begins with /demo; false if it does not.
func (s *Server) command(t turn) (reply, bool) {
	line, _, _ := strings.Cut(t.prompt, "\n")
	rest, ok := strings.CutPrefix(line, "/demo")
	if !ok || rest != "" && rest[0] != ' ' {
		return reply{}, false
	}
	if len(t.exchanges) > 0 {
		rep := t.goOn(wish{})
		rep.pace = s.pace
		return rep, true
	}
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	args = strings.TrimSpace(args)
	rep := s.run(t, name, args)
	if name != "stream" {
		rep.pace = s.pace
	}
	return rep, true
}

func (s *Server) run(t turn, name, args string) reply {
	switch name {
	case "stream":
		n, rate, _ := strings.Cut(args, " ")
		return reply{text: words(number(n, 200)), pace: number(rate, s.pace)}
	case "reasoning":
		return reply{reasoning: words(number(args, 60)), text: "That was all the thinking."}
	case "markdown":
		return reply{text: everything}
	case "echo":
		return reply{text: firstOf(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(t.prompt, "/demo")), "echo")), "(nothing)")}
	case "messages":
		return reply{text: t.arrived()}
	case "tool":
		return t.callByName(args)
	case "tools":
		return t.callSeveral()
	case "error":
		return fail(args)
	case "flaky":
		return s.flaky(t, number(args, 2))
	case "break":
		return reply{text: "This answer breaks off in the middle of a sen", ending: broken}
	case "stall":
		return reply{text: "After this nothing more will come ", ending: stalled}
	case "html":
		return reply{html: true, text: "<!doctype html><title>Not an API</title><h1>Welcome</h1><p>This is a web page.</p>"}
	case "empty":
		return reply{}
	}
	return reply{text: commandList}
}

// words makes n tokens of text that can be distinguished, in lines of twenty.
func words(n int) string {
	var b strings.Builder
	b.Grow(4 * n)
	for i := range n {
		sep := " "
		if i%20 == 19 {
			sep = "\n"
		}
		b.WriteString(strconv.FormatInt(int64(i%1000+1000), 10)[1:] + sep)
	}
	return b.String()
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 {
		return otherwise
	}
	return min(n, maxTokens)
}

func (t turn) callByName(args string) reply {
	name, json, _ := strings.Cut(args, " ")
	if name == "" {
		return reply{text: "Which tool? " + t.offers()}
	}
	json = firstOf(strings.TrimSpace(json), "{}")
	return reply{text: "*Offline model, no language model:* calling " + inline(name) + ".", calls: []call{{name, json}}}
}

// callSeveral calls all of the reading tools that are offered.
func (t turn) callSeveral() reply {
	rep := reply{text: "*Offline model, no language model:* calling several tools at once."}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"ls", map[string]any{"path": "."}},
		{"glob", map[string]any{"what": "**/*.md"}},
		{"project_outline", nil},
		{"system_info", nil},
	} {
		if t.has(c.tool) {
			rep.calls = append(rep.calls, t.call(c.tool, c.args))
		}
	}
	if len(rep.calls) == 0 {
		return reply{text: "None of the tools that I know was offered. " + t.offers()}
	}
	return rep
}

// fail is an error of the requested kind.
func fail(kind string) reply {
	switch kind {
	case "stream":
		return reply{text: "An error comes after these words. ", ending: failing, trouble: "the model ran out of memory, as it was asked to"}
	case "context":
		return reply{status: 400, code: "context_length_exceeded", text: "This model's maximum context length is 8 tokens. However, your messages resulted in more."}
	}
	status := number(kind, 500)
	rep := reply{status: status, code: "demo", text: fmt.Sprintf("%s, as it was asked for.", firstOf(http.StatusText(status), "An error"))}
	switch {
	case status < 400 || status > 599:
		return reply{text: "A status is a number from 400 to 599, for example `/demo error 429`."}
	case status == 404:
		rep.code = "model_not_found"
	case status == 429:
		rep.after = 2
	}
	return rep
}

// flaky fails n times for the same conversation, then answers.
func (s *Server) flaky(t turn, n int) reply {
	b, err := json.Marshal(t.messages)
	if err != nil {
		return reply{text: "The messages cannot be told apart."}
	}
	sum := sha256.Sum256(b)
	key := hex.EncodeToString(sum[:8])
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failed) > 1000 {
		clear(s.failed)
	}
	if s.failed[key] < n {
		s.failed[key]++
		return reply{status: http.StatusServiceUnavailable, code: "demo", text: fmt.Sprintf("Failure %d of %d, as it was asked for.", s.failed[key], n)}
	}
	delete(s.failed, key)
	return reply{text: fmt.Sprintf("It worked after %d failures.", n)}
}
