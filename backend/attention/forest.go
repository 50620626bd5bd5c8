package attention

import (
	"slices"
	"strconv"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/clip"
	"mutsumi/backend/language"
)

// Lengths of texts in a notification, in characters.
const (
	maxName = 60
	maxBody = 200
)

// treeState is the last notification about a tree of agents.
type treeState struct {
	shown uint32          // id of the notification; 0: none
	asks  bool            // it says that an agent waits
	known map[string]bool // requests that were there at the last update
	busy  bool            // something ran at the last update
	ends  []ending        // since the tree was at rest

	unseen   *notice // a request that came while the window was in front, last of all
	unseenAt time.Time
}

// ending is the outcome of a run.
type ending struct {
	target
	outcome agent.Outcome
	text    string // its last text, or the error
}

func (e ending) failed() bool { return e.outcome == agent.Failed || e.outcome == agent.Broken }

// notice is a change for a tree: a new notification, or the withdrawal of the last one.
type notice struct {
	tree        *treeState
	title, body string // plain text
	urgent      bool
	target      target
	withdrawn   bool
}

// forest is the trees of a list of agents.
type forest struct {
	root  map[string]*agenttree.Node    // of every agent, by file
	name  map[string]string             // by file
	rests map[string]bool               // by the root's file: nothing runs or is due
	asks  map[string][]approval.Request // by the root's file
	in    language.Catalogue
}

func newForest(nodes []agenttree.Node, pending []approval.Request) *forest {
	f := &forest{root: map[string]*agenttree.Node{}, name: map[string]string{}, rests: map[string]bool{}, asks: map[string][]approval.Request{}}
	byUUID := make(map[string]*agenttree.Node, len(nodes))
	for i := range nodes {
		byUUID[nodes[i].UUID] = &nodes[i]
	}
	for i := range nodes {
		n := &nodes[i]
		root := f.rootOf(n, byUUID)
		f.name[n.File] = n.Name
		if _, known := f.rests[root.File]; !known {
			f.rests[root.File] = true
		}
		if n.Status == agenttree.Running || slices.Contains(n.Marks, agenttree.Queued) {
			f.rests[root.File] = false
		}
	}
	for _, r := range pending {
		if root := f.root[r.Path]; root != nil {
			f.asks[root.File] = append(f.asks[root.File], r)
		}
	}
	return f
}

// rootOf finds the first ancestor with a known root or without a parent: each agent is passed a few
// times at most. The tree has no cycles.
func (f *forest) rootOf(n *agenttree.Node, byUUID map[string]*agenttree.Node) *agenttree.Node {
	var path []*agenttree.Node
	at := n
	for f.root[at.File] == nil && at.ParentID != "" && byUUID[at.ParentID] != nil {
		path = append(path, at)
		at = byUUID[at.ParentID]
	}
	root := f.root[at.File]
	if root == nil {
		root = at
	}
	f.root[at.File] = root
	for _, w := range path {
		f.root[w.File] = root
	}
	return root
}

// update updates the state of each tree and returns at most one notice for each,
// the most urgent. A new request gives one at once; finished or failed work does
// when nothing in the tree runs, or its root has failed. A child's failure is
// left to its parent first.
func update(trees map[string]*treeState, nodes []agenttree.Node, pending []approval.Request, ends []ending, in language.Catalogue) (all []notice) {
	f := newForest(nodes, pending)
	f.in = in
	for _, e := range ends {
		if root := f.root[e.path]; root != nil {
			t := treeOf(trees, root.File)
			t.ends, t.busy = append(t.ends, e), true
		}
	}
	for file, t := range trees {
		if _, there := f.rests[file]; !there { // trashed, or it has a parent now
			all = append(all, notice{tree: t, withdrawn: true})
			if t.shown == 0 {
				delete(trees, file)
			}
		}
	}
	for file, rests := range f.rests {
		if trees[file] == nil && rests && len(f.asks[file]) == 0 {
			continue
		}
		t := treeOf(trees, file)
		if n, ok := t.update(f, f.root[file], rests); ok {
			all = append(all, n)
		}
	}
	return all
}

func treeOf(trees map[string]*treeState, file string) *treeState {
	if trees[file] == nil {
		trees[file] = &treeState{known: map[string]bool{}}
	}
	return trees[file]
}

// update processes the present state of a tree.
func (t *treeState) update(f *forest, root *agenttree.Node, rests bool) (n notice, ok bool) {
	asks := f.asks[root.File]
	var fresh *approval.Request
	known := make(map[string]bool, len(asks))
	for i, r := range asks {
		known[r.ID] = true
		if !t.known[r.ID] {
			fresh = &asks[i]
		}
	}
	t.known = known
	wasBusy := t.busy
	t.busy = !rests || len(asks) > 0
	rootFailed := slices.ContainsFunc(t.ends, func(e ending) bool { return e.path == root.File && e.failed() })
	switch {
	case fresh != nil:
		t.asks = true
		return t.needsYou(f, root, *fresh, len(asks)), true
	case wasBusy && (!t.busy || rootFailed) && len(t.ends) > 0:
		n, ok = t.over(f, root)
		t.ends = nil
		t.asks = t.asks && !ok
	}
	if !ok && t.asks && len(asks) == 0 {
		t.asks = false
		return notice{tree: t, withdrawn: true}, true
	}
	return n, ok
}

func (t *treeState) needsYou(f *forest, root *agenttree.Node, r approval.Request, count int) notice {
	text := f.in.Doing(r.Action)
	if r.Question != nil {
		text = r.Question.Text
	}
	if count > 1 {
		text = f.in.Text("{0}, and {1} more", clip.Plain(text, maxBody/2), strconv.Itoa(count-1))
	}
	return notice{
		tree: t, title: f.in.Text("{0} needs you", clip.Plain(root.Name, maxName)), body: f.said(root, r.Path, text), urgent: true, target: target{r.Path, r.Cell},
	}
}

// over describes the outcome of a tree's work. What the person stopped is not notified.
func (t *treeState) over(f *forest, root *agenttree.Node) (n notice, ok bool) {
	var last, failed *ending
	for i, e := range t.ends {
		switch {
		case e.failed():
			failed = &t.ends[i]
		case e.outcome == agent.Stopped:
			continue
		case last == nil || e.path == root.File || last.path != root.File:
			last = &t.ends[i]
		}
	}
	switch {
	case failed != nil && (last == nil || last.path != root.File || failed.path == root.File):
		return notice{tree: t, title: f.in.Text("{0} failed", clip.Plain(root.Name, maxName)), body: f.said(root, failed.path, failed.text), target: failed.target}, true
	case last != nil && last.outcome == agent.StepLimit:
		return notice{tree: t, title: f.in.Text("{0} has reached its limit", clip.Plain(root.Name, maxName)), body: f.said(root, last.path, last.text), target: last.target}, true
	case last != nil:
		return notice{tree: t, title: f.in.Text("{0} is done", clip.Plain(root.Name, maxName)), body: f.said(root, last.path, last.text), target: last.target}, true
	}
	return n, false
}

// said is an agent's text, with its name unless it is the root.
func (f *forest) said(root *agenttree.Node, path, text string) string {
	if path != root.File {
		text = clip.Plain(f.name[path], maxName) + ": " + text
	}
	return clip.Plain(text, maxBody)
}
