package settings

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// localServer is a server that people run models with on their own machine.
type localServer struct {
	id, name string
	port     int
}

var localServers = []localServer{
	{"ollama", "Ollama", 11434},
	{"lmstudio", "LM Studio", 1234},
	{"llamacpp", "llama.cpp", 8080},
	{"vllm", "vLLM", 8000},
}

const (
	probeTime  = 800 * time.Millisecond
	probeLimit = 1 << 20 // bytes of an answer
)

// Discover asks the usual ports of this machine, in parallel and for less than a second, for
// servers that speak the OpenAI chat API. It connects to 127.0.0.1 only, uses no proxy and follows
// no redirect. The caller passes the result to SetDiscovered.
func Discover(ctx context.Context) []ProviderView {
	return discover(ctx, localServers, probeTime)
}

func discover(ctx context.Context, servers []localServer, within time.Duration) []ProviderView {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	transport := &http.Transport{Proxy: nil, DisableKeepAlives: true, ResponseHeaderTimeout: within}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	found := make([]*ProviderView, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() { found[i] = server.probe(ctx, client) })
	}
	wg.Wait()
	out := []ProviderView{}
	for _, p := range found {
		if p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// modelList is the answer to GET /v1/models, with what some servers add.
type modelList struct {
	Object string `json:"object"`
	Data   []struct {
		ID          string `json:"id"`
		MaxModelLen int    `json:"max_model_len"` // vLLM
		Meta        struct {
			Context int `json:"n_ctx_train"` // llama.cpp
		} `json:"meta"`
	} `json:"data"`
}

func (l localServer) probe(ctx context.Context, client *http.Client) *ProviderView {
	base := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port)) + "/v1"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	var list modelList
	// Anything may listen on 8080: accept only what looks like a list of models.
	if err := json.NewDecoder(io.LimitReader(resp.Body, probeLimit)).Decode(&list); err != nil || list.Object != "list" || list.Data == nil {
		return nil
	}
	p := &ProviderView{ID: l.id, Name: l.name, BaseURL: base, Source: FromDiscovery, Key: KeyView{Store: "none"}, Models: []ModelView{}}
	for _, d := range list.Data {
		if d.ID == "" || !chats(d.ID) {
			continue
		}
		m := free(Known(d.ID))
		if d.MaxModelLen > 0 {
			m.ContextTokens = d.MaxModelLen
		} else if d.Meta.Context > 0 {
			m.ContextTokens = d.Meta.Context
		}
		p.Models = append(p.Models, m)
	}
	return p
}
