package openai_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

// TestModels has the lists of the servers that there are.
func TestModels(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"OpenAI":     {`{"object":"list","data":[{"id":"gpt-4o","object":"model"},{"id":"gpt-4o"},{"id":"o3"},{"id":""}]}`, "gpt-4o;o3"},
		"OpenRouter": {`{"data":[{"id":"a/b","name":"A: B","context_length":131072,"architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools","max_tokens"]}]}`, "a/b (A: B) 131072 images+ tools+ reasoning-"},
		"Mistral":    {`{"data":[{"id":"m","name":"m","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":true,"vision":false}}]}`, "m 32768 images- tools+"},
		"llama.cpp":  {`{"models":[{"name":"x"}],"object":"list","data":[{"id":"q.gguf","meta":{"n_ctx_train":40960}}]}`, "q.gguf 40960"},
		"vLLM":       {`{"object":"list","data":[{"id":"Qwen","max_model_len":8192}]}`, "Qwen 8192"},
		"Together":   {`[{"id":"t","context_length":4096}]`, "t 4096"},
		"Gemini":     {`{"object":"list","data":[{"id":"models/gemini-2.5-pro"}]}`, "gemini-2.5-pro"},
		"Ollama":     {`{"models":[{"name":"llama3:8b","capabilities":["completion","vision"]}]}`, "llama3:8b images+ tools-"},
		"none":       {`{"object":"list","data":null}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+secret {
					t.Errorf("%s %v", r.URL, r.Header)
				}
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			list, err := openai.New(openai.Config{BaseURL: s.URL + "/v1", Key: func() (string, error) { return secret, nil }}).Models(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range list {
				got = append(got, describe(m))
			}
			if s := strings.Join(got, ";"); s != c.want {
				t.Errorf("got %q, want %q", s, c.want)
			}
		})
	}
}

func describe(m exchange.ModelInfo) string {
	s := m.ID
	if m.Name != "" {
		s += " (" + m.Name + ")"
	}
	if m.ContextTokens > 0 {
		s += fmt.Sprint(" ", m.ContextTokens)
	}
	for _, x := range []struct {
		word string
		is   *bool
	}{{"images", m.Images}, {"tools", m.Tools}, {"reasoning", m.Reasoning}} {
		if x.is != nil {
			s += " " + x.word + map[bool]string{true: "+", false: "-"}[*x.is]
		}
	}
	return s
}

func TestModelsFaults(t *testing.T) {
	for body, code := range map[string]string{
		"<!doctype html><title>Welcome</title>": fault.CodeNotAStream,
		`{"message":"hello"}`:                   fault.CodeNotAStream,
		`"text"`:                                fault.CodeNotAStream,
		"":                                      fault.CodeNotAStream,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		_, err := openai.New(openai.Config{Name: "Test", BaseURL: s.URL}).Models(t.Context())
		check(t, err, code, "Test does not give a list|/v1")
		s.Close()
	}
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`)
		}))
		_, err := openai.New(openai.Config{Name: "Test", BaseURL: s.URL}).Models(t.Context())
		check(t, err, fault.CodeBadRequest, "Test does not give a list of models|The model does not exist|/v1|name its models")
		s.Close()
	}
	s := providertest.New(t, "key "+secret)
	c := openai.New(openai.Config{Name: "Test", BaseURL: s.URL, Key: func() (string, error) { return "sk-wrong-key-of-somebody", nil }})
	_, err := c.Models(t.Context())
	check(t, err, fault.CodeKeyRejected, "Test does not accept the key")
	s.Close()
	_, err = c.Models(t.Context())
	check(t, err, fault.CodeUnreachable, "connection refused")
}
