package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/provider/responses"
)

const secret = "sk-test-0123456789abcdefghijklmnop"

// wires are the clients of all protocols.
var wires = map[string]func(exchange.Config) *exchange.Client{"chat": openai.New, "messages": anthropic.New, "responses": responses.New}

// patient is a client's config that does not wait long between attempts.
func patient(s *providertest.Server) exchange.Config {
	return exchange.Config{Name: "Test", BaseURL: s.URL, Transport: s.Transport(), Attempts: 3,
		FirstWait: time.Millisecond, LongestWait: 2 * time.Millisecond, Key: func() (string, error) { return secret, nil }}
}

func user(text string) provider.Request {
	return provider.Request{Model: "m1", Messages: []chat.Message{{Role: chat.User, Content: chat.Text(text)}}}
}

// spied calls look for every chunk of a client.
type spied struct {
	providertest.Streamer
	look func(provider.Chunk)
}

func (s spied) Stream(ctx context.Context, req provider.Request, emit func(provider.Chunk) error) error {
	return s.Streamer.Stream(ctx, req, func(c provider.Chunk) error {
		s.look(c)
		return emit(c)
	})
}

// TestAnswers: an answer is the same whichever protocol it came in.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"text and usage":   {"model m1-2026\ntext Hel\ntext \"lo ☂\"\nusage 12 5 cached=3", "model m1-2026\ntext \"Hel\"\ntext \"lo ☂\"\nfinish stop\nusage 12 3 5 0\n"},
		"thought":          {"reasoning First\ntext So", "model m1\nreasoning \"First\"\ntext \"So\"\nfinish stop\n"},
		"calls":            {"text I look.\ntool ls {\"uri\":\".\"}\ntool pwd {}", "model m1\ntext \"I look.\"\ncall 0 call_1 ls {\"uri\":\".\"}\ncall 1 call_2 pwd {}\nfinish tool_calls\n"},
		"call in pieces":   {"call 0 a ls {\"uri\nargs 0 \":1}", "model m1\ncall 0 a ls {\"uri\":1}\nfinish tool_calls\n"},
		"cut at a limit":   {"text a\nfinish length", "model m1\ntext \"a\"\nfinish length\n"},
		"filtered":         {"text a\nfinish content_filter", "model m1\ntext \"a\"\nfinish content_filter\n"},
		"nothing":          {"finish stop", "finish stop\n"},
		"comments":         {"comment hello\ntext a\ncomment x", "model m1\ntext \"a\"\nfinish stop\n"},
		"no end mark":      {"text a\nnodone", "model m1\ntext \"a\"\nfinish stop\n"},
		"undeclared":       {"header Content-Type: text/plain\ntext a", "model m1\ntext \"a\"\nfinish stop\n"},
		"an unknown event": {"raw \"event: ping\\ndata: {\\\"type\\\":\\\"ping\\\"}\\n\\n\"\ntext a", "model m1\ntext \"a\"\nfinish stop\n"},
	} {
		for wire, connect := range wires {
			t.Run(name+"/"+wire, func(t *testing.T) {
				t.Parallel()
				s := providertest.New(t, c.script)
				got, err := providertest.Tell(t.Context(), connect(patient(s)), user("hi"))
				if err != nil {
					t.Fatal(err)
				}
				if got = joined(got); !strings.Contains(got, strings.TrimPrefix(c.want, "finish stop\n")) || !strings.Contains(got, "finish ") {
					t.Errorf("got\n%swant\n%s", got, c.want)
				}
			})
		}
	}
}

