package subprocess

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestServersGetNoSecrets(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "OPENAI_API_KEY=sk", "HOME=/h", "LD_PRELOAD=x", "SSH_AUTH_SOCK=/s"}, map[string]string{"HOME": "/other", "TOKEN": "t"})
	if want := []string{"HOME=/other", "PATH=/bin", "TOKEN=t"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestTail(t *testing.T) {
	var tail Tail
	for range 10_000 {
		io.WriteString(&tail, "a line of a server\n")
	}
	io.WriteString(&tail, strings.Repeat("x", 3*maxTail)+"\nthe last")
	got := tail.Text()
	if len(got) > maxTail || !strings.HasSuffix(got, "the last") || len(tail.text) > 2*maxTail {
		t.Errorf("%d bytes, of %d kept", len(got), len(tail.text))
	}
}

// The line that explains why a program ended is often not its last one.
func TestTelling(t *testing.T) {
	for log, want := range map[string]string{
		"": "", "\n \n": "", "one\nmy last words\n": "my last words, last",
		"node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '/x/index.js'\n    at Module._resolveFilename (node:internal)\n    at errors (x) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n": "Error: Cannot find module '/x/index.js'",
		"Traceback (most recent call last):\n  File \"x\", line 1\nValueError: no key\n": "ValueError: no key, last",
		"error: old\n" + strings.Repeat("fine\n", 50):                                    "fine, last",
	} {
		var tail Tail
		io.WriteString(&tail, log)
		got, isLast := tail.Telling()
		if isLast {
			got += ", last"
		}
		if got != want {
			t.Errorf("%q: %q", log, got)
		}
	}
}

func TestFlood(t *testing.T) {
	now := time.Unix(0, 0)
	slow := &counted{from: io.NopCloser(strings.NewReader(strings.Repeat("{}\n", 3*maxMessages))), now: func() time.Time { now = now.Add(4 * time.Second); return now }, refused: func(error) {}}
	if _, err := io.Copy(io.Discard, slow); err != nil {
		t.Error("a slow server counts as flooding:", err)
	}
	for text, want := range map[string]string{
		strings.Repeat("\n", maxMessages+1):                                            "it floods",
		strings.Repeat(strings.Repeat("a", MaxMessage-1)+"\n", 9):                      "it floods",
		"{}\n" + strings.Repeat("a", MaxMessage+1):                                     "a message of more than 16 MB",
		strings.Repeat("a", MaxMessage/2) + "\n" + strings.Repeat("a", MaxMessage/2+1): "",
	} {
		var refused error
		fast := &counted{from: io.NopCloser(strings.NewReader(text)), now: func() time.Time { return now }, refused: func(err error) { refused = err }}
		_, err := io.Copy(io.Discard, fast)
		if !errors.Is(err, refused) || want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Error(want, err, refused)
		}
	}
}

// Lines that are not messages go to the log, even when they arrive in pieces.
func TestMessages(t *testing.T) {
	const in = "hello\n[info] ready\n{\"a\": 1}\n\n[{\"b\": 2}]\n{\"c\":\nnot this\n{\"d\": 4}"
	for _, from := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
		var log Tail
		got, err := io.ReadAll(newMessages(io.NopCloser(from), &log))
		if want := "{\"a\": 1}\n[{\"b\": 2}]\n{\"c\":\n{\"d\": 4}"; err != nil || string(got) != want {
			t.Errorf("%q %v", got, err)
		}
		if log.Text() != "hello\n[info] ready\n\nnot this\n" {
			t.Errorf("%q", log.Text())
		}
	}
}
