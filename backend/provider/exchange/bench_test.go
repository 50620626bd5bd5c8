package exchange_test

import (
	"io"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// long is a request of 12 MB: text with line breaks and quotes, and calls.
func long() provider.Request {
	req := provider.Request{Model: "m1", Messages: []chat.Message{{Role: chat.System, Content: chat.Text("Be brief.")}}}
	text := strings.Repeat("\tif x := \"a line of code\"; x != y { return }\n", 1300)
	for range 50 {
		req.Messages = append(req.Messages, conversation(1).Messages[1:]...)
		for i := range 2 {
			m := &req.Messages[len(req.Messages)-4+2*i]
			m.Content = chat.Text(text + text)
		}
	}
	return req
}

// BenchmarkBody writes the body of a request of 12 MB, in each protocol.
// BenchmarkBody/copy is the floor: the same bytes copied.
func BenchmarkBody(b *testing.B) {
	req := long()
	for _, wire := range []string{"chat", "messages", "responses"} {
		c := wires[wire](exchange.Config{BaseURL: "http://127.0.0.1/v1"})
		body, err := c.Body(req)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(wire, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Body(req); err != nil {
					b.Fatal(err)
				}
			}
		})
		if wire == "chat" {
			b.Run("copy", func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				into := make([]byte, len(body))
				for b.Loop() {
					if _, err := io.ReadFull(strings.NewReader(string(body)), into); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
