package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/providertest"
)

const secret = "sk-ant-0123456789abcdefghijklmnop"

func client(s *providertest.Server) *exchange.Client {
	return anthropic.New(exchange.Config{Name: "Test", BaseURL: s.URL, FirstWait: time.Millisecond, LongestWait: time.Millisecond, Key: func() (string, error) { return secret, nil }})
}

func user(text string) provider.Request {
	return provider.Request{Model: "claude-opus-4-6", Messages: []chat.Message{{Role: chat.User, Content: chat.Text(text)}}}
}

func call(id, args string) chat.ToolCall {
	return chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: "ls", Arguments: args}}
}

// TestWire checks a request with everything, as it is sent.
func TestWire(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "key "+secret+"\ntext a")
	zero := 0.0
	req := provider.Request{
		Model: "claude-opus-4-6", MaxTokens: 100, Temperature: &zero,
		Messages: []chat.Message{
			{Role: chat.System, Content: chat.Text("a < b & c")}, {Role: chat.System, Content: chat.Text("and d")},
			{Role: chat.Assistant, Content: chat.Text("An answer without a prompt.")},
			{Role: chat.User, Content: chat.Text(" ")},
			{Role: chat.User, Content: chat.Text("one")},
			{Role: chat.System, Content: chat.Text("a note")},
			{Role: chat.Assistant, Content: chat.Content{Null: true}, ReasoningContent: "not sent", ToolCalls: []chat.ToolCall{call("c0", " "), call("c1", `{"b":[1, 2],"a":"<"}`), call("c2", `oops`)}},
			{Role: chat.Tool, ToolCallID: "c0", Name: "ls", Content: chat.Text("")},
			{Role: chat.Tool, ToolCallID: "c1", Content: chat.Text("ok")},
			{Role: chat.Tool, ToolCallID: "c2", Content: chat.Content{Parts: []chat.Part{{Type: chat.PartText, Text: "x"}, {Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,AA=="}}}}},
			{Role: chat.Assistant, Content: chat.Text("")},
			{Role: chat.User, Content: chat.Content{Parts: []chat.Part{
				{Type: chat.PartText, Text: "see"}, {Type: chat.PartText},
				{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "https://example.com/a.png"}},
				{Type: chat.PartFile, File: &chat.File{Name: "a.pdf", Data: "data:application/pdf;base64,JVBERi0="}}}}},
		},
		Tools: []provider.ToolSpec{{Name: "ls", Description: "Lists.", Parameters: json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string"}}}`)}, {Name: "none"}},
	}
	if _, err := providertest.Tell(t.Context(), client(s), req); err != nil {
		t.Fatal(err)
	}
	want := `{"model":"claude-opus-4-6","max_tokens":100,"stream":true,"temperature":0,"cache_control":{"type":"ephemeral"},"tools":[` +
		`{"name":"ls","description":"Lists.","input_schema":{"type":"object","properties":{"uri":{"type":"string"}}}},` +
		`{"name":"none","input_schema":{"type":"object","properties":{}}}],` +
		`"system":[{"type":"text","text":"a < b & c\n\nand d","cache_control":{"type":"ephemeral"}}],"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"(The conversation begins with your answer.)"}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"An answer without a prompt."}]},` +
		`{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"a note"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c0","name":"ls","input":{}},{"type":"tool_use","id":"c1","name":"ls","input":{"b":[1,2],"a":"<"}},{"type":"tool_use","id":"c2","name":"ls","input":{"invalid_json":"oops"},"cache_control":{"type":"ephemeral"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","content":[{"type":"text","text":"(no output)"}]},{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"ok"}]},` +
		`{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]},` +
		`{"type":"text","text":"see"},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},` +
		`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="},"title":"a.pdf"}]}]}`
	if got := string(s.Requests()[0].Body); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestThinking checks how a model is asked for thoughts, by its name and the effort.
func TestThinking(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, effort, want string }{
		{"claude-opus-4-6", "", ""},
		{"claude-opus-4-6", "high", `,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}`},
		{"anthropic/claude-sonnet-5", "minimal", `"output_config":{"effort":"low"}`},
		{"claude-opus-4-20250514", "low", `,"thinking":{"type":"enabled","budget_tokens":4096}`},
		{"claude-sonnet-4-5", "medium", `"budget_tokens":12000`},
		{"claude-opus-4-5-20251101", "high", `"budget_tokens":16000`}, // half of the room
		{"claude-haiku-4-5-20251001", "minimal", `"budget_tokens":1024`},
		{"claude-3-7-sonnet-latest", "low", `"budget_tokens":4096`},
		{"claude-3-5-haiku-latest", "high", ""},
		{"kimi-k2-thinking", "low", `"budget_tokens":4096`},
	} {
		req := user("hi")
		req.Model, req.ReasoningEffort = c.model, c.effort
		body, err := anthropic.New(exchange.Config{BaseURL: "http://127.0.0.1/v1"}).Body(req)
		if err != nil || !strings.Contains(string(body), c.want) || c.want == "" && strings.Contains(string(body), "thinking\":") {
			t.Errorf("%s %s: %s, %v", c.model, c.effort, body, err)
		}
	}
}

// TestThinkingWithABudgetIsLeftOutInATurnWithoutThoughts checks that a model that would refuse to
// continue after calls without a thought is asked for none.
func TestThinkingWithABudgetIsLeftOutInATurnWithoutThoughts(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "answer always\nthinking Hm\nsign Sig\ntool ls {}")
	c, req := client(s), user("hi")
	req.Model, req.ReasoningEffort, req.Tools = "claude-sonnet-4-5", "low", []provider.ToolSpec{{Name: "ls"}}
	m, err := providertest.Message(t.Context(), c, req)
	if err != nil {
		t.Fatal(err)
	}
	with := req
	with.Messages = append(with.Messages[:1:1], m, chat.Message{Role: chat.Tool, ToolCallID: "call_1", Content: chat.Text("a")})
	m.Kept = nil
	without := req
	without.Messages = append(without.Messages[:1:1], m, with.Messages[2])
	later := without
	later.Messages = append(later.Messages[:3:3], chat.Message{Role: chat.Assistant, Content: chat.Text("Done.")}, user("more").Messages[0])
	for i, r := range []provider.Request{with, without, later} {
		if _, err := providertest.Message(t.Context(), c, r); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(s.Requests()[i+1].Body), "budget_tokens"); has != (i != 1) {
			t.Errorf("request %d: %v", i, has)
		}
	}
}

// TestRefusedFields has servers and models that refuse a part of a request: it
// is left out or written differently at once, without a wait, and stays so.
func TestRefusedFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ model, said, gone, instead string }{
		"a budget":       {"claude-sonnet-4-5", `"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`, "budget_tokens", `"adaptive"`},
		"adaptive":       {"claude-opus-4-6", "adaptive thinking is not supported on this model", `"adaptive"`, "budget_tokens"},
		"display":        {"claude-opus-4-6", "thinking.adaptive.display: Extra inputs are not permitted", "summarized", `"adaptive"`},
		"effort":         {"claude-opus-4-6", "This model does not support the effort parameter.", "output_config", `"adaptive"`},
		"the cache":      {"claude-opus-4-6", "cache_control: Extra inputs are not permitted", `"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"low"},"cache_control"`, `}],"messages"`},
		"a long answer":  {"claude-opus-4-6", "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m1", "32000", `"max_tokens":8192`},
		"no such a word": {"glm-5", "thinking: Extra inputs are not permitted", "budget_tokens", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, "fail 400 "+c.said+"\nanswer times 2\ntext a")
			req := user("hi")
			req.Model, req.ReasoningEffort = c.model, "low"
			req.Messages = append([]chat.Message{{Role: chat.System, Content: chat.Text("s")}}, req.Messages...)
			cl := client(s)
			for range 2 {
				if got, err := providertest.Tell(t.Context(), cl, req); err != nil || strings.Contains(got, "wait") {
					t.Fatal(got, err)
				}
			}
			for i, r := range s.Requests() {
				if body := string(r.Body); strings.Contains(body, c.gone) != (i == 0) || i > 0 && !strings.Contains(body, c.instead) {
					t.Errorf("request %d: %s", i, body)
				}
			}
		})
	}
}

