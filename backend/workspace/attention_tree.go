package workspace

import (
	"fmt"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
)

// Lengths of what a notification says, in characters.
const (
	noteName = 60
	noteText = 200
)

// treeNews is what the person was told of a tree of agents.
type treeNews struct {
	shown uint32          // id of the notification; 0: none
	asks  bool            // it says that somebody waits
	known map[string]bool // requests that were there at the last look
	busy  bool            // something ran at the last look
	ends  []ending        // since the tree was at rest
}

// ending is how a run came out.
type ending struct {
	spot
	outcome agent.Outcome
	text    string // what it said last, or what went wrong
}

func (e ending) failed() bool { return e.outcome == agent.Failed || e.outcome == agent.Broken }

// news is something to tell of a tree: a title, or that what was told is over.
type news struct {
	tree        *treeNews
	title, body string // plain text
	urgent      bool
	place       spot
	withdrawn   bool
}

// grove is the trees of a list of agents.
type grove struct {
	root  map[string]*agenttree.Node    // by file, for every agent
	name  map[string]string             // by file
	rests map[string]bool               // by the root's file: nothing runs or is due
	asks  map[string][]approval.Request // by the root's file
}

func newGrove(nodes []agenttree.Node, pending []approval.Request) *grove {
	g := &grove{root: map[string]*agenttree.Node{}, name: map[string]string{}, rests: map[string]bool{}, asks: map[string][]approval.Request{}}
	byUUID := make(map[string]*agenttree.Node, len(nodes))
	for i := range nodes {
		byUUID[nodes[i].UUID] = &nodes[i]
	}
	for i := range nodes {
		n := &nodes[i]
		root := g.rootOf(n, byUUID)
		g.name[n.File] = n.Name
		if _, known := g.rests[root.File]; !known {
			g.rests[root.File] = true
		}
		if n.Status == agenttree.Running || slices.Contains(n.Marks, agenttree.Queued) {
			g.rests[root.File] = false
		}
	}
	for _, r := range pending {
		if root := g.root[r.Path]; root != nil {
			g.asks[root.File] = append(g.asks[root.File], r)
		}
	}
	return g
}

// rootOf goes up to the first agent whose root is known, or that has none
// above it: each agent is passed a few times at most. The tree has no circles.
func (g *grove) rootOf(n *agenttree.Node, byUUID map[string]*agenttree.Node) *agenttree.Node {
	var way []*agenttree.Node
	at := n
	for g.root[at.File] == nil && at.ParentID != "" && byUUID[at.ParentID] != nil {
		way = append(way, at)
		at = byUUID[at.ParentID]
	}
	root := g.root[at.File]
	if root == nil {
		root = at
	}
	g.root[at.File] = root
	for _, w := range way {
		g.root[w.File] = root
	}
	return root
}

// follow brings what the person was told of each tree up to what is now, and
// gives what there is to tell: for one tree one thing at most, the most
// pressing. That somebody waits is told for requests that are new; that work
// is done or failed when the whole tree is at rest, or its root has failed. An
// agent's failure is first its parent's to see to.
func follow(trees map[string]*treeNews, nodes []agenttree.Node, pending []approval.Request, ends []ending) (all []news) {
	g := newGrove(nodes, pending)
	for _, e := range ends {
		if root := g.root[e.path]; root != nil {
			t := treeOf(trees, root.File)
			t.ends, t.busy = append(t.ends, e), true
		}
	}
	for file, t := range trees {
		if _, there := g.rests[file]; !there { // trashed, or it has a parent now
			all = append(all, news{tree: t, withdrawn: true})
			if t.shown == 0 {
				delete(trees, file)
			}
		}
	}
	for file, rests := range g.rests {
		if trees[file] == nil && rests && len(g.asks[file]) == 0 {
			continue
		}
		t := treeOf(trees, file)
		if n, told := t.look(g, g.root[file], rests); told {
			all = append(all, n)
		}
	}
	return all
}

func treeOf(trees map[string]*treeNews, file string) *treeNews {
	if trees[file] == nil {
		trees[file] = &treeNews{known: map[string]bool{}}
	}
	return trees[file]
}

// look takes in a tree as it is now.
func (t *treeNews) look(g *grove, root *agenttree.Node, rests bool) (n news, told bool) {
	asks := g.asks[root.File]
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
		return t.needsYou(g, root, *fresh, len(asks)), true
	case wasBusy && (!t.busy || rootFailed) && len(t.ends) > 0:
		n, told = t.over(g, root)
		t.ends = nil
		t.asks = t.asks && !told
	}
	if !told && t.asks && len(asks) == 0 {
		t.asks = false
		return news{tree: t, withdrawn: true}, true
	}
	return n, told
}

func (t *treeNews) needsYou(g *grove, root *agenttree.Node, r approval.Request, count int) news {
	text := r.Action
	if r.Question != nil {
		text = r.Question.Text
	}
	if count > 1 {
		text = fmt.Sprintf("%s, and %d more", spoken(text, noteText/2), count-1)
	}
	return news{
		tree: t, title: spoken(root.Name, noteName) + " needs you", body: g.said(root, r.Path, text), urgent: true, place: spot{r.Path, r.Cell},
	}
}

// over says how the work of a tree came out; not told is what the person
// stopped.
func (t *treeNews) over(g *grove, root *agenttree.Node) (n news, told bool) {
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
		return news{tree: t, title: spoken(root.Name, noteName) + " failed", body: g.said(root, failed.path, failed.text), place: failed.spot}, true
	case last != nil && last.outcome == agent.StepLimit:
		return news{tree: t, title: spoken(root.Name, noteName) + " has reached its limit", body: g.said(root, last.path, last.text), place: last.spot}, true
	case last != nil:
		return news{tree: t, title: spoken(root.Name, noteName) + " is done", body: g.said(root, last.path, last.text), place: last.spot}, true
	}
	return n, false
}

// said is what an agent says, with its name unless it is the root.
func (g *grove) said(root *agenttree.Node, path, text string) string {
	if path != root.File {
		text = spoken(g.name[path], noteName) + ": " + text
	}
	return spoken(text, noteText)
}
