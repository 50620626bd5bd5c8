package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
)

// BenchmarkStream reads answers of 1,000 chunks, as many as there are tokens,
// over loopback.
func BenchmarkStream(b *testing.B) {
	const tokens = 1000
	chunk := `data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	body := strings.Repeat(chunk, tokens) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	c := openai.New(openai.Config{BaseURL: s.URL})
	req := user("hi")
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := c.Stream(b.Context(), req, func(ch provider.Chunk) error { n += len(ch.Text); return nil }); err != nil || n != tokens*6 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.N)*tokens/b.Elapsed().Seconds(), "tokens/s")
}