// joined puts the fragments of a call together: protocols cut them elsewhere.
func joined(told string) string {
	var lines []string
	for line := range strings.Lines(told) {
		var index int
		if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "call ") {
			if _, err := fmt.Sscanf(line, "call %d   ", &index); err == nil && strings.HasPrefix(line, fmt.Sprintf("call %d   ", index)) {
				lines[n-1] = strings.TrimSuffix(lines[n-1], "\n") + strings.TrimPrefix(line, fmt.Sprintf("call %d   ", index))
				continue
			}
		}
		if strings.HasPrefix(line, "usage 0 0 0 0") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// TestFaults checks that every kind of server failure has the same code in every protocol, with a
// reason and without the key.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		code     string
		words    string // separated by |
		requests int
		arrived  string
	}{
		"wrong key":            {"fail 401 Incorrect API key provided: " + secret, fault.CodeKeyRejected, "does not accept the key|***", 1, ""},
		"forbidden":            {"fail 403 Country not supported", fault.CodeKeyRejected, "Country not supported", 1, ""},
		"no credit":            {"fail 400 Your credit balance is too low to access the API", fault.CodeBadRequest, "payment", 1, ""},
		"rate limit":           {"answer times 3\nfail 429 Slow down", fault.CodeRateLimited, "limit is reached|3 attempts", 3, "wait 1 429 Too Many Requests\nwait 2 429 Too Many Requests\n"},
		"overloaded":           {"answer times 3\nstatus 529\nbody {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}", fault.CodeServer, "529 Overloaded", 3, "wait 1 529 Overloaded\nwait 2 529 Overloaded\n"},
		"server error":         {"answer times 3\nstatus 500", fault.CodeServer, "500 Internal Server Error", 3, "wait 1 500 Internal Server Error\nwait 2 500 Internal Server Error\n"},
		"too long":             {"fail 400 prompt is too long: 210000 tokens > 200000 maximum", fault.CodeContextTooLong, "longer than m1", 1, ""},
		"too large":            {"fail 413 Request exceeds the maximum size", fault.CodeContextTooLong, "413", 1, ""},
		"no such model":        {"fail 404 model: m1 was not found", fault.CodeModelUnknown, `"m1"`, 1, ""},
		"a page of HTML":       {"html <h1>Welcome</h1>", fault.CodeNotAStream, "text/html|Welcome", 1, ""},
		"JSON and no stream":   {`body {"id":"x"}`, fault.CodeNotAStream, "application/json", 1, ""},
		"nothing":              {"end", fault.CodeStreamBroken, "without saying that it is complete", 3, "…"},
		"an end inside":        {"answer times 1\ntext a\nend", fault.CodeStreamBroken, "without saying that it is complete|kept", 1, "model m1\ntext \"a\"\n"},
		"cut":                  {"text a\ncut", fault.CodeStreamBroken, "connection was lost|kept", 1, "model m1\ntext \"a\"\n"},
		"reset":                {"text a\nreset", fault.CodeStreamBroken, "connection was lost", 1, "model m1\ntext \"a\"\n"},
		"an error inside":      {"text a\nerror It broke", fault.CodeStreamError, "It broke|Continue", 1, "model m1\ntext \"a\"\n"},
		"no JSON":              {"text a\nraw \"data: {oops\\n\\n\"\nend", fault.CodeStreamBroken, "cannot be read|oops", 1, "model m1\ntext \"a\"\n"},
		"a redirect elsewhere": {"status 302\nheader Location: https://user:pw@elsewhere.example/login?token=1\nbody moved", fault.CodeBadRequest, "redirect to https://elsewhere.example/login", 1, ""},
	} {
		for wire, connect := range wires {
			t.Run(name+"/"+wire, func(t *testing.T) {
				t.Parallel()
				script := c.script
				if name == "nothing" {
					script = "answer times 3\n" + script
				}
				s := providertest.New(t, script)
				got, err := providertest.Tell(t.Context(), connect(patient(s)), user("hi"))
				providertest.CheckFault(t, err, c.code, c.words, secret)
				if c.arrived != "…" && got != c.arrived && !strings.HasPrefix(got, c.arrived+"usage ") {
					t.Errorf("arrived\n%swant\n%s", got, c.arrived)
				}
				if n := len(s.Requests()); n != c.requests {
					t.Errorf("%d requests, want %d", n, c.requests)
				}
			})
		}
	}
}

// TestFailuresBeforeTheFirstToken checks that they are retried, and that items kept in a failed
// attempt are not kept twice.
func TestFailuresBeforeTheFirstToken(t *testing.T) {
	t.Parallel()
	for wire, connect := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, "redacted gone\ncut\nanswer\nerror {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\nanswer\nredacted stays\ntext a")
			got, err := providertest.Tell(t.Context(), connect(patient(s)), user("hi"))
			if err != nil || strings.Contains(got, "gone") || strings.Count(got, "wait ") != 2 || strings.Count(got, "stays") > 1 {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}

