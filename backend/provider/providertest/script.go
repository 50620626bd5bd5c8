package providertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// script is a parsed script, including which answers are used up.
type script struct {
	key     string
	models  []string
	lenient bool

	mu      sync.Mutex
	answers []*answer
}

// answer is the answer to one request.
type answer struct {
	line   int
	when   string
	times  int // how many more requests it serves; -1: any number
	status int
	header http.Header
	steps  []step
}

// step is one statement, with its arguments read already.
type step struct {
	op       string
	text     string
	quoted   bool // the text was written as a Go string
	n        int
	d        time.Duration
	id, name string
	usage    map[string]int
}

// take returns the answer for a request and counts it as used; nil if none matches.
func (s *script) take(r Request) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := sync.OnceValue(r.Text) // only made if needed
	for _, a := range s.answers {
		if a.times == 0 || a.when != "" && !strings.Contains(text(), a.when) {
			continue
		}
		if a.times > 0 {
			a.times--
		}
		return a
	}
	return nil
}

// unused returns the lines of the answers that were not requested often enough.
func (s *script) unused() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []int
	for _, a := range s.answers {
		if a.times > 0 {
			lines = append(lines, a.line)
		}
	}
	return lines
}

func parse(text string) (*script, error) {
	s := &script{}
	var a *answer
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		var err error
		switch {
		case word == "key" && a == nil:
			s.key = rest
		case word == "lenient" && a == nil:
			s.lenient = true
		case word == "models" && a == nil:
			s.models = strings.Fields(rest)
		case word == "answer":
			a, err = newAnswer(i+1, rest)
			s.answers = append(s.answers, a)
		default:
			if a == nil {
				a = &answer{line: i + 1, times: 1, header: http.Header{}}
				s.answers = append(s.answers, a)
			}
			err = a.add(word, rest)
		}
		if err != nil {
			return nil, fmt.Errorf("script of providertest: line %d: %q: %w", i+1, line, err)
		}
	}
	return s, nil
}

func newAnswer(line int, rest string) (*answer, error) {
	a := &answer{line: line, times: 1, header: http.Header{}}
	for rest != "" {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		switch word {
		case "always":
			a.times = -1
		case "times":
			var n string
			n, rest, _ = strings.Cut(rest, " ")
			v, err := strconv.Atoi(n)
			if err != nil || v < 1 {
				return nil, fmt.Errorf("times needs a number above 0")
			}
			a.times = v
		case "when":
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("when needs a text in double quotes")
			}
			a.when, _ = strconv.Unquote(quoted)
			rest = strings.TrimSpace(rest[len(quoted):])
		default:
			return nil, fmt.Errorf("unknown word %q", word)
		}
	}
	return a, nil
}

// add reads one statement.
func (a *answer) add(op, rest string) (err error) {
	st := step{op: op, text: rest}
	switch op {
	case "status":
		a.status, err = strconv.Atoi(rest)
		return err
	case "header":
		name, value, ok := strings.Cut(rest, ":")
		if !ok {
			return fmt.Errorf("header needs Name: value")
		}
		a.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	case "fail":
		status, message, _ := strings.Cut(rest, " ")
		if a.status, err = strconv.Atoi(status); err != nil {
			return err
		}
		b, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "error"}})
		a.steps = append(a.steps, step{op: "body", text: string(b)})
		return err
	case "html":
		a.header.Set("Content-Type", "text/html; charset=utf-8")
		st.op = "body"
	case "text", "reasoning", "thinking", "sign", "redacted", "phase", "raw", "body", "comment":
		st.text, st.quoted, err = unquote(rest)
	case "wait":
		if rest == "" {
			return fmt.Errorf("wait needs a name")
		}
	case "model", "finish", "chunk", "error", "nodone", "end", "cut", "reset", "stall":
	case "delay":
		st.d, err = time.ParseDuration(rest)
	case "size":
		st.n, err = strconv.Atoi(rest)
	case "words":
		var d string
		d, st.text, _ = strings.Cut(rest, " ")
		if st.d, err = time.ParseDuration(d); err == nil {
			st.text, _, err = unquote(st.text)
		}
	case "repeat":
		var n string
		n, st.text, _ = strings.Cut(rest, " ")
		if st.n, err = strconv.Atoi(n); err == nil {
			st.text, _, err = unquote(st.text)
		}
	case "tool":
		st.name, st.text, _ = strings.Cut(rest, " ")
	case "call":
		f := strings.SplitN(rest, " ", 4)
		if len(f) < 3 {
			return fmt.Errorf("call needs an index, an id or -, a name or -")
		}
		st.id, st.name, st.text = strings.TrimPrefix(f[1], "-"), strings.TrimPrefix(f[2], "-"), strings.Join(f[3:], "")
		st.n, err = strconv.Atoi(f[0])
	case "args":
		var n string
		n, st.text, _ = strings.Cut(rest, " ")
		st.n, err = strconv.Atoi(n)
	case "usage":
		st.usage, err = parseUsage(rest)
	default:
		return fmt.Errorf("unknown statement %q", op)
	}
	a.steps = append(a.steps, st)
	return err
}

// unquote reads a text: a Go string if it begins with a double quote.
func unquote(s string) (text string, quoted bool, err error) {
	if !strings.HasPrefix(s, `"`) {
		return s, false, nil
	}
	text, err = strconv.Unquote(s)
	return text, true, err
}

func parseUsage(s string) (map[string]int, error) {
	f := strings.Fields(s)
	if len(f) < 2 {
		return nil, fmt.Errorf("usage needs the numbers of input and output tokens")
	}
	n := map[string]int{}
	for i, w := range f {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			key, value = []string{"in", "out", "", ""}[min(i, 3)], w
		}
		v, err := strconv.Atoi(value)
		if err != nil || (key != "in" && key != "out" && key != "cached" && key != "reasoning") {
			return nil, fmt.Errorf("usage does not know %q", w)
		}
		n[key] = v
	}
	return n, nil
}
