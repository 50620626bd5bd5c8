package responses_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/provider/responses"
)

const secret = "sk-proj-0123456789abcdefghijklmnop"

func client(s *providertest.Server) *exchange.Client {
	return responses.New(exchange.Config{Name: "Test", BaseURL: s.URL, Attempts: 3, FirstWait: time.Millisecond, LongestWait: time.Millisecond, Key: func() (string, error) { return secret, nil }})
}

func user(text string) provider.Request {
	return provider.Request{Model: "gpt-5", Messages: []chat.Message{{Role: chat.User, Content: chat.Text(text)}}}
}

// TestWire checks a request with everything, as it is sent.
func TestWire(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "key "+secret+"\ntext a")
	zero := 0.0
	req := provider.Request{
		Model: "gpt-5", MaxTokens: 100, Temperature: &zero, ReasoningEffort: "low", CacheKey: "notebook-1",
		Messages: []chat.Message{
			{Role: chat.System, Content: chat.Text("a < b & c")},
			{Role: chat.User, Content: chat.Text("")},
			{Role: chat.System, Content: chat.Text("a note")},
			{Role: chat.Assistant, Content: chat.Content{Null: true}, ReasoningContent: "not sent", ToolCalls: []chat.ToolCall{{ID: "c0", Function: chat.Function{Name: "ls", Arguments: " "}}, {ID: "c1", Function: chat.Function{Name: "ls", Arguments: `{"a":1}`}}}},
			{Role: chat.Tool, ToolCallID: "c0", Name: "ls", Content: chat.Text("")},
			{Role: chat.Tool, ToolCallID: "c1", Content: chat.Content{Parts: []chat.Part{{Type: chat.PartText, Text: "x"}}}},
			{Role: chat.Assistant, Content: chat.Text("")},
			{Role: chat.Assistant, Content: chat.Text("Done.")},
			{Role: chat.User, Content: chat.Content{Parts: []chat.Part{
				{Type: chat.PartText, Text: "see"}, {Type: chat.PartText},
				{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,AA==", Detail: "auto"}},
				{Type: chat.PartFile, File: &chat.File{Name: "a.pdf", Data: "data:application/pdf;base64,JVBERi0="}}}}},
		},
		Tools: []provider.ToolSpec{{Name: "ls", Description: "Lists.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, {Name: "none"}},
	}
	if _, err := providertest.Tell(t.Context(), client(s), req); err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gpt-5","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":100,"temperature":0,"reasoning":{"effort":"low","summary":"auto"},"prompt_cache_key":"notebook-1","tools":[` +
		`{"type":"function","name":"ls","description":"Lists.","parameters":{"type":"object","properties":{}},"strict":false},` +
		`{"type":"function","name":"none","parameters":{"type":"object","properties":{}},"strict":false}],"instructions":"a < b & c","input":[` +
		`{"role":"user","content":""},{"role":"developer","content":"a note"},` +
		`{"type":"function_call","call_id":"c0","name":"ls","arguments":"{}"},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"a\":1}"},` +
		`{"type":"function_call_output","call_id":"c0","output":"(no output)"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"x"}]},` +
		`{"role":"assistant","content":"Done."},` +
		`{"role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_image","image_url":"data:image/png;base64,AA==","detail":"auto"},` +
		`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}]}]}`
	if got := string(s.Requests()[0].Body); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRefusedFields has servers and models that refuse a part of a request: it
// is left out at once, without a wait, and stays so.
func TestRefusedFields(t *testing.T) {
	t.Parallel()
	half := 0.5
	for field, said := range map[string]string{
		"encrypted_content": "Encrypted content is not supported with this model.",
		`"summary"`:         "Your organization must be verified to generate reasoning summaries.",
		`"temperature"`:     "Unsupported parameter: 'temperature' is not supported with this model.",
		"prompt_cache_key":  "Unknown parameter: 'prompt_cache_key'.",
		`"effort"`:          "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, "fail 400 "+said+"\nanswer times 2\ntext a")
			c, req := client(s), user("hi")
			req.ReasoningEffort, req.CacheKey, req.Temperature = "low", "k", &half
			for range 2 {
				if got, err := providertest.Tell(t.Context(), c, req); err != nil || strings.Contains(got, "wait") {
					t.Fatal(got, err)
				}
			}
			for i, r := range s.Requests() {
				if has := strings.Contains(string(r.Body), field); has != (i == 0) {
					t.Errorf("request %d: %s", i, r.Body)
				}
			}
		})
	}
}

// TestModelsThatDoNotThink checks that they are not asked for encrypted reasoning.
func TestModelsThatDoNotThink(t *testing.T) {
	t.Parallel()
	for model, asked := range map[string]bool{"gpt-4o": false, "openai/gpt-4.1-mini": false, "gpt-5": true, "o3": true, "qwen3": true} {
		req := user("hi")
		req.Model = model
		body, err := responses.New(exchange.Config{BaseURL: "http://127.0.0.1/v1"}).Body(req)
		if err != nil || strings.Contains(string(body), "encrypted_content") != asked {
			t.Errorf("%s: %s, %v", model, body, err)
		}
	}
}

// TestPhases go back with the message that they are of.
func TestPhases(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "answer\nsign Enc\nphase commentary\ntext I look.\nphase final_answer\ntext Done.\nanswer\ntext a")
	c, req := client(s), user("hi")
	m, err := providertest.Message(t.Context(), c, req)
	if err != nil || m.Content.String() != "I look.\n\nDone." {
		t.Fatalf("%q, %v", m.Content.String(), err)
	}
	req.Messages = append(req.Messages, m, user("more").Messages[0])
	if _, err := providertest.Message(t.Context(), c, req); err != nil {
		t.Fatal(err)
	}
	body := string(s.Requests()[1].Body)
	for _, part := range []string{`"encrypted_content":"Enc"`, `{"role":"assistant","content":"I look.\n\n","phase":"commentary"},{"role":"assistant","content":"Done.","phase":"final_answer"}`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
}

// TestStream has what only this protocol sends.
func TestStream(t *testing.T) {
	t.Parallel()
	event := func(data string) string { return "chunk " + data + "\n" }
	end := event(`{"type":"response.completed","response":{"model":"gpt-5-2026","status":"completed","usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}}`) + "end"
	usage := "usage 50 40 9 4\n"
	for name, c := range map[string]struct{ script, want string }{
		"whole items, no deltas": {
			event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm"}],"encrypted_content":"E"}}`) +
				event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}}`) +
				event(`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}}`) + end,
			"reasoning \"Hm\"\nkept 0 0 {\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"Hm\"}],\"encrypted_content\":\"E\"}\ntext \"a\"\ncall 0 c ls \ncall 0   {}\nfinish tool_calls\n" + usage},
		"several parts of a summary": {
			event(`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`) +
				event(`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}`) + event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"One"}`) +
				event(`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}`) + event(`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"Two"}`) +
				event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}}`) + end,
			"reasoning \"One\"\nreasoning \"\\n\\n\"\nreasoning \"Two\"\nfinish stop\n" + usage},
		"a refusal": {event(`{"type":"response.refusal.delta","output_index":0,"delta":"No."}`) + end, "text \"No.\"\nfinish stop\n" + usage},
		"a character cut in two": {event(`{"type":"response.output_text.delta","output_index":0,"delta":"a \ud83d"}`) + event(`{"type":"response.output_text.delta","output_index":0,"delta":"\ude00"}`) + end,
			"text \"a \"\ntext \"😀\"\nfinish stop\n" + usage},
		"half a character": {event(`{"type":"response.output_text.delta","output_index":0,"delta":"a \ud83d"}`) + end, "text \"a \"\ntext \"\uFFFD\"\nfinish stop\n" + usage},
		"fields of the wrong type": {event(`{"type":"response.output_text.delta","output_index":"0","delta":"a"}`) + event(`{"type":"response.output_item.added","output_index":1,"item":7}`) + end,
			"text \"a\"\nfinish stop\n" + usage},
		"no id": {event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","name":"ls","arguments":"{}"}}`) + end,
			"call 0 (made) ls \ncall 0   {}\nfinish tool_calls\n" + usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, c.script)
			got, err := providertest.Tell(t.Context(), client(s), user("hi"))
			got = strings.ReplaceAll(got, "model gpt-5-2026\n", "")
			if err != nil || got != c.want {
				t.Errorf("%v, got\n%swant\n%s", err, got, c.want)
			}
		})
	}
}

// TestFailed checks that an answer which the server gives up on has a reason.
func TestFailed(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "answer times 3\n"+`chunk {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model broke"}}}`+"\nend")
	_, err := providertest.Tell(t.Context(), client(s), user("hi"))
	providertest.CheckFault(t, err, fault.CodeStreamError, "The model broke|3 attempts", secret)
}