// TestSilence checks servers that send nothing, or only signs of life.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		took   time.Duration
	}{
		"before the answer": {"stall", time.Minute},
		"inside the answer": {"text a\nstall", 2 * time.Minute},
		"keep-alives only":  {"text a\n" + strings.Repeat("delay 1m\ncomment alive\n", 30) + "stall", 10 * time.Minute},
	} {
		for wire, connect := range wires {
			t.Run(name+"/"+wire, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := providertest.NewPipe(t, c.script)
					began := time.Now()
					_, err := providertest.Tell(t.Context(), connect(exchange.Config{BaseURL: s.URL, Transport: s.Transport(), FirstToken: time.Minute, Attempts: 1}), user("hi"))
					code := fault.CodeStreamBroken
					if name == "before the answer" && fault.Of(err).Code == fault.CodeUnreachable {
						code = fault.CodeUnreachable
					}
					providertest.CheckFault(t, err, code, "", secret)
					if took := time.Since(began); took != c.took {
						t.Errorf("took %s, want %s", took, c.took)
					}
				})
			})
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for wire, connect := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, "text a\nstall")
			ctx, cancel := context.WithCancel(t.Context())
			err := connect(patient(s)).Stream(ctx, user("hi"), func(provider.Chunk) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestTooManyCalls(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for i := range 600 {
		fmt.Fprintf(&script, "call %d c%d ls {}\n", i, i)
	}
	for wire, connect := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, script.String())
			_, err := providertest.Tell(t.Context(), connect(patient(s)), user("hi"))
			providertest.CheckFault(t, err, fault.CodeStreamBroken, "more than 512 tool calls", secret)
		})
	}
}

// conversation is one of n prompts, with calls and their results.
func conversation(n int) provider.Request {
	req := provider.Request{Model: "m1", Tools: []provider.ToolSpec{{Name: "ls", Description: "Lists <a&b>."}}}
	req.Messages = []chat.Message{{Role: chat.System, Content: chat.Text("Be brief.")}}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		req.Messages = append(req.Messages,
			chat.Message{Role: chat.User, Content: chat.Text(fmt.Sprintf("prompt %d", i))},
			chat.Message{Role: chat.Assistant, Content: chat.Text("I look."), ToolCalls: []chat.ToolCall{{ID: id, Type: "function", Function: chat.Function{Name: "ls", Arguments: `{"b":1,"a":2}`}}}},
			chat.Message{Role: chat.Tool, ToolCallID: id, Name: "ls", Content: chat.Text("a.txt")},
			chat.Message{Role: chat.Assistant, Content: chat.Text("Done.")})
	}
	return req
}

// TestBody checks that Body returns what is sent, the same each time, and that a step changes
// nothing before what it adds.
func TestBody(t *testing.T) {
	t.Parallel()
	for wire, connect := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, "answer times 2\ntext a")
			c := connect(patient(s))
			req := conversation(30)
			req.Messages = append(req.Messages, user("and now?").Messages...)
			var bodies [2][]byte
			for i := range bodies {
				var err error
				if bodies[i], err = c.Body(req); err != nil {
					t.Fatal(err)
				}
				if _, err := providertest.Tell(t.Context(), c, req); err != nil {
					t.Fatal(err)
				}
				if sent := s.Requests()[i]; !bytes.Equal(sent.Body, bodies[i]) || sent.Header.Get("Content-Length") != fmt.Sprint(len(bodies[i])) {
					t.Errorf("sent\n%s\nis not\n%s", sent.Body, bodies[i])
				}
				// The next step of the same run.
				req.Messages = append(req.Messages, conversation(1).Messages[2:4]...)
			}
			before := bytes.TrimSuffix(bodies[0], []byte("]}"))
			if !bytes.HasPrefix(bodies[1], before) {
				at := 0
				for at < len(before) && bodies[1][at] == before[at] {
					at++
				}
				t.Errorf("from byte %d on: %s, was %s", at, bodies[1][at:], before[at:])
			}
			if !json.Valid(bodies[1]) {
				t.Error("no JSON")
			}
		})
	}
}

