package serve

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/clip"
)

// writingEvery is how often a client hears how much of an answer has come.
const writingEvery = time.Second

// progress reports to a client what its run does, if it asked for that.
type progress struct {
	ctx     context.Context
	session *mcp.ServerSession
	token   any // nil: it did not ask
	count   float64
	last    string
	chars   int
	told    time.Time // when writing was last reported
}

func progressOf(ctx context.Context, r *mcp.CallToolRequest) *progress {
	return &progress{ctx: context.WithoutCancel(ctx), session: r.Session, token: r.Params.GetProgressToken()}
}

// say reports what the run does, once for each change.
func (p *progress) say(what string) {
	if what = clip.OneLine(what); p.token == nil || what == "" || what == p.last {
		return
	}
	p.last = what
	p.count++
	// If the client cannot be reached, the server ends, and with it the run.
	_ = p.session.NotifyProgress(p.ctx, &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.count, Message: what})
}

// writing counts how much of the answer has come.
func (p *progress) writing(text string) {
	p.chars += utf8.RuneCountInString(text)
	if now := time.Now(); text != "" && now.Sub(p.told) >= writingEvery {
		p.told = now
		p.say(fmt.Sprintf("writing: %d characters", p.chars))
	}
}
