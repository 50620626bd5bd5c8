package providertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// ask posts a chat request whose only message is prompt and returns status and body.
func ask(t *testing.T, s *Server, prompt string) (int, string) {
	t.Helper()
	body := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"` + prompt + `"}]}`
	resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestAnswersInOrder(t *testing.T) {
	s := New(t, `
answer when "second"
text for the second
answer times 2
fail 503 Busy
answer always
text "one\ntwo"
usage 7 2 cached=3
`)
	if status, body := ask(t, s, "first"); status != 503 || !strings.Contains(body, `"Busy"`) {
		t.Errorf("first: %d %s", status, body)
	}
	if _, body := ask(t, s, "the second"); !strings.Contains(body, "for the second") {
		t.Errorf("second: %s", body)
	}
	ask(t, s, "third")
	_, body := ask(t, s, "fourth")
	for _, want := range []string{`"content":"one\ntwo"`, `"finish_reason":"stop"`, `"cached_tokens":3`, "data: [DONE]\n\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("fourth: no %s in %s", want, body)
		}
	}
	if r := s.Requests(); len(r) != 4 || r[1].Text() != "the second\n" || r[1].Model != "m" || !r[1].Usage {
		t.Errorf("requests: %+v", r)
	}
}

func TestAnAnswerWaitsUntilItIsLet(t *testing.T) {
	s := New(t, "text before\nwait word\ntext behind")
	resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 4096)
	n, err := resp.Body.Read(first)
	if err != nil || !strings.Contains(string(first[:n]), "before") || strings.Contains(string(first[:n]), "behind") {
		t.Errorf("%q, %v", first[:n], err)
	}
	s.Let("word")
	s.Let("word")
	if rest, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(rest), "behind") {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestUnusedAnswersAreReported(t *testing.T) {
	sc, err := parse("text a\nanswer times 2\ntext b\nanswer always\ntext c")
	if err != nil {
		t.Fatal(err)
	}
	sc.take(Request{})
	sc.take(Request{})
	if got := sc.unused(); len(got) != 1 || got[0] != 2 {
		t.Errorf("unused = %v, want [2]", got)
	}
}

func TestMistakesInScripts(t *testing.T) {
	for script, want := range map[string]string{
		"txt hello":                     `line 1: "txt hello": unknown statement`,
		"text ok\n\ndelay soon":         "line 3",
		"answer when hello":             "double quotes",
		"answer twice":                  `unknown word "twice"`,
		"usage 1":                       "usage needs",
		"wait":                          "wait needs",
		"call 0 id":                     "call needs",
		"text ok\nkey sk-after-answers": "unknown statement",
		`text "open`:                    "line 1",
		"header X-None":                 "Name: value",
	} {
		if _, err := parse(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q) = %v, want %q", script, err, want)
		}
	}
}