// TestKeptGoesBackToItsMakerOnly checks that a model gets back the items it wants, where they were,
// byte by byte, and that other models and servers get none of them.
func TestKeptGoesBackToItsMakerOnly(t *testing.T) {
	t.Parallel()
	const script = "answer always\nreasoning \"First <a> & \\\"b\\\"\"\nsign Sig+/=1\ntext I look.\nreasoning Then\nsign Sig2\ntool ls {}\n"
	for _, wire := range []string{"messages", "responses"} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, script)
			other := providertest.New(t, "answer always\ntext a")
			c := wires[wire](patient(s))
			req := user("hi")
			req.Tools, req.ReasoningEffort = []provider.ToolSpec{{Name: "ls"}}, "low"
			m, err := providertest.Message(t.Context(), c, req)
			if err != nil || m.Kept == nil || len(m.Kept.Items) != 2 {
				t.Fatalf("%+v %v", m.Kept, err)
			}
			if at := m.Kept.Items; at[0].Text != 0 || at[1].Text != len("I look.") || at[1].Calls != 0 {
				t.Errorf("kept at %+v", at)
			}
			req.Messages = append(req.Messages, m, chat.Message{Role: chat.Tool, ToolCallID: m.ToolCalls[0].ID, Content: chat.Text("a")})
			send := func(c *exchange.Client, s *providertest.Server) string {
				if _, err := providertest.Message(t.Context(), c, req); err != nil {
					t.Fatal(err)
				}
				all := s.Requests()
				return string(all[len(all)-1].Body)
			}
			body := send(c, s)
			at := 0
			for _, part := range []string{string(m.Kept.Items[0].Item), "I look.", string(m.Kept.Items[1].Item), `"ls","`} {
				n := strings.Index(body[at:], part)
				if n < 0 {
					t.Fatalf("%s is not in its place in %s", part, body)
				}
				at += n + len(part)
			}
			if body := send(wires[wire](patient(other)), other); strings.Contains(body, "Sig") {
				t.Errorf("another server got %s", body)
			}
			for name, connect := range wires {
				if name != wire {
					if body := send(connect(patient(other)), other); strings.Contains(body, "Sig") {
						t.Errorf("another protocol got %s", body)
					}
				}
			}
			req.Model = "m2"
			if body := send(c, s); strings.Contains(body, "Sig") {
				t.Errorf("another model got %s", body)
			}
		})
	}
}

// TestPieces has answers that were cut and edited after they came.
func TestPieces(t *testing.T) {
	t.Parallel()
	item := func(text, calls int) chat.KeptItem {
		return chat.KeptItem{Text: text, Calls: calls, Item: json.RawMessage(`{}`)}
	}
	for name, c := range map[string]struct {
		text  string
		calls int
		items []chat.KeptItem
		want  string
	}{
		"nothing":                   {"", 0, []chat.KeptItem{item(0, 0)}, ""},
		"a thought, then text":      {"abc", 0, []chat.KeptItem{item(0, 0)}, "K abc"},
		"between":                   {"abcdef", 2, []chat.KeptItem{item(3, 0), item(6, 1)}, "abc K def C K C"},
		"behind all":                {"abc", 1, []chat.KeptItem{item(3, 1)}, "abc C"},
		"text became shorter":       {"ab", 1, []chat.KeptItem{item(3, 0)}, "ab K C"},
		"inside a character":        {"☂☂", 0, []chat.KeptItem{item(4, 0)}, "☂ K ☂"},
		"text of white space":       {" \n", 1, []chat.KeptItem{item(2, 0)}, "K C"},
		"an item that is no object": {"a", 0, []chat.KeptItem{{Item: json.RawMessage(`7`)}, {}}, "a"},
		"a place that is none":      {"abc", 0, []chat.KeptItem{item(-1, -1)}, "K abc"},
	} {
		m := chat.Message{Content: chat.Text(c.text), ToolCalls: make([]chat.ToolCall, c.calls), Kept: &chat.Kept{Maker: "me", Items: c.items}}
		var got []string
		for _, p := range exchange.Pieces(m, "me") {
			switch {
			case p.Kept != nil:
				got = append(got, "K")
			case p.Call != nil:
				got = append(got, "C")
			default:
				got = append(got, p.Text)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
		for _, p := range exchange.Pieces(m, "another") {
			if p.Kept != nil {
				t.Errorf("%s: another maker got an item", name)
			}
		}
	}
}
