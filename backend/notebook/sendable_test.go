package notebook

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mutsumi/backend/chat"
)

// conversation reads a short form: "u:text", "s:text", "a:text", "a:text+id+id"
// (calls), "t:id=result".
func conversation(lines ...string) []chat.Message {
	var list []chat.Message
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, ":")
		switch kind {
		case "u":
			list = append(list, chat.Message{Role: chat.User, Content: chat.Text(rest)})
		case "s":
			list = append(list, chat.Message{Role: chat.System, Content: chat.Text(rest)})
		case "t":
			id, result, _ := strings.Cut(rest, "=")
			list = append(list, chat.Message{Role: chat.Tool, ToolCallID: id, Content: chat.Text(result)})
		case "a":
			fields := strings.Split(rest, "+")
			m := chat.Message{Role: chat.Assistant, Content: chat.Text(fields[0])}
			m.Content.Null = fields[0] == ""
			for _, id := range fields[1:] {
				m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: "f_" + id, Arguments: "{}"}})
			}
			list = append(list, m)
		default:
			list = append(list, chat.Message{Role: chat.Role(kind), Content: chat.Text(rest)})
		}
	}
	return list
}

func told(messages []chat.Message) []string {
	out := []string{}
	for _, m := range messages {
		switch m.Role {
		case chat.Tool:
			text := m.Content.String()
			if text == InterruptedResult {
				text = "INTERRUPTED " + m.Name
			}
			out = append(out, "t:"+m.ToolCallID+"="+text)
		default:
			line := string(m.Role[0]) + ":" + m.Content.String()
			for _, c := range m.ToolCalls {
				line += "+" + c.ID
			}
			out = append(out, line)
		}
	}
	return out
}

func TestSendable(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want []string
	}{
		{"nothing", nil, nil},
		{"sound", []string{"s:s", "u:q", "a:x+1+2", "t:1=r", "t:2=r", "a:end"}, []string{"s:s", "u:q", "a:x+1+2", "t:1=r", "t:2=r", "a:end"}},
		{"a result is missing", []string{"u:q", "a:+1+2", "t:1=r"}, []string{"u:q", "a:+1+2", "t:1=r", "t:2=INTERRUPTED f_2"}},
		{"all are missing, and the person went on", []string{"u:q", "a:+1", "u:next"}, []string{"u:q", "a:+1", "t:1=INTERRUPTED f_1", "u:next"}},
		{"an orphan", []string{"t:9=r", "u:q", "t:8=r", "a:x"}, []string{"u:q", "a:x"}},
		{"misplaced results", []string{"u:q", "a:+1+2", "u:between", "t:2=b", "a:y", "t:1=a"}, []string{"u:q", "a:+1+2", "t:1=a", "t:2=b", "u:between", "a:y"}},
		{"a result before its call", []string{"t:1=r", "u:q", "a:+1"}, []string{"u:q", "a:+1", "t:1=r"}},
		{"two results: the last counts", []string{"u:q", "a:+1", "t:1=old", "t:1=new"}, []string{"u:q", "a:+1", "t:1=new"}},
		{"ids that start again", []string{"u:q", "a:+1", "t:1=first", "a:+1", "t:1=second"}, []string{"u:q", "a:+1", "t:1=first", "a:+1", "t:1=second"}},
		{"ids that start again, one missing", []string{"u:q", "a:+1", "a:+1", "t:1=second"}, []string{"u:q", "a:+1", "t:1=INTERRUPTED f_1", "a:+1", "t:1=second"}},
		{"the same id twice in one message", []string{"u:q", "a:x+1+1+2", "t:1=r", "t:2=s"}, []string{"u:q", "a:x+1+2", "t:1=r", "t:2=s"}},
		{"an empty assistant message", []string{"u:q", "a:", "u:p"}, []string{"u:q", "u:p"}},
		{"an empty result is one", []string{"u:q", "a:+1", "t:1="}, []string{"u:q", "a:+1", "t:1="}},
		{"unknown roles", []string{"u:q", "developer:x", "a:y"}, []string{"u:q", "a:y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := conversation(c.in...)
			before := fmt.Sprintf("%#v", in)
			got := Sendable(in)
			if c.want == nil {
				c.want = []string{}
			}
			if !reflect.DeepEqual(told(got), c.want) {
				t.Errorf("%q\nwant %q", told(got), c.want)
			}
			if fmt.Sprintf("%#v", in) != before {
				t.Error("the input was changed")
			}
			if again := Sendable(got); !reflect.DeepEqual(again, got) {
				t.Errorf("a second repair changes something: %q", told(again))
			}
		})
	}
}

