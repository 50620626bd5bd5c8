// Package lookup finds the cells of all notebooks of a folder by their first
// words, and shows how one begins: the palette asks it with every key. It is
// not the search in the whole text of notebooks (package textsearch), and it
// reads notebooks only through its caller, package workspace.
package lookup

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
)

const (
	maxFound   = 60
	patience   = 150 * time.Millisecond // that an answer waits for notebooks being read
	glimpseMax = 1500                   // bytes of a prompt, and of an answer
)

// Cell is a cell that was found.
type Cell struct {
	Path   string `json:"path"` // its notebook's
	ID     string `json:"id"`
	Number int    `json:"number"` // as a person sees it, from 1; 0: a summary
	Words  string `json:"words"`  // its first words, on one line
}

// Found is the answer to a search. Reading means that notebooks are still being read: another
// search may find more.
type Found struct {
	Cells   []Cell `json:"cells"` // the best first, at most 60
	Total   int    `json:"total"`
	Reading bool   `json:"reading"`
}

// Glimpse is the beginning of a cell.
type Glimpse struct {
	ID     string `json:"id"`
	Number int    `json:"number"`
	Prompt string `json:"prompt"`
	Answer string `json:"answer"` // the last text of the model
}

// Source is a Finder's access to notebooks. The functions may be called from any goroutine.
type Source struct {
	Agents func() []agenttree.Node                                   // never changed in place
	Read   func(path string, f func(*notebook.Document) error) error // f changes nothing
	Open   func(path string) bool                                    // its file may be older
	Start  func(func())                                              // runs a function in the background
}

// Finder knows the first words of all cells. It reads a notebook when it is
// first asked, and again when its file changed. It is safe for concurrent use.
type Finder struct {
	source Source

	mu      lock.Mutex
	known   map[string]*heads
	reading chan struct{} // closed when the reading under way ends
}

type heads struct {
	modifiedMs int64
	list       []notebook.LineHead
	lower      []string
}

// New returns a Finder. Nothing is read before the first question.
func New(source Source) *Finder { return &Finder{source: source, known: map[string]*heads{}} }

// FindCells returns the cells whose first words contain all words of the query, in any case and
// order. Those that begin with it come first, then newer notebooks. An empty query finds nothing.
func (x *Finder) FindCells(query string) Found {
	found := Found{Cells: []Cell{}, Reading: x.refresh()}
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return found
	}
	type hit struct {
		Cell
		at         int
		modifiedMs int64
	}
	var hits []hit
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, n := range x.source.Agents() {
		h := x.known[n.File]
		if h == nil {
			continue
		}
		for i, line := range h.lower {
			if at := match(line, words); at >= 0 {
				c := h.list[i]
				hits = append(hits, hit{Cell{n.File, c.ID, c.Number, c.Words}, at, n.ModifiedMs})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(min(a.at, 1), min(b.at, 1)), cmp.Compare(b.modifiedMs, a.modifiedMs), cmp.Compare(b.Number, a.Number))
	})
	found.Total = len(hits)
	for _, h := range hits[:min(len(hits), maxFound)] {
		found.Cells = append(found.Cells, h.Cell)
	}
	return found
}

// match returns the position of the first of some words in a line that contains all of them,
// otherwise -1.
func match(line string, words []string) int {
	first := -1
	for i, w := range words {
		at := strings.Index(line, w)
		if at < 0 {
			return -1
		}
		if i == 0 {
			first = at
		}
	}
	return first
}

// refresh reads changed notebooks, and reports whether that is still in progress.
func (x *Finder) refresh() bool {
	x.mu.Lock()
	if x.reading == nil {
		nodes := x.source.Agents()
		there := make(map[string]bool, len(nodes))
		var stale []agenttree.Node
		for _, n := range nodes {
			there[n.File] = true
			if h := x.known[n.File]; n.Problem == "" && (h == nil || h.modifiedMs != n.ModifiedMs || x.source.Open(n.File)) {
				stale = append(stale, n)
			}
		}
		for file := range x.known {
			if !there[file] {
				delete(x.known, file)
			}
		}
		if len(stale) == 0 {
			x.mu.Unlock()
			return false
		}
		done := make(chan struct{})
		x.reading = done
		x.source.Start(func() {
			defer func() {
				x.mu.Lock()
				x.reading = nil
				x.mu.Unlock()
				close(done)
			}()
			for _, n := range stale {
				x.read(n)
			}
		})
	}
	done := x.reading
	x.mu.Unlock()
	select {
	case <-done:
		return false
	case <-time.After(patience):
		return true
	}
}

// read reads the first words of a notebook; an unreadable one has none.
func (x *Finder) read(n agenttree.Node) {
	var line *notebook.Line
	err := x.source.Read(n.File, func(nb *notebook.Document) (err error) {
		line, err = nb.Lineage().Line("")
		return err
	})
	h := &heads{modifiedMs: n.ModifiedMs}
	if err == nil {
		h.list = slices.DeleteFunc(line.Heads(), func(c notebook.LineHead) bool { return c.Words == "" })
		for _, c := range h.list {
			h.lower = append(h.lower, strings.ToLower(c.Words))
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.known[n.File] = h
}

// Glimpse returns the beginning of a cell, and the end of its answer; "" is the last cell of the
// notebook. The error is NotFound.
func (x *Finder) Glimpse(path, cell string) (Glimpse, error) {
	var line *notebook.Line
	if err := x.source.Read(path, func(nb *notebook.Document) (err error) {
		line, err = nb.Lineage().Line("")
		return err
	}); err != nil {
		return Glimpse{}, err
	}
	at := line.Len() - 1
	if cell != "" {
		at = line.Find(cell)
	}
	if at < 0 {
		return Glimpse{}, fault.New(fault.NotFound, "the notebook has no such cell")
	}
	c := line.Cell(at)
	g := Glimpse{ID: c.ID, Number: c.Number, Prompt: clip.Bytes(c.Prompt, glimpseMax)}
	for _, m := range slices.Backward(c.Messages) {
		if text := strings.TrimSpace(m.Content.String()); m.Role == chat.Assistant && text != "" {
			g.Answer = clip.Bytes(text, glimpseMax)
			break
		}
	}
	return g, nil
}
