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

// How often the tree is updated during a run.
const (
	heartbeat      = time.Second            // usage, and the time left to wait
	actionInterval = 250 * time.Millisecond // the action, while an answer streams
)

// activity is what a run is doing, as the tree shows it. Access it in a Tx.
type activity struct {
	action      string               // in a few words, such as "thinking"
	published   string               // the action that was published last
	changedMs   int64                // when that action was first published
	publishedMs int64                // when anything was published last
	output      *tokens.Stream       // counts the streaming answer; nil: nothing arrived since the last usage
	loops       *loopdetect.Detector // nil before the first request
	lastText    string               // the beginning of the agent's last text
}

// maxLastText bounds activity.lastText, in bytes.
const maxLastText = 3200

// noteMessage sets the last text from a finished message.
func (g *activity) noteMessage(m chat.Message) {
	if text := m.Content.String(); m.Role == chat.Assistant && text != "" {
		g.lastText = clip.Bytes(text, maxLastText)
	}
}

// waitsForApproval prefixes the action that is set before asking for an approval. Most calls are
// already granted, so the tree shows it only with a request.
const waitsForApproval = "waiting for approval"

// waitsForTurn is the action of an agent that is queued or waits for a slot.
const waitsForTurn = "waiting for its turn"

// setAction sets the action of a run, and publishes it unless it announces an
// approval.
func (tx queueTx) setAction(r *run, text string) {
	if strings.HasPrefix(text, waitsForApproval) && tx.active == r {
		r.activity.action = text
		tx.runner.registry.SetLive(tx.Path(), tx.live(), false)
		return
	}
	tx.publishActivity(text)
}

// noteDelta updates the activity from a piece of an answer, and publishes it at intervals.
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

// startHeartbeat publishes the activity every second until stop is called, which waits for the last
// publication.
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

// publishActivity shows in the tree what runs in the notebook. action replaces that
// of the active run; "" keeps it.
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

// live returns what the tree shows of the runs of the notebook.
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

// streaming returns the usage of the active run so far, with an estimate for the answer that is
// streaming.
func (tx spendingTx) streaming() cost.Total {
	t := tx.underWay()
	if tx.active.finished || tx.active.activity.output == nil {
		return t
	}
	usage := chat.Usage{Output: tx.active.activity.output.Tokens(), Estimated: true}
	return t.Add(documents.RunCost(tx.runner.with.Prices.Table(), &notebook.RunInfo{Model: tx.active.model, Usage: &usage}))
}

// setAction publishes the active run's action in a few words.
func (d *doc) setAction(text string) {
	d.do(func(tx *Tx) {
		if tx.active != nil {
			tx.runs().publishActivity(text)
		}
	})
}
