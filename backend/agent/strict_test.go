package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/tool"
)

// oddConversation is a conversation that a notebook may contain: its calls have names and ids that
// strict servers refuse, and one message has more calls than they accept.
func oddConversation() []chat.Message {
	names := []string{"read file", "functions.read_file", "ls<|channel|>commentary", strings.Repeat("long", 50), "read_file", "列出", ".", "read/file"}
	messages := []chat.Message{{Role: chat.User, Name: "Jane <Doe>", Content: chat.Text("Hello")}}
	var calls []chat.ToolCall
	var results []chat.Message
	call := func(id, name string) {
		calls = append(calls, chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: name, Arguments: "{}"}})
		results = append(results, chat.Message{Role: chat.Tool, ToolCallID: id, Name: name, Content: chat.Text("result of " + id)})
	}
	end := func(text string) {
		messages = append(append(messages, chat.Message{Role: chat.Assistant, Content: chat.Text(text), ToolCalls: calls}), results...)
		calls, results = nil, nil
	}
	for i, name := range names {
		call(fmt.Sprintf("functions.read_file:%d", i), name)
		call(fmt.Sprintf("functions read_file %d", i), name)
		call(strings.Repeat("x", 60)+fmt.Sprint(i), name)
	}
	end("Some odd ones.")
	for i := range 300 {
		call(fmt.Sprintf("c%d", i), "ls")
	}
	end("Many.")
	return append(messages, chat.Message{Role: chat.Assistant, Content: chat.Text("Done.")}, chat.Message{Role: chat.User, Content: chat.Text("And now?")})
}

// SPEC 1.5: strict servers accept any names, ids and numbers of calls in a notebook; every call is
// followed by its own result, and different ones stay different.
func TestOddNamesAndIDsAreSentAsStrictServersTakeThem(t *testing.T) {
	given := oddConversation()
	before, _ := json.Marshal(given)
	req, moves := agent.First(agent.Config{Request: provider.Request{Model: "m"}, Messages: given})
	if after, _ := json.Marshal(given); string(after) != string(before) {
		t.Fatal("the messages that were given changed")
	}
	srv := providertest.New(t, "answer times 3\ntext Fine.") // strict: it refuses what one of them would refuse
	for _, connect := range wires {
		client := connect(exchange.Config{Name: "test", BaseURL: srv.URL, Attempts: 1})
		if err := client.Stream(t.Context(), req, func(provider.Chunk) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	ids, names, calls := map[string]string{}, map[string]string{}, 0
	for i, m := range req.Messages {
		for k, c := range m.ToolCalls {
			result := req.Messages[i+1+k]
			was := strings.TrimPrefix(result.Content.String(), "result of ")
			if result.ToolCallID != c.ID || result.Name != c.Function.Name {
				t.Errorf("the call %s of %s is followed by the result of %s of %s", c.ID, c.Function.Name, result.ToolCallID, result.Name)
			}
			if other, twice := ids[c.ID]; twice {
				t.Errorf("%q and %q are both sent as %s", other, was, c.ID)
			}
			ids[c.ID] = was
			calls++
		}
	}
	if calls != 324 {
		t.Errorf("%d of 324 calls are sent", calls)
	}
	for _, m := range given {
		for _, c := range m.ToolCalls {
			one, _ := agent.First(agent.Config{Messages: []chat.Message{{Role: chat.User, Content: chat.Text("x")}, {Role: chat.Assistant, ToolCalls: []chat.ToolCall{c}}}})
			name := one.Messages[1].ToolCalls[0].Function.Name
			if other, twice := names[name]; twice && tool.Bare(other) != tool.Bare(c.Function.Name) {
				t.Errorf("%q and %q are both sent as %s", other, c.Function.Name, name)
			}
			names[name] = c.Function.Name
		}
	}
	if names["read_file"] == "" || names["ls"] == "" || len(names) != 8 { // functions.read_file is read_file
		t.Errorf("names became %q", names)
	}
	for _, m := range moves {
		was, now := given[m.From], req.Messages[m.To]
		if !strings.HasPrefix(now.Content.String()[m.Start:], was.Content.String()) {
			t.Errorf("piece %d of message %d is not at byte %d of message %d", m.Piece, m.From, m.Start, m.To)
		}
	}
}

// The form in which earlier messages are sent depends on them alone: a longer conversation begins
// with the bytes of the shorter one, so that servers can cache it.
func TestOddNamesStayTheSameFromTurnToTurn(t *testing.T) {
	given := oddConversation()
	all, _ := agent.First(agent.Config{Messages: given})
	for n := 1; n < len(given); n++ {
		if given[n].Role == chat.Tool {
			continue
		}
		part, _ := agent.First(agent.Config{Messages: given[:n]})
		for i, m := range part.Messages {
			a, _ := json.Marshal(m)
			b, _ := json.Marshal(all.Messages[i])
			if string(a) != string(b) && i < len(part.Messages)-1 {
				t.Fatalf("with %d messages message %d is\n%s\nand with all of them\n%s", n, i, a, b)
			}
		}
	}
}
