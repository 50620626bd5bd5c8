package agent_test

import (
	"context"
	"strings"
	"testing"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/anthropic"
	"mutsumi/backend/provider/exchange"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/provider/responses"
	"mutsumi/backend/tool"
)

// wires are the clients of all protocols.
var wires = map[string]func(exchange.Config) *exchange.Client{"chat": openai.New, "messages": anthropic.New, "responses": responses.New}

// The messages that a run puts contain the data that a model wants back with its answer. The next
// step sends it back, even for an answer that broke off and was continued.
func TestARunGivesBackWhatItsModelKept(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"messages", "responses"} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			srv := providertest.New(t, `
reasoning First
sign Sig-one
tool ls {}
answer
reasoning Then
sign Sig-two
text Half of it
cut
answer
text and the rest.`)
			cfg := agent.Config{
				Model:    wires[wire](exchange.Config{Name: "test", BaseURL: srv.URL, Attempts: 1}),
				Request:  provider.Request{Model: "m"},
				Messages: []chat.Message{{Role: chat.User, Content: chat.Text("hi")}},
				Tools:    tool.NewRegistry(),
			}
			var put []chat.Message
			play := func() agent.Result {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				return agent.Run(ctx, cfg, func(u agent.Update) {
					if p, ok := u.(agent.Put); ok {
						put = append(put, p.Message)
					}
				})
			}
			if res := play(); res.Outcome != agent.Broken || len(put) != 3 || len(put[0].Kept.Items) != 1 || len(put[2].Kept.Items) != 1 {
				t.Fatalf("%+v, %+v", res, put)
			}
			cfg.Messages = append(cfg.Messages, put...)
			if res := play(); res.Outcome != agent.Done || len(put) != 5 || put[3].Role != chat.User {
				t.Fatalf("%+v, %+v", res, put)
			}
			all := srv.Requests()
			for i, want := range []string{"", "Sig-one", "Sig-one Sig-two"} {
				for _, sig := range []string{"Sig-one", "Sig-two"} {
					if strings.Contains(string(all[i].Body), sig) != strings.Contains(want, sig) {
						t.Errorf("request %d: %s", i, all[i].Body)
					}
				}
			}
		})
	}
}
