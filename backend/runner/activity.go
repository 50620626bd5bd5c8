package runner

import (
	"fmt"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/loopdetect"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tokens"
)

// How often the tree is told of a run that goes on.
const (
	heartbeat      = time.Second            // what it used, and how long it still waits
	actionInterval = 250 * time.Millisecond // what it does, while it streams
)

// activity is what a run does at the moment, for the tree. It is reached in a Tx.
type activity struct {
	action      string
	published   string               // the action that the tree was told of
	changedMs   int64                // when it was told of that
	publishedMs int64                // when it was told last
	output      *tokens.Stream       // of an answer whose usage is not known yet; nil: nothing came
	loops       *loopdetect.Detector // nil before the run goes out
	lastText    string               // by the agent, last: the beginning of it
}

// maxLastText is how many bytes of an agent's last text are kept.
const maxLastText = 3200

// noteMessage takes in a finished message.
func (g *activity) noteMessage(m chat.Message) {
	if text := m.Content.String(); m.Role == chat.Assistant && text != "" {
		g.lastText = clip.Bytes(text, maxLastText)
	}
}

// waitsForApproval begins what the agent says before it asks. Most of what it
// asks is granted already, so the tree hears of it with the request or not at all.
const waitsForApproval = "waiting for approval"

// waitsForTurn is what an agent does that waits for a slot.
const waitsForTurn = "waiting for its turn"

// setAction takes in what the agent says it does.
func (tx queueTx) setAction(r *run, text string) {
	if strings.HasPrefix(text, waitsForApproval) && tx.active == r {
		r.activity.action = text
		tx.runner.registry.SetLive(tx.Path(), tx.live(), false)
		return
	}
	tx.publishActivity(text)
}

// noteDelta takes in a piece of an answer, and tells the tree now and then.
func (tx queueTx) noteDelta(r *run, delta event.Delta) {
	if r.activity.output == nil {
		r.activity.output = tx.runner.with.Counters.For(r.model).Stream()
	}
	r.activity.output.Add(delta.Text)
	r.activity.output.Add(delta.Reasoning)
	if r.activity.loops != nil {
		r.activity.loops.Heard(time.Now())
	}
	action := r.activity.action
	switch {
	case delta.Text != "":
		action = "answering"
	case delta.Reasoning != "":
		action = "thinking"
	}
	for _, c := range delta.ToolCalls {
		r.activity.output.Add(c.Name)
		r.activity.output.Add(c.Arguments)
		if c.Name != "" {
			action = "preparing " + c.Name
		}
	}
	now := nowMs()
	other := action != r.activity.published && now-r.activity.changedMs >= actionInterval.Milliseconds()
	r.activity.action = action
	if other || now-r.activity.publishedMs >= heartbeat.Milliseconds() {
		tx.publishActivity("")
	}
}

// startHeartbeat tells the tree of the notebook's run every second until the function
// it returns is called, which waits for the last time.
func (d *doc) startHeartbeat() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				d.do(func(tx *Tx) { tx.runs().publishActivity("") })
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// publishActivity tells the tree what runs here; action "" is what it did before.
func (tx queueTx) publishActivity(action string) {
	if r := tx.active; r != nil {
		if action != "" {
			r.activity.action = action
		}
		if r.activity.publishedMs = nowMs(); r.activity.action != r.activity.published {
			r.activity.published, r.activity.changedMs = r.activity.action, r.activity.publishedMs
		}
	}
	tx.runner.registry.SetLive(tx.Path(), tx.live(), true)
}

// live is what the tree knows of what runs here.
func (tx queueTx) live() agenttree.Live {
	l := agenttree.Live{Queued: len(tx.queue) > 0, NeedsYou: tx.runner.with.Approvals.WaitsFor(tx.Path())}
	r := tx.active
	if r == nil {
		if l.Queued {
			l.Action = waitsForTurn
		}
		return l
	}
	l.Running, l.StartedMs, l.Action, l.Spent = true, r.startedMs, r.activity.action, documents.TreeTotal(tx.spending().streaming())
	switch left := r.waitMs - nowMs(); {
	case r.waitMs > 0 && tx.runner.Paused():
		l.Action = pausedAction
	case left > 0:
		l.Action = fmt.Sprintf("trying again in %d s", (left+999)/1000)
	}
	if l.WaitsForSlot = r.waitsForSlot; l.WaitsForSlot {
		l.Action = waitsForTurn
	}
	l.Advice = tx.advice(l)
	return l
}

// streaming is what the run that writes into the notebook has used so far,
// with an estimate of what is streaming.
func (tx spendingTx) streaming() cost.Total {
	t := tx.underWay()
	if tx.active.finished || tx.active.activity.output == nil {
		return t
	}
	usage := chat.Usage{Output: tx.active.activity.output.Tokens(), Estimated: true}
	return t.Add(documents.RunCost(tx.runner.with.Prices.Table(), &notebook.RunInfo{Model: tx.active.model, Usage: &usage}))
}