// TestTemperature checks that models that accept a temperature get it.
func TestTemperature(t *testing.T) {
	t.Parallel()
	half := 0.5
	s := providertest.New(t, "fail 400 `temperature` is deprecated for this model.\nanswer\ntext a")
	req := user("hi")
	req.Temperature = &half
	if _, err := providertest.Tell(t.Context(), client(s), req); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Requests() {
		if strings.Contains(string(r.Body), `"temperature":0.5`) != (i == 0) {
			t.Errorf("request %d: %s", i, r.Body)
		}
	}
}

// TestStream has what only this protocol sends.
func TestStream(t *testing.T) {
	t.Parallel()
	event := func(data string) string { return "chunk " + data + "\n" }
	start := event(`{"type":"message_start","message":{"model":"claude","usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":1}}}`)
	end := event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`) + event(`{"type":"message_stop"}`) + "end"
	for name, c := range map[string]struct{ script, want string }{
		"usage in three parts": {start + event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`) + end,
			"model claude\ntext \"a\"\nfinish stop\nusage 115 100 7 0\n"},
		"a signature in pieces, two thoughts": {start +
			event(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"H<m"}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Ab+"}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"/="}}`) +
			event(`{"type":"content_block_stop","index":0}`) +
			event(`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"Enc"}}`) + event(`{"type":"content_block_stop","index":1}`) +
			event(`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"a"}}`) + end,
			"model claude\nreasoning \"H<m\"\nkept 0 0 {\"type\":\"thinking\",\"thinking\":\"H<m\",\"signature\":\"Ab+/=\"}\nkept 0 0 {\"type\":\"redacted_thinking\",\"data\":\"Enc\"}\ntext \"a\"\nfinish stop\nusage 115 100 7 0\n"},
		"a thought that is not told": {start + event(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"S"}}`) + event(`{"type":"content_block_stop","index":0}`) +
			event(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}`) + end,
			"model claude\nkept 0 0 {\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"S\"}\ntext \"a\"\nfinish stop\nusage 115 100 7 0\n"},
		"a thought without a signature": {start + event(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm"}}`) + event(`{"type":"content_block_stop","index":0}`) +
			event(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"a"}}`) + end,
			"model claude\nreasoning \"Hm\"\ntext \"a\"\nfinish stop\nusage 115 100 7 0\n"},
		"a call that comes whole": {start + event(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"ls","input":{"a":1}}}`) + event(`{"type":"content_block_stop","index":0}`) + end,
			"model claude\ncall 0 t ls \ncall 0   {\"a\":1}\nfinish tool_calls\nusage 115 100 7 0\n"},
		"a character cut in two": {start + event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
			event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a \ud83d"}}`) + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00"}}`) + end,
			"model claude\ntext \"a \"\ntext \"😀\"\nfinish stop\nusage 115 100 7 0\n"},
		"deltas without a beginning, blocks without an end": {event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + end,
			"text \"a\"\nfinish stop\nusage 0 0 7 0\n"},
		"an end without a reason": {event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + event(`{"type":"message_stop"}`) + "end",
			"text \"a\"\nfinish stop\n"},
		"fields of the wrong type": {event(`{"type":"content_block_delta","index":"0","delta":{"type":"text_delta","text":"a"},"usage":7}`) + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":{}}}`) + end,
			"text \"a\"\nfinish stop\nusage 0 0 7 0\n"},
		"a window that is full": {start + event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`) + event(`{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`) + "end",
			"model claude\ntext \"a\"\nfinish length\nusage 115 100 1 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.New(t, c.script)
			got, err := providertest.Tell(t.Context(), client(s), user("hi"))
			if err != nil || got != c.want {
				t.Errorf("%v, got\n%swant\n%s", err, got, c.want)
			}
		})
	}
}

// TestNoRoom: a limit of the person's that a model refuses is not changed.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	s := providertest.New(t, "answer always\nfail 400 max_tokens: 99999 > 8192, which is the maximum allowed number of output tokens for m1")
	req := user("hi")
	req.MaxTokens = 99999
	_, err := providertest.Tell(t.Context(), client(s), req)
	providertest.CheckFault(t, err, fault.CodeBadRequest, "99999", secret)
}
