package workspace

import (
	"fmt"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/loopdetect"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
	"mutsumi/backend/tokens"
)

// How often the tree is told of a run that goes on.
const (
	pulse      = time.Second            // what it used, and how long it still waits
	actionRest = 250 * time.Millisecond // what it does, while it streams
)

// doing is what a run does at the moment, for the tree. It is reached in a Tx.
type doing struct {
	action  string
	told    string               // the action that the tree was told of
	sinceMs int64                // when it was told of that
	toldMs  int64                // when it was told last
	output  *tokens.Stream       // of an answer whose usage is not known yet; nil: nothing came
	loops   *loopdetect.Detector // nil before the run goes out
	said    string               // by the agent, last: the beginning of it
}

// maxSaid is how many bytes of an agent's last text are kept.
const maxSaid = 3200

// puts takes in a finished message.
func (g *doing) puts(m chat.Message) {
	if text := m.Content.String(); m.Role == chat.Assistant && text != "" {
		g.said = clip.Bytes(text, maxSaid)
	}
}

// waitsForApproval begins what the agent says before it asks. Most of what it
// asks is granted already, so the tree hears of it with the request or not at all.
const waitsForApproval = "waiting for approval"

// waitsForTurn is what an agent does that waits for a slot.
const waitsForTurn = "waiting for its turn"

// acts takes in what the agent says it does.
func (tx queueTx) acts(r *run, text string) {
	if strings.HasPrefix(text, waitsForApproval) && tx.active == r {
		r.doing.action = text
		tx.w.registry.setLive(tx.path(), tx.live(), false)
		return
	}
	tx.tellLive(text)
}

// streams takes in a piece of an answer, and tells the tree now and then.
func (tx queueTx) streams(r *run, delta event.Delta) {
	if r.doing.output == nil {
		r.doing.output = tx.w.counter(r.model).Stream()
	}
	r.doing.output.Add(delta.Text)
	r.doing.output.Add(delta.Reasoning)
	if r.doing.loops != nil {
		r.doing.loops.Heard(time.Now())
	}
	action := r.doing.action
	switch {
	case delta.Text != "":
		action = "answering"
	case delta.Reasoning != "":
		action = "thinking"
	}
	for _, c := range delta.ToolCalls {
		r.doing.output.Add(c.Name)
		r.doing.output.Add(c.Arguments)
		if c.Name != "" {
			action = "preparing " + c.Name
		}
	}
	now := nowMs()
	other := action != r.doing.told && now-r.doing.sinceMs >= actionRest.Milliseconds()
	r.doing.action = action
	if other || now-r.doing.toldMs >= pulse.Milliseconds() {
		tx.tellLive("")
	}
}

// pulse tells the tree of the notebook's run every second until the function
// it returns is called, which waits for the last time.
func (d *doc) pulse() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(pulse)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				d.do(func(tx *Tx) { tx.runs().tellLive("") })
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// tellLive tells the tree what runs here; action "" is what it did before.
func (tx queueTx) tellLive(action string) {
	if r := tx.active; r != nil {
		if action != "" {
			r.doing.action = action
		}
		if r.doing.toldMs = nowMs(); r.doing.action != r.doing.told {
			r.doing.told, r.doing.sinceMs = r.doing.action, r.doing.toldMs
		}
	}
	tx.w.registry.setLive(tx.path(), tx.live(), true)
}

// live is what the tree knows of what runs here.
func (tx queueTx) live() agenttree.Live {
	l := agenttree.Live{Queued: len(tx.queue) > 0, NeedsYou: tx.w.waitsFor(tx.path())}
	r := tx.active
	if r == nil {
		if l.Queued {
			l.Action = waitsForTurn
		}
		return l
	}
	l.Running, l.StartedMs, l.Action, l.Spent = true, r.startedMs, r.doing.action, inTree(tx.spending().streaming())
	switch left := r.waitMs - nowMs(); {
	case r.waitMs > 0 && tx.w.isPaused():
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
	if tx.active.over || tx.active.doing.output == nil {
		return t
	}
	usage := chat.Usage{Output: tx.active.doing.output.Tokens(), Estimated: true}
	return t.Add(totalOf(tx.w.prices(), &notebook.RunInfo{Model: tx.active.model, Usage: &usage}))
}

// head is what the tree knows of a notebook, from memory.
func (tx *Tx) head(known head) head {
	m := tx.nb.Meta()
	h := known
	h.File, h.UUID, h.Name, h.ParentID = tx.path(), m.UUID, m.Name, m.ParentID
	h.CreatedAt, h.Finished, h.Kind = m.CreatedAt, m.Finished, m.AgentType
	h.Interrupted, h.EndedMs, h.Elsewhere, h.process = false, 0, "", process.ID{}
	if last := tx.nb.LastRun(); last != nil {
		h.Interrupted, h.EndedMs = last.Outcome == notebook.Interrupted, last.EndedMs()
		if h.Interrupted && known.Elsewhere != "" && known.process.IsSelf() { // it runs under its old name
			h.Interrupted, h.Elsewhere, h.process = false, known.Elsewhere, known.process
		}
		if last.Outcome == notebook.Elsewhere {
			h.Elsewhere, h.process = runningIn(*last.Process()), *last.Process()
		}
	}
	h.allowed = string(tx.nb.Raw(keyAllowed))
	h.tally, h.TimeMs, h.Spent = tx.tally, tx.tally.TimeMs, inTree(tx.total)
	if h.Name == "" {
		h.Name = nameOf(tx.path())
	}
	return h
}

// headChanged takes what the tree shows from a document in memory.
func (w *Workspace) headChanged(tx *Tx) {
	changed := map[string]bool{tx.nb.UUID(): true}
	before := w.registry.headAt(tx.path())
	same := before.UUID == tx.nb.UUID()
	changed[before.UUID] = true
	var kept map[string]string
	if !same {
		kept = w.keptFiles(changed)
	}
	w.registry.index(func(ix *index) {
		before = ix.heads[tx.path()]
		next := tx.head(before)
		l, runs := ix.live[tx.path()], tx.active != nil
		if l.Running && runs && tx.active.over || !runs {
			l.Spent = agenttree.Total{} // it is in the head from now on
		}
		if next != before || l != ix.live[tx.path()] {
			ix.heads[tx.path()], ix.live[tx.path()] = next, l
			if !same {
				ix.claim(changed, kept)
			}
			ix.tellTree()
		}
	})
}

// headOpened takes the totals of a notebook that was opened and had none.
func (w *Workspace) headOpened(tx *Tx) {
	if known := w.registry.headAt(tx.path()); known.File != "" && known.tally == nil && known.Problem == "" {
		w.headChanged(tx)
	}
}