func TestSendableClosesWhatBrokeOff(t *testing.T) {
	in := []chat.Message{
		{Role: chat.User, Content: chat.Content{Null: true}},
		{Role: chat.User, Content: chat.Content{Parts: []chat.Part{}}},
		{Role: chat.Assistant, Content: chat.Text(""), ToolCalls: []chat.ToolCall{
			{Function: chat.Function{Name: "a", Arguments: `{"uri":"src/ma`}}, {Function: chat.Function{Name: "b"}},
			{ID: "x", Function: chat.Function{Name: "c", Arguments: `{"n": 1.50}`}}, {ID: "y", Function: chat.Function{Name: "d", Arguments: `[1`}},
		}},
		{Role: chat.Tool, Content: chat.Text("of a")},
		{Role: chat.Tool, Content: chat.Content{Null: true}},
	}
	out := Sendable(in)
	if len(out) != 7 || out[0].Content.Null || out[1].Content.Parts != nil || !out[2].Content.Null {
		t.Fatalf("%+v", out)
	}
	for i, want := range []string{`{"uri":"src/ma"}`, `{}`, `{"n": 1.50}`, `{}`} {
		c := out[2].ToolCalls[i]
		if c.Function.Arguments != want || c.ID == "" || out[3+i].ToolCallID != c.ID {
			t.Errorf("call %+v, want %s, result %+v", c, want, out[3+i])
		}
	}
	if out[3].Content.String() != "of a" || out[4].Content.Null || out[5].Content.String() != InterruptedResult {
		t.Errorf("results %+v", out[3:])
	}
	if in[2].ToolCalls[0].ID != "" || in[2].ToolCalls[0].Function.Arguments != `{"uri":"src/ma` {
		t.Error("the input was changed")
	}
}

// Messages in order are returned as they are, without a copy.
func TestSendableOfMessagesInOrder(t *testing.T) {
	in := withNames(conversation("s:s", "u:q", "a:x+1+2", "t:1=r", "t:2=r", "a:+1", "t:1=r", "u:p", "a:end"))
	if got := Sendable(in); &got[0] != &in[0] || !reflect.DeepEqual(got, in) || cap(got) != len(in) {
		t.Errorf("%+v", got)
	}
	for _, lines := range [][]string{
		{"u:"}, {"a:"}, {"odd:x"}, {"t:1=r"}, {"a:x+1"}, {"a:x+1", "t:2=r"}, {"a:x+1+2", "t:2=r", "t:1=r"}, {"a:x+1+1", "t:1=r", "t:1=r"}, {"a:x+1", "t:1=r", "t:1=r"}, {"a:x+1", "t:1="}, {"a:x+", "t:=r"},
	} {
		if inOrder(withNames(conversation(lines...))) {
			t.Errorf("%q is in order", lines)
		}
	}
	in[2].ToolCalls[0].Function.Arguments = "{"
	if inOrder(in) {
		t.Error("broken arguments are in order")
	}
}

// withNames names the results of messages.
func withNames(messages []chat.Message) []chat.Message {
	for i := range messages {
		if messages[i].Role == chat.Tool {
			messages[i].Name = "f_" + messages[i].ToolCallID
		}
	}
	return messages
}

// For any file, the sent messages have the form that every API requires.
func FuzzSendable(f *testing.F) {
	f.Add("ua1t1u")
	f.Add("\x00\x09\x11\x00\x0d\x11\x10\x04\x18") // in order
	f.Fuzz(func(t *testing.T, plan string) {
		var lines []string
		for _, c := range plan {
			id := string('0' + c%4)
			lines = append(lines, []string{"u:q", "a:x", "a:+" + id, "a:+" + id + "+0", "t:" + id + "=r", "a:", "s:s", "odd:x"}[int(c/4)%8])
		}
		if in := withNames(conversation(lines...)); inOrder(in) && !reflect.DeepEqual(repaired(in), in) {
			t.Fatalf("%q is in order, and the repair makes %+v", lines, repaired(in))
		}
		open := map[string]bool{}
		for i, m := range Sendable(conversation(lines...)) {
			if m.Role == chat.Tool {
				if !open[m.ToolCallID] {
					t.Fatalf("%q: message %d is a result without a call", lines, i)
				}
				delete(open, m.ToolCallID)
				continue
			}
			if len(open) > 0 {
				t.Fatalf("%q: message %d comes before results %v", lines, i, open)
			}
			if m.Role == chat.Assistant && m.Content.IsEmpty() && len(m.ToolCalls) == 0 {
				t.Fatalf("%q: message %d is empty", lines, i)
			}
			for _, c := range m.ToolCalls {
				open[c.ID] = true
			}
		}
		if len(open) > 0 {
			t.Fatalf("%q: results %v are missing", lines, open)
		}
	})
}
