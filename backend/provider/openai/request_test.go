package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

// TestWire checks a request with everything, as it is sent.
func TestWire(t *testing.T) {
	s := providertest.New(t, "text a")
	zero := 0.0
	req := provider.Request{
		Model: "m1", MaxTokens: 100, Temperature: &zero, ReasoningEffort: "low",
		Messages: []chat.Message{
			{Role: chat.System, Content: chat.Text("a < b & c")},
			{Role: chat.User, Content: chat.Text("")},
			{Role: chat.Assistant, Content: chat.Content{Null: true}, ReasoningContent: "old", ToolCalls: []chat.ToolCall{{ID: "c0", Function: chat.Function{Name: "ls", Arguments: " "}}}},
			{Role: chat.Tool, ToolCallID: "c0", Name: "ls", Content: chat.Text("")},
			{Role: chat.User, Content: chat.Content{Parts: []chat.Part{
				{Type: chat.PartText, Text: "see"}, {Type: chat.PartText},
				{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:image/png;base64,AA==", Detail: "auto"}}}}},
			{Role: chat.Assistant, Content: chat.Text("x"), ReasoningContent: "new", ToolCalls: []chat.ToolCall{{ID: "c1", Function: chat.Function{Name: "ls", Arguments: `{"a":1}`}}}},
			{Role: chat.Tool, ToolCallID: "c1", Content: chat.Content{Parts: []chat.Part{}}},
			{Role: chat.Assistant, Content: chat.Content{Null: true}},
		},
		Tools: []provider.ToolSpec{{Name: "ls", Description: "Lists.", Parameters: json.RawMessage(`{"type":"object","properties":{"uri":{"anyOf":[{"type":"string"}]}}}`)}, {Name: "none"}},
	}
	if _, err := tell(t.Context(), openai.New(patient(s)), req); err != nil {
		t.Fatal(err)
	}
	want := `{"model":"m1","max_tokens":100,"stream":true,"tools":[` +
		`{"function":{"name":"ls","description":"Lists.","parameters":{"type":"object","properties":{"uri":{"anyOf":[{"type":"string"}]}}}},"type":"function"},` +
		`{"function":{"name":"none","parameters":{"type":"object","properties":{}}},"type":"function"}],` +
		`"stream_options":{"include_usage":true},"reasoning_effort":"low","temperature":0,"messages":[` +
		`{"role":"system","content":"a < b & c"},` +
		`{"role":"user","content":""},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c0","type":"function","function":{"name":"ls","arguments":"{}"}}]},` +
		`{"role":"tool","content":"(no output)","name":"ls","tool_call_id":"c0"},` +
		`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"auto"}}]},` +
		`{"role":"assistant","content":"x","reasoning_content":"new","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{\"a\":1}"}}]},` +
		`{"role":"tool","content":"(no output)","tool_call_id":"c1"},` +
		`{"role":"assistant","content":""}]}`
	if got := strings.TrimSpace(string(s.Requests()[0].Body)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNewerNameOfTheLimit(t *testing.T) {
	s := providertest.New(t, "answer times 2\ntext a")
	c := openai.New(patient(s))
	for i, model := range []string{"openai/gpt-5-mini", "llama3"} {
		req := user("hi")
		req.Model, req.MaxTokens = model, 7
		if _, err := tell(t.Context(), c, req); err != nil {
			t.Fatal(err)
		}
		if body := string(s.Requests()[i].Body); strings.Contains(body, `"max_completion_tokens":7`) != (i == 0) || strings.Contains(body, `"max_tokens":7`) != (i == 1) {
			t.Error(body)
		}
	}
}

// TestRefusedFields has servers that refuse a field: it is left out at once,
// without a wait, and stays so for the model.
func TestRefusedFields(t *testing.T) {
	for field, said := range map[string]string{
		"stream_options":    `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
		"reasoning_content": `{"error":{"message":"Additional properties are not allowed ('reasoning_content' was unexpected) - 'messages.1'"}}`,
		"extra_content":     `{"error":{"message":"Unknown parameter: 'messages[1].tool_calls[0].extra_content'."}}`,
		`"max_tokens"`:      `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}`,
	} {
		t.Run(field, func(t *testing.T) {
			s := providertest.New(t, "status 400\nbody "+said+"\nanswer times 2\ntext a")
			c, req := openai.New(patient(s)), user("hi")
			req.MaxTokens = 9
			req.Messages = append(req.Messages,
				chat.Message{Role: chat.Assistant, ReasoningContent: "Hm", ToolCalls: []chat.ToolCall{{ID: "1", Function: chat.Function{Name: "ls"}, Extra: map[string]json.RawMessage{"extra_content": json.RawMessage(`{"google":{}}`)}}}},
				chat.Message{Role: chat.Tool, ToolCallID: "1"})
			for range 2 {
				if got, err := tell(t.Context(), c, req); err != nil || strings.Contains(got, "wait") {
					t.Fatal(got, err)
				}
			}
			for i, r := range s.Requests() {
				if has := strings.Contains(string(r.Body), field); has != (i == 0) {
					t.Errorf("request %d: %s: %v", i, field, has)
				}
			}
		})
	}
	t.Run("refused for good", func(t *testing.T) {
		s := providertest.New(t, "answer times 2\nfail 400 stream_options and more are not supported")
		_, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
		check(t, err, fault.CodeBadRequest, "stream_options")
	})
}

func TestKeys(t *testing.T) {
	ok := func() (string, error) { return secret + "\n", nil }
	s := providertest.New(t, "key "+secret+"\nanswer always\ntext a")
	cfg := patient(s)
	_, err := tell(t.Context(), openai.New(cfg), user("hi"))
	check(t, err, fault.CodeKeyMissing, "asks for a key|settings")

	cfg.Key = func() (string, error) { return secret[:20] + "WRONG", nil }
	_, err = tell(t.Context(), openai.New(cfg), user("hi"))
	check(t, err, fault.CodeKeyRejected, "does not accept the key|***")

	cfg.Key = func() (string, error) { return "two\nlines", nil }
	_, err = tell(t.Context(), openai.New(cfg), user("hi"))
	check(t, err, fault.CodeKeyRejected, "line break")

	cfg.Key = func() (string, error) { return "", fault.New(fault.Internal, "the keyring is locked") }
	_, err = tell(t.Context(), openai.New(cfg), user("hi"))
	check(t, err, fault.CodeKeyMissing, "the keyring is locked")

	cfg.Key = ok
	if got, err := tell(t.Context(), openai.New(cfg), user("hi")); err != nil || !strings.Contains(got, "text") {
		t.Error(got, err)
	}
	if c := openai.New(cfg); strings.Contains(c.String(), secret) || !strings.HasPrefix(c.String(), "Test at 127.0.0.1:") {
		t.Error(c.String())
	}
}

// TestPlainKey checks the addresses to which a key is sent without encryption.
func TestPlainKey(t *testing.T) {
	s := providertest.NewPipe(t, "answer always\ntext a")
	for url, sent := range map[string]bool{
		"http://127.0.0.1:1": true, "http://[::1]:1": true, "http://localhost": true, "http://ollama:11434": true,
		"http://192.168.1.4": true, "http://10.0.0.1": true, "http://100.90.1.1": true, "http://box.lan": true, "http://[fd00::1]": true,
		"http://api.example.com": false, "http://8.8.8.8": false, "http://localhost.example.com": false, "http://[2001:4860::1]": false,
	} {
		cfg := openai.Config{BaseURL: url + "/v1", Transport: s.Transport(), Key: func() (string, error) { return secret, nil }}
		before := len(s.Requests())
		_, err := tell(t.Context(), openai.New(cfg), user("hi"))
		if !sent {
			check(t, err, fault.CodeKeyRejected, "not encrypted|https://")
			cfg.PlainKey = true
			_, err = tell(t.Context(), openai.New(cfg), user("hi"))
		}
		if err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if got := s.Requests()[before:]; len(got) != 1 || got[0].Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s: %d requests", url, len(got))
		}
	}
}

// TestRedirects has a server that sends requests elsewhere: only to itself are
// they followed, so that neither key nor conversation leave.
func TestRedirects(t *testing.T) {
	other := providertest.New(t, "answer always\ntext a")
	there := strings.TrimSuffix(other.URL, "/v1")
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		s := providertest.New(t, "status "+status+"\nheader Location: "+there+"/v1/chat/completions\nbody moved")
		cfg := patient(s)
		cfg.Key = func() (string, error) { return secret, nil }
		_, err := tell(t.Context(), openai.New(cfg), user("hi"))
		check(t, err, fault.CodeBadRequest, "redirect to "+there)
	}
	if r := other.Requests(); len(r) != 0 {
		t.Errorf("%d requests went elsewhere", len(r))
	}
	s := providertest.New(t, "status 307\nheader Location: /v1/chat/completions\nbody moved\nanswer\ntext a")
	if got, err := tell(t.Context(), openai.New(patient(s)), user("hi")); err != nil || !strings.Contains(got, "text") {
		t.Error(got, err)
	}
	if r := s.Requests(); len(r) != 2 || string(r[1].Body) != string(r[0].Body) || r[1].Method != http.MethodPost {
		t.Error("the request that followed a redirect is another one")
	}
}

// A server redirects in a circle: entering the same address again would not help.
func TestRedirectsInACircle(t *testing.T) {
	for _, redirect := range []string{"307\nheader Location: /v1/chat/completions", "308\nheader Location: /v1/chat/completions?n=1", "301\nheader Location: /v1/chat/completions"} {
		s := providertest.New(t, "answer always\nstatus "+redirect+"\nbody moved")
		_, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
		check(t, err, fault.CodeBadRequest, "in a circle")
		if strings.Contains(err.Error(), "enter it as") {
			t.Errorf("%s: %v", redirect, err)
		}
	}
	// Another path of the same server may be the right one.
	s := providertest.New(t, "status 301\nheader Location: /v2/chat/completions\nbody moved")
	_, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
	check(t, err, fault.CodeBadRequest, "enter it as the provider's address")
}

func TestAddressWithTheEndpoint(t *testing.T) {
	s := providertest.New(t, "answer times 2\ntext a")
	for _, tail := range []string{"/", "/chat/completions"} {
		cfg := patient(s)
		cfg.BaseURL += tail
		if _, err := tell(t.Context(), openai.New(cfg), user("hi")); err != nil {
			t.Errorf("%s: %v", tail, err)
		}
	}
}

func TestRateLimit(t *testing.T) {
	s := providertest.New(t, "header x-ratelimit-limit-requests: 60\nheader x-ratelimit-remaining-requests: 59\nheader x-ratelimit-limit-tokens: 1000\nheader x-ratelimit-remaining-tokens: 12\ntext a")
	c := openai.New(patient(s))
	if _, err := tell(t.Context(), c, user("hi")); err != nil {
		t.Fatal(err)
	}
	if l := c.RateLimit(); l.Requests != 60 || l.RequestsLeft != 59 || l.Tokens != 1000 || l.TokensLeft != 12 {
		t.Errorf("%+v", l)
	}
}

// Gemini wants the signature of its thoughts back with a call and, if another model made the call,
// the value from its documentation.
func TestSignaturesOfThoughts(t *testing.T) {
	s := providertest.New(t, `status 400
body [{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.","status":"INVALID_ARGUMENT"}}]
answer times 2
text a`)
	call := func(id string, extra map[string]json.RawMessage) chat.ToolCall {
		return chat.ToolCall{ID: id, Type: "function", Function: chat.Function{Name: "ls", Arguments: "{}"}, Extra: extra}
	}
	signed := map[string]json.RawMessage{"extra_content": json.RawMessage(`{"google":{"thought_signature":"its+own="}}`)}
	req := user("hi")
	req.Messages = append(req.Messages,
		chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("1", signed), call("2", nil)}},
		chat.Message{Role: chat.Tool, ToolCallID: "1"}, chat.Message{Role: chat.Tool, ToolCallID: "2"},
		chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{call("3", nil), call("4", nil)}},
		chat.Message{Role: chat.Tool, ToolCallID: "3"}, chat.Message{Role: chat.Tool, ToolCallID: "4"})
	c := openai.New(patient(s))
	for range 2 {
		if got, err := tell(t.Context(), c, req); err != nil || strings.Contains(got, "wait") {
			t.Fatal(got, err)
		}
	}
	for i, r := range s.Requests() {
		var body struct{ Messages []chat.Message }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range body.Messages {
			for _, c := range m.ToolCalls {
				got = append(got, c.ID+string(c.Extra["extra_content"]))
			}
		}
		want := `1{"google":{"thought_signature":"its+own="}} 2 3 4`
		if i > 0 {
			want = strings.Replace(want, " 3 ", ` 3{"google":{"thought_signature":"skip_thought_signature_validator"}} `, 1)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("request %d: %s", i, got)
		}
	}
	if req.Messages[4].ToolCalls[0].Extra != nil {
		t.Error("the messages given were changed")
	}
}

// OpenAI refuses fields that it does not know.
func TestOpenAIGetsNothingThatAnotherServerAdded(t *testing.T) {
	for url, has := range map[string]bool{"http://api.openai.com/v1": false, "http://models.example/v1": true} {
		synctest.Test(t, func(t *testing.T) {
			s := providertest.NewPipe(t, "text a")
			req := user("hi")
			req.Messages = append(req.Messages, chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{
				ID: "1", Function: chat.Function{Name: "ls"}, Extra: map[string]json.RawMessage{"extra_content": json.RawMessage(`{}`)},
			}}}, chat.Message{Role: chat.Tool, ToolCallID: "1"})
			if _, err := tell(t.Context(), openai.New(openai.Config{Name: "Test", BaseURL: url, Transport: s.Transport()}), req); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(s.Requests()[0].Body), "extra_content") != has {
				t.Errorf("%s: %s", url, s.Requests()[0].Body)
			}
		})
	}
}
