package providertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
)

// Streamer is a client of any protocol.
type Streamer interface {
	Stream(ctx context.Context, req provider.Request, emit func(provider.Chunk) error) error
}

// Tell streams req and logs the chunks, line by line.
func Tell(ctx context.Context, c Streamer, req provider.Request) (string, error) {
	var b strings.Builder
	err := c.Stream(ctx, req, func(ch provider.Chunk) error {
		if ch.Wait != nil && !ch.Wait.Until.IsZero() {
			fmt.Fprintf(&b, "wait %d %s\n", ch.Wait.Attempt, ch.Wait.Reason)
		}
		if ch.Model != "" {
			fmt.Fprintf(&b, "model %s\n", ch.Model)
		}
		if ch.Kept != nil {
			for _, k := range ch.Kept.Items {
				fmt.Fprintf(&b, "kept %d %d %s\n", k.Text, k.Calls, k.Item)
			}
		}
		if ch.Reasoning != "" {
			fmt.Fprintf(&b, "reasoning %q\n", ch.Reasoning)
		}
		if ch.Text != "" {
			fmt.Fprintf(&b, "text %q\n", ch.Text)
		}
		for _, d := range ch.ToolCalls {
			id := d.ID
			if strings.HasPrefix(id, "call_") && len(id) > 20 {
				id = "(made)"
			}
			fmt.Fprintf(&b, "call %d %s %s %s", d.Index, id, d.Name, d.Arguments)
			for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
				fmt.Fprintf(&b, " %s=%s", key, d.Extra[key])
			}
			b.WriteByte('\n')
		}
		if ch.FinishReason != "" {
			fmt.Fprintf(&b, "finish %s\n", ch.FinishReason)
		}
		if u := ch.Usage; u != nil {
			fmt.Fprintf(&b, "usage %d %d %d %d\n", u.Input, u.Cached, u.Output, u.Reasoning)
		}
		return nil
	})
	return b.String(), err
}

// Message streams req and returns the answer as a message.
func Message(ctx context.Context, c Streamer, req provider.Request) (chat.Message, error) {
	m := chat.Message{Role: chat.Assistant}
	err := c.Stream(ctx, req, func(ch provider.Chunk) error {
		m.Content = chat.Text(m.Content.String() + ch.Text)
		m.ReasoningContent += ch.Reasoning
		m.Kept = m.Kept.Join(ch.Kept, 0)
		for _, d := range ch.ToolCalls {
			if d.Index == len(m.ToolCalls) {
				m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: d.ID, Type: "function", Function: chat.Function{Name: d.Name}})
			}
			m.ToolCalls[d.Index].Function.Arguments += d.Arguments
		}
		return nil
	})
	return m, err
}

// CheckFault checks for a provider fault with code and words, separated by |, that contains secret
// nowhere.
func CheckFault(t testing.TB, err error, code, words, secret string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Provider || f.Code != code {
		t.Fatalf("err = %+v, want code %s", err, code)
	}
	for _, w := range strings.Split(words, "|") {
		if !strings.Contains(f.Message, w) {
			t.Errorf("message %q lacks %q", f.Message, w)
		}
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error(), secret) || strings.Contains(e.Error(), secret[4:16]) {
			t.Errorf("the key is in %q", e)
		}
	}
	if strings.ContainsAny(f.Message, "\n\r\t\x1b") {
		t.Errorf("control characters in %q", f.Message)
	}
}
