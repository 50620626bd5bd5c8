package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// largeNotebook is a notebook whose list of messages is parsed in two halves, in our own layout or
// without white space.
func largeNotebook(t *testing.T, messages int, compact bool) []byte {
	t.Helper()
	type said struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	list := make([]said, messages)
	for i := range list {
		list[i] = said{[]string{"user", "assistant"}[i%2], fmt.Sprintf("%d: \"\n    {\n      %s,{", i, strings.Repeat("text 文 ", 40))}
	}
	text, err := json.MarshalIndent(map[string]any{"metadata": map[string]any{"uuid": "u", "odd": []any{map[string]any{"a": 1}}}, "context": list}, "", "  ")
	if compact && err == nil {
		var out bytes.Buffer
		err = json.Compact(&out, text)
		text = out.Bytes()
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 2*halvesFrom {
		t.Fatalf("%d bytes are not enough", len(text))
	}
	return text
}

// secondsOf counts the messages that the parser of the second half reads.
func secondsOf(t *testing.T, text []byte) int {
	t.Helper()
	p := parser{scanner: scanner{b: text, i: bytes.IndexByte(text, '['), depth: 1}}
	h := p.startSecondHalf()
	if h == nil {
		return 0
	}
	<-h.done
	return len(h.messages)
}

func TestTwoHalves(t *testing.T) {
	for _, compact := range []bool{false, true} {
		inTwoHalves(t, largeNotebook(t, 2_000, compact))
	}
}

func inTwoHalves(t *testing.T, text []byte) {
	t.Helper()
	if n := secondsOf(t, text); n < 900 || n > 1_100 {
		t.Errorf("the second half has %d messages", n)
	}
	d, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range d.cells.list {
		for _, m := range append([]*message{c.prompt}, c.answer...) {
			if want := fmt.Sprintf("%d: ", n); !strings.HasPrefix(m.decode().Content.String(), want) {
				t.Fatalf("message %d is %.20q", n, m.decode().Content.String())
			}
			n++
		}
	}
	if n != 2_000 {
		t.Errorf("%d messages", n)
	}
}

// Many messages are read by two goroutines, and stay in order.
func TestHistoryOfManyMessages(t *testing.T) {
	d, err := Parse(largeNotebook(t, 2_001, false))
	if err != nil {
		t.Fatal(err)
	}
	last := d.cells.list[len(d.cells.list)-1].id
	turns, err := d.HistoryMessages(last, "sent")
	if err != nil || len(turns) != 2_001 {
		t.Fatalf("%d messages, %v", len(turns), err)
	}
	for i, m := range turns {
		if want := fmt.Sprintf("%d: ", i); !strings.HasPrefix(m.Message.Content.String(), want) || m.Cell != d.cells.list[i/2].id {
			t.Fatalf("message %d of cell %s is %.20q", i, m.Cell, m.Message.Content.String())
		}
	}
}

// A place that only looks like the start of a message does not count.
func TestSecondHalfThatIsNone(t *testing.T) {
	inner := strings.Repeat("\n    {\n      \"role\": \"user\"\n    },", 20_000)
	text := fmt.Sprintf("{\"metadata\": {},\n\"context\": [{\"role\": \"user\", \"content\": \"one\", \"odd\": [%s\n    {\"role\": \"user\"}]},\n{\"role\": \"assistant\", \"content\": \"two\"}]}", inner)
	if n := secondsOf(t, []byte(text)); n == 0 {
		t.Fatal("the second half has no messages")
	}
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if c := d.cells.list; len(c) != 1 || len(c[0].answer) != 1 || c[0].answer[0].decode().Content.String() != "two" {
		t.Errorf("%d cells", len(c))
	}
}

// Damage has its own place, wherever it is.
func TestDamageInAHalf(t *testing.T) {
	text := largeNotebook(t, 2_000, false)
	for _, at := range []int{10, 500, 1_000, 1_500, 1_999} {
		start := bytes.Index(text, fmt.Appendf(nil, "\"content\": \"%d: ", at))
		damaged := bytes.Clone(text)
		damaged[start+len(`"content"`)] = ';'
		_, err := Parse(damaged)
		var damage *DamagedError
		if !errors.As(err, &damage) || damage.Problem.Line != bytes.Count(text[:start], []byte("\n"))+1 || damage.Problem.Message != "expected a colon after the key" {
			t.Errorf("message %d: %v", at, err)
		}
	}
	for _, length := range []int{len(text) / 3, len(text) / 2, len(text) - len(text)/4, len(text) - 4, len(text) - 1} {
		if _, err := Parse(bytes.ToValidUTF8(text[:length], nil)); err == nil || !strings.Contains(err.Error(), "the text ends too early") {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}
