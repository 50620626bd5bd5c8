package settings

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestDiscover(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	answers := map[string]http.HandlerFunc{
		"ollama": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"llama3.2:3b","object":"model","owned_by":"library"},{"id":"nomic-embed-text"},{"id":""}]}`))
		},
		"llamacpp": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"models":[],"object":"list","data":[{"id":"/m/deepseek-chat.gguf","meta":{"n_ctx_train":4096}}]}`))
		},
		"vllm": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"gpt-5","max_model_len":1234}]}`))
		},
		"page":     func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) },
		"json":     func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(`{"data":"something"}`)) },
		"null":     func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(`{"object":"list","data":null}`)) },
		"locked":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			chunk := []byte(`{"object":"list","data":[{"id":"` + strings.Repeat("x", 1<<16))
			for {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
		"silent": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	var servers []localServer
	for id, h := range answers {
		srv := httptest.NewServer(h)
		defer srv.Close()
		servers = append(servers, localServer{id, id, portOf(t, srv.URL)})
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	servers = append(servers, localServer{"closed", "closed", closed.Addr().(*net.TCPAddr).Port})
	must(t, closed.Close())
	t.Setenv("HTTP_PROXY", other.URL)
	start := time.Now()
	found := map[string]ProviderView{}
	for _, p := range discover(context.Background(), servers, 12*time.Second) { // enough time for those that answer
		found[p.ID] = p
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("it took %v", d)
	}
	if len(found) != 3 || elsewhere.Load() != 0 {
		t.Errorf("found %v, %d requests went elsewhere", found, elsewhere.Load())
	}
	if m := found["ollama"].Models; len(m) != 1 || m[0].ID != "llama3.2:3b" || m[0].ContextTokens != 131072 {
		t.Errorf("Ollama's models are %+v", m)
	}
	if m := found["llamacpp"].Models; len(m) != 1 || m[0].ContextTokens != 4096 || m[0].InputPrice != 0 {
		t.Errorf("llama.cpp's models are %+v", m)
	}
	if m := found["vllm"].Models; len(m) != 1 || m[0].ContextTokens != 1234 || m[0].OutputPrice != 0 {
		t.Errorf("vLLM's models are %+v", m)
	}
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	port, err := strconv.Atoi(u.Port())
	must(t, err)
	return port
}

func TestDiscovered(t *testing.T) {
	s := store(t, "providers: [{id: mine, baseUrl: 'http://localhost:11434/v1'}]\n")
	s.SetBuiltIn("http://127.0.0.1:1", "", []ModelView{{ID: "guide"}})
	found := []ProviderView{
		{ID: "ollama", BaseURL: "http://127.0.0.1:11434/v1", Source: FromDiscovery, Models: []ModelView{{ID: "a"}}},
		{ID: "vllm", BaseURL: "http://127.0.0.1:8000/v1", Source: FromDiscovery, Models: []ModelView{{ID: "b"}}},
	}
	if !s.SetDiscovered(found) || s.SetDiscovered(found) {
		t.Error("a change is reported wrongly")
	}
	var ids []string
	for _, p := range s.View().Providers {
		ids = append(ids, p.ID)
	}
	// The server that the person entered is not listed a second time.
	if strings.Join(ids, " ") != "mine vllm builtin" {
		t.Errorf("the providers are %v", ids)
	}
	if e, err := s.Resolve("", ""); err != nil || e.ProviderID != "vllm" {
		t.Errorf("the default is %+v, %v", e, err)
	}
	if key, err := s.Key("vllm"); err != nil || key != "" {
		t.Errorf("the key is %q, %v", key, err)
	}
}
