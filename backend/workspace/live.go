package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/cost"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/process"
	"mutsumi/backend/tokens"
)

// How often the tree is told of a run that goes on.
const (
	pulse      = time.Second            // what it used, and how long it still waits
	actionRest = 250 * time.Millisecond // what it does, while it streams
)

// doing is what a run does at the moment, for the tree. Under the doc's lock.
type doing struct {
	action  string
	told    string         // the action that the tree was told of
	sinceMs int64          // when it was told of that
	toldMs  int64          // when it was told last
	output  *tokens.Stream // of an answer whose usage is not known yet; nil: nothing came
	stuck   *stuck         // nil before the run goes out
	said    string         // by the agent, last: the beginning of it
}

// puts takes in a finished message.
func (g *doing) puts(m chat.Message) {
	if text := m.Content.String(); m.Role == chat.Assistant && text != "" {
		g.said = firstPart(text, 16*noteText)
	}
}

// waitsForApproval begins what the agent says before it asks. Most of what it
// asks is granted already, so the tree hears of it with the request or not at all.
const waitsForApproval = "waiting for approval"

// waitsForTurn is what an agent does that has no seat.
const waitsForTurn = "waiting for its turn"

// acts takes in what the agent says it does. Under d.mu.
func (d *doc) acts(r *run, text string) {
	if strings.HasPrefix(text, waitsForApproval) && d.active == r {
		r.doing.action = text
		d.w.setLive(d.path(), d.live(), false)
		return
	}
	d.tellLive(text)
}

// streams takes in a piece of an answer, and tells the tree now and then.
// Under d.mu.
func (d *doc) streams(r *run, delta event.Delta) {
	if r.doing.output == nil {
		r.doing.output = d.w.counter(r.model).Stream()
	}
	r.doing.output.Add(delta.Text)
	r.doing.output.Add(delta.Reasoning)
	if r.doing.stuck != nil {
		r.doing.stuck.heard(time.Now())
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
		d.tellLive("")
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
				d.mu.Lock()
				d.tellLive("")
				d.mu.Unlock()
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// tellLive tells the tree what runs here; action "" is what it did before.
// Under d.mu.
func (d *doc) tellLive(action string) {
	if r := d.active; r != nil {
		if action != "" {
			r.doing.action = action
		}
		if r.doing.toldMs = nowMs(); r.doing.action != r.doing.told {
			r.doing.told, r.doing.sinceMs = r.doing.action, r.doing.toldMs
		}
	}
	d.w.setLive(d.path(), d.live(), true)
}

// live is what the tree knows of what runs here. Under d.mu.
func (d *doc) live() agenttree.Live {
	l := agenttree.Live{Queued: len(d.queue) > 0, NeedsYou: d.w.waitsFor(d.path())}
	r := d.active
	if r == nil {
		if l.Queued {
			l.Action = waitsForTurn
		}
		return l
	}
	l.Running, l.StartedMs, l.Action, l.Spent = true, r.startedMs, r.doing.action, inTree(d.streaming())
	switch left := r.waitMs - nowMs(); {
	case r.waitMs > 0 && d.w.isPaused():
		l.Action = pausedAction
	case left > 0:
		l.Action = fmt.Sprintf("trying again in %d s", (left+999)/1000)
	}
	if l.Unseated = r.unseated; l.Unseated {
		l.Action = waitsForTurn
	}
	l.Advice = d.advice(l)
	return l
}

// streaming is what the run that writes into the notebook has used so far,
// with an estimate of what is streaming. Under d.mu.
func (d *doc) streaming() cost.Total {
	t := d.underWay()
	if d.active.over || d.active.doing.output == nil {
		return t
	}
	usage := chat.Usage{Output: d.active.doing.output.Tokens(), Estimated: true}
	return t.Add(totalOf(d.w.prices(), &notebook.RunInfo{Model: d.active.model, Usage: &usage}))
}

// head is what the tree knows of a notebook, from memory. Under d.mu.
func (d *doc) head(known head) head {
	m := d.nb.Meta()
	h := known
	h.File, h.UUID, h.Name, h.ParentID = d.path(), m.UUID, m.Name, m.ParentID
	h.CreatedAt, h.Finished, h.Kind = m.CreatedAt, m.Finished, m.AgentType
	h.Interrupted, h.EndedMs, h.Elsewhere, h.process = false, 0, "", process.ID{}
	if last := d.nb.LastRun(); last != nil {
		h.Interrupted, h.EndedMs = last.Outcome == notebook.Interrupted, last.EndedMs()
		if h.Interrupted && known.Elsewhere != "" && known.process.IsSelf() { // it runs under its old name
			h.Interrupted, h.Elsewhere, h.process = false, known.Elsewhere, known.process
		}
		if last.Outcome == notebook.Elsewhere {
			h.Elsewhere, h.process = runningIn(*last.Process()), *last.Process()
		}
	}
	h.allowed = string(d.nb.Raw(keyAllowed))
	h.tally, h.TimeMs, h.Spent = d.tally, d.tally.TimeMs, inTree(d.total)
	if h.Name == "" {
		h.Name = nameOf(d.path())
	}
	return h
}

// headChanged takes what the tree shows from a document in memory. Called
// under the document's lock.
func (w *Workspace) headChanged(d *doc) {
	changed := map[string]bool{d.nb.UUID(): true}
	w.mu.Lock()
	before := w.heads[d.path()]
	same := before.UUID == d.nb.UUID()
	changed[before.UUID] = true
	w.mu.Unlock()
	var kept map[string]string
	if !same {
		kept = w.keptFiles(changed)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before = w.heads[d.path()]
	next := d.head(before)
	l, runs := w.live[d.path()], d.active != nil
	if l.Running && runs && d.active.over || !runs {
		l.Spent = agenttree.Total{} // it is in the head from now on
	}
	if next != before || l != w.live[d.path()] {
		w.heads[d.path()], w.live[d.path()] = next, l
		if !same {
			w.claim(changed, kept)
		}
		w.tellTree()
	}
}

// headOpened takes the totals of a notebook that was opened and had none.
// Called under the document's lock.
func (w *Workspace) headOpened(d *doc) {
	w.mu.Lock()
	known, there := w.heads[d.path()]
	w.mu.Unlock()
	if there && known.tally == nil && known.Problem == "" {
		w.headChanged(d)
	}
}

// setLive notes what runs in a notebook, and tells of it.
func (w *Workspace) setLive(path string, l agenttree.Live, tell bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live[path] == l {
		return
	}
	w.live[path] = l
	if tell {
		w.tellTree()
	}
}

// tellTree computes the tree again and tells what is different. Under w.mu.
func (w *Workspace) tellTree() {
	nodes := agenttree.Compute(w.inOrder(), w.live)
	changed, removed := agenttree.Diff(w.nodes, nodes)
	w.nodes = nodes
	if len(changed)+len(removed) > 0 {
		w.out.Emit(event.TreeChanged{Nodes: changed, Removed: removed})
		w.attention.soon()
	}
}

// inOrder gives the heads in the order of their files, which seldom change.
// Under w.mu.
func (w *Workspace) inOrder() []agenttree.Head {
	heads := make([]agenttree.Head, 0, len(w.heads))
	for _, file := range w.files {
		if h, there := w.heads[file]; there {
			heads = append(heads, h.Head)
		}
	}
	if len(heads) == len(w.heads) {
		return heads
	}
	w.files = slices.Sorted(maps.Keys(w.heads))
	return w.inOrder()
}
