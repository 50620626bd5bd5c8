package agent_test

import (
	"context"
	"strings"
	"testing"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/tool"
)

// Documents that an agent reads stay in the conversation. A document that would make the request
// too large for the server is replaced by a note, in the run that reads it and in every later one,
// so that the agent can go on.
func TestMoreDocumentsThanARequestTakes(t *testing.T) {
	paper := func(context.Context, tool.Env, struct{}) tool.Result {
		return tool.Result{Content: "[a paper]", Images: []chat.Part{{Type: chat.PartFile, File: &chat.File{Name: "a.pdf", Data: "data:application/pdf;base64,JVBERi0xLjc=", Pages: 4}}}}
	}
	for _, c := range []struct {
		takes      chat.Documents
		sent, left int
	}{
		{chat.Documents{Taken: true}, 3, 0},
		{chat.Documents{Taken: true, Pages: 9, Of: "a request"}, 2, 1},
		{chat.Documents{Taken: true, Bytes: 20, Of: "a request"}, 2, 1},
		{chat.Documents{}, 0, 3},
	} {
		server := providertest.New(t, "answer\ncall 0 a paper {}\nanswer\ncall 0 b paper {}\nanswer\ncall 0 c paper {}\nanswer always\ntext ok")
		cfg := agent.Config{
			Model: openai.New(openai.Config{BaseURL: server.URL}), Documents: c.takes,
			Tools:    tool.NewRegistry(tool.New(tool.Spec{Name: "paper", Description: "Shows a paper.", Reads: true}, paper)),
			Messages: []chat.Message{{Role: chat.User, Content: chat.Text("read")}},
		}
		cfg.Request.Model = "m"
		kept := cfg.Messages
		agent.Run(t.Context(), cfg, func(u agent.Update) {
			if put, ok := u.(agent.Put); ok {
				kept = append(kept, put.Message)
			}
		})
		requests := server.Requests()
		body := string(requests[len(requests)-1].Body)
		if sent, left := strings.Count(body, `"type":"file"`), strings.Count(body, "[a.pdf is left out: "); sent != c.sent || left != c.left {
			t.Errorf("%+v: %d were sent and %d left out: %s", c.takes, sent, left, body)
		}
		cfg.Messages = kept
		first, _ := agent.First(cfg)
		sent, left := 0, 0
		for _, m := range first.Messages {
			left += strings.Count(m.Content.String(), "[a.pdf is left out: ")
			for _, p := range m.Content.Parts {
				if p.File != nil {
					sent++
				}
			}
		}
		if sent != c.sent || left != c.left {
			t.Errorf("%+v: a later run sends %d and leaves out %d", c.takes, sent, left)
		}
	}
}
