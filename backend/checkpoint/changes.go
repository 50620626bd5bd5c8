package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/linediff"
)

// Change is a file that an agent changed, from its first state to its present one.
type Change struct {
	Path    string   `json:"path"`
	Start   State    `json:"start"`
	Now     State    `json:"now"`
	Added   int      `json:"added"`   // lines
	Removed int      `json:"removed"` // lines
	Hunks   []Hunk   `json:"hunks"`
	Plain   string   `json:"plain,omitempty"`  // why there are no hunks: "binary", "large", "link", "mode", "missing"
	More    int      `json:"more"`             // hunks that are left out; Added and Removed count them
	Mixed   bool     `json:"mixed"`            // somebody else changed it, too: it is part of the difference
	Others  []string `json:"others,omitempty"` // other notebooks whose agents changed it

	Uncertain bool `json:"uncertain"` // it changed while a command ran: somebody else may have changed it
}

// Bounds of what Changes gives.
const (
	maxHunks = 200   // per file
	maxShown = 5_000 // lines of all hunks per file
)

// Changes lists the files that a notebook's agent changed and did not change
// back, by path, each with its difference. Folders are not listed.
func (s *Store) Changes(notebook string) ([]Change, error) {
	if err := s.refresh(); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	s.mu.Lock()
	chains, _ := effective(s.of(notebook))
	s.mu.Unlock()
	out := []Change{}
	for path, chain := range chains {
		c, start, now, err := s.change(notebook, path, chain)
		if err != nil {
			return nil, fmt.Errorf("list changes: %w", err)
		}
		if c.Start.same(c.Now) || c.Start.Kind == Folder && c.Now.Kind == Absent || c.Start.Kind == Absent && c.Now.Kind == Folder {
			continue
		}
		if c.Plain == "" {
			c.Hunks, c.Added, c.Removed = hunks(linediff.Lines(start), linediff.Lines(now))
			c.cut()
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// cut limits the shown hunks.
func (c *Change) cut() {
	shown := 0
	for i := range c.Hunks {
		shown += len(c.Hunks[i].Lines)
		if i >= maxHunks || shown > maxShown && i > 0 {
			c.More = len(c.Hunks) - i
			c.Hunks = c.Hunks[:i]
			return
		}
	}
	if shown > maxShown { // one hunk that is all
		c.Hunks, c.More, c.Plain = nil, 1, "large"
	}
}

// change reads both sides of a file.
func (s *Store) change(notebook, path string, chain []change) (c Change, start, now string, err error) {
	state, content, err := readState(path, s.limits.File)
	if err != nil {
		return Change{}, "", "", err
	}
	c = Change{Path: path, Start: chain[0].before, Now: state, Hunks: []Hunk{}}
	if c.Start.same(c.Now) {
		return c, "", "", nil
	}
	c.Mixed, _, _ = s.foreign(notebook, path, chain, state)
	c.Uncertain = slices.ContainsFunc(chain, func(c change) bool { return c.doubt != "" })
	writers, err := s.others(notebook, path)
	if err != nil {
		return c, "", "", err
	}
	c.Others = writers
	var old []byte
	if c.Start.Kind == File && !c.Start.large() {
		if old, err = s.objects.get(c.Start.Sum, c.Start.Size); err != nil {
			c.Plain = "missing"
			return c, "", "", nil
		}
	}
	switch {
	case c.Start.Kind == Link || c.Now.Kind == Link || c.Start.Kind == Other || c.Now.Kind == Other || c.Start.Kind == Folder || c.Now.Kind == Folder:
		c.Plain = "link"
	case c.Start.large() || c.Now.large() || len(old) > maxDiff || len(content) > maxDiff:
		c.Plain = "large"
	case c.Start.Kind == c.Now.Kind && c.Start.Sum == c.Now.Sum:
		c.Plain = "mode"
	case !isText(old) || !isText(content):
		c.Plain = "binary"
	}
	return c, string(old), string(content), nil
}

// others lists the other notebooks whose agents changed a path.
func (s *Store) others(notebook, path string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, t := range s.turns {
		if c := t.last[path]; c != nil && t.Kind == kindTurn && t.Notebook != notebook && !slices.Contains(out, t.Notebook) {
			out = append(out, t.Notebook)
		}
	}
	slices.Sort(out)
	return out, nil
}

// RejectHunk returns the content that a file would have with one hunk of Changes
// taken back, and the state of the file that this holds for. It is a Conflict
// when the hunk is gone, since the file has changed.
func (s *Store) RejectHunk(notebook, path, hunk string) (content []byte, on State, err error) {
	if err := s.refresh(); err != nil {
		return nil, State{}, fmt.Errorf("reject a change: %w", err)
	}
	s.mu.Lock()
	chains, _ := effective(s.of(notebook))
	chain := chains[path]
	s.mu.Unlock()
	if len(chain) == 0 {
		return nil, State{}, fault.New(fault.NotFound, "no change of this agent is kept for %s", path)
	}
	c, start, now, err := s.change(notebook, path, chain)
	if err != nil {
		return nil, State{}, fmt.Errorf("reject a change: %w", err)
	}
	if c.Plain == "" && !c.Start.same(c.Now) {
		a, b := linediff.Lines(start), linediff.Lines(now)
		all, _, _ := hunks(a, b)
		for _, h := range all {
			if h.ID == hunk {
				return []byte(h.without(a, b)), c.Now, nil
			}
		}
	}
	return nil, State{}, fault.New(fault.Conflict, "%s changed since its differences were shown: look at them again", path)
}

// Reject reverts a hunk on disk and returns the id with which PlanUndo restores it. The agent's
// other changes can still be rejected and restored. A file that is back in its first state is
// removed if it did not exist then.
func (s *Store) Reject(notebook, path, hunk string) (id string, err error) {
	content, on, err := s.RejectHunk(notebook, path, hunk)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	chains, _ := effective(s.of(notebook))
	start := absent
	if chain := chains[path]; len(chain) > 0 {
		start = chain[0].before
	}
	s.mu.Unlock()
	to := State{Kind: File, Mode: on.Mode, Size: int64(len(content)), Sum: sumOf(content)}
	switch {
	case start.Kind == Absent && len(content) == 0:
		to = absent
	case on.Kind == Absent:
		to.Mode = start.Mode
	}
	s.sweeping.RLock()
	defer s.sweeping.RUnlock()
	if to.Kind == File {
		if _, err := s.objects.put(content, false); err != nil {
			return "", fmt.Errorf("reject a change: %w", err)
		}
	}
	t, err := s.begin(header{Kind: kindReject, Notebook: notebook})
	if err != nil {
		return "", fmt.Errorf("reject a change: %w", err)
	}
	err = t.restore([]Restore{{Path: path, From: on, To: to}})[0]
	if err != nil {
		err = fmt.Errorf("reject a change in %s: %w", path, err)
	}
	return t.ID(), errors.Join(err, t.End())
}

// Content returns the content of a file for a state from Changes or Plan: one side of a
// side-by-side diff.
func (s *Store) Content(state State) ([]byte, error) {
	if state.Kind != File {
		return nil, fault.New(fault.NotFound, "there is no content: %s", state.Kind)
	}
	content, err := s.objects.get(state.Sum, state.Size)
	if err != nil {
		return nil, fmt.Errorf("read what was kept: %w", err)
	}
	return content, nil
}
