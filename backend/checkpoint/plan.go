package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Action is what a restore does to a path.
type Action string

const (
	Rewrite  Action = "rewrite"  // another content, or another link
	Remove   Action = "remove"   // it was not there
	Recreate Action = "recreate" // it is gone
	Chmod    Action = "chmod"    // its permissions alone
	Unable   Action = "unable"   // Why names the obstacle
)

// Restore is a plan for one path.
type Restore struct {
	Path      string `json:"path"` // absolute
	Action    Action `json:"action"`
	Conflict  bool   `json:"conflict"`      // the present content is not the agent's
	Uncertain bool   `json:"uncertain"`     // somebody else may have changed it: see Doubt
	Why       string `json:"why,omitempty"` // of a conflict, an uncertain change, or Unable
	By        string `json:"by,omitempty"`  // of a conflict or an uncertain change: the notebook of the other agent
	From      State  `json:"from"`          // on the disk now
	To        State  `json:"to"`
	undoes    []string
}

// Plan describes a return to an earlier state of the files. It is a value: nothing happens before
// Apply.
type Plan struct {
	Notebook string    `json:"notebook"`
	Cell     string    `json:"cell,omitempty"`
	Files    []Restore `json:"files"`
	Notes    []string  `json:"notes"` // losses that cannot be found or restored, for a person
	Token    string    `json:"token"` // the same for the same plan on the same files
}

// Plan plans "restore files to before this prompt" for everything that the notebook's agent changed
// since the prompt first ran and that was not reverted already. Changes by others in between are
// conflicts, and changes that others may have made while the agent's commands ran are uncertain.
// The error is NotFound if nothing is kept of the prompt.
func (s *Store) Plan(notebook, cell string) (Plan, error) {
	if err := s.refresh(); err != nil {
		return Plan{}, fmt.Errorf("plan restore: %w", err)
	}
	p, chains, err := s.chains(notebook, cell)
	if err != nil {
		return Plan{}, err
	}
	return s.planned(p, chains), nil
}

// planned looks at the disk and completes a plan.
func (s *Store) planned(p Plan, chains map[string][]change) Plan {
	for path, chain := range chains {
		if r, ok := s.restore(p.Notebook, path, chain); ok {
			p.Files = append(p.Files, r)
		}
	}
	return p.sealed()
}

// chains returns the turns that a plan takes back and, by path, their changes.
func (s *Store) chains(notebook, cell string) (Plan, map[string][]change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of(notebook)
	_, undone := effective(own)
	from := -1
	for i, t := range own {
		if t.Cell == cell && t.Kind == kindTurn && (from < 0 || undone[own[from].id]) {
			if from = i; !undone[t.id] {
				break
			}
		}
	}
	if from < 0 {
		return Plan{}, nil, fault.New(fault.NotFound, "nothing is kept of this prompt: it has not run, or it ran more than %d days ago", int(s.limits.Age.Hours()/24))
	}
	p := Plan{Notebook: notebook, Cell: cell, Files: []Restore{}, Notes: []string{}}
	for _, t := range own[from:] {
		if !undone[t.id] {
			p.Notes = append(p.Notes, t.said()...)
		}
	}
	chains, _ := effective(own[from:])
	return p, chains, nil
}

// PlanUndo plans undoing a restore or a rejection: the id is that of Applied or Reject.
func (s *Store) PlanUndo(id string) (Plan, error) {
	if err := s.refresh(); err != nil {
		return Plan{}, fmt.Errorf("plan undo: %w", err)
	}
	s.mu.Lock()
	t := s.turns[id]
	if t == nil || t.Kind == kindTurn {
		s.mu.Unlock()
		return Plan{}, fault.New(fault.NotFound, "nothing is kept any more of what was taken back")
	}
	p := Plan{Notebook: t.Notebook, Cell: t.Cell, Files: []Restore{}, Notes: []string{}}
	chains := map[string][]change{}
	for _, c := range t.changes {
		chains[c.path] = []change{*c}
	}
	s.mu.Unlock()
	return s.planned(p, chains), nil
}

func (p Plan) sealed() Plan {
	slices.SortFunc(p.Files, func(a, b Restore) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(p.Notes)
	p.Notes = slices.Compact(p.Notes)
	b, _ := json.Marshal(p.Files) // names that are not UTF-8 may fall together: the states do not
	sum := sha256.Sum256(b)
	p.Token = hex.EncodeToString(sum[:8])
	return p
}

// of lists an agent's turns, oldest first. Under s.mu.
func (s *Store) of(notebook string) []*turn {
	var own []*turn
	for _, t := range s.inOrder() {
		if t.Notebook == notebook {
			own = append(own, t)
		}
	}
	return own
}

// effective returns for each path the changes that still count, oldest first: a restore and the
// changes that it reverted cancel each other, path by path, and a restore that was undone does not
// count. undone are the turns with a reverted change. The results are copies. Under s.mu.
func effective(turns []*turn) (chains map[string][]change, undone map[string]bool) {
	gone := map[[2]string]bool{} // path and turn
	chains, undone = map[string][]change{}, map[string]bool{}
	for _, t := range slices.Backward(turns) {
		for _, c := range slices.Backward(t.changes) {
			switch {
			case gone[[2]string{c.path, t.id}]:
			case t.Kind != kindRestore:
				chains[c.path] = append(chains[c.path], *c)
			case c.happened():
				for _, id := range c.undoes {
					gone[[2]string{c.path, id}] = true
					undone[id] = true
				}
			}
		}
	}
	for _, chain := range chains {
		slices.Reverse(chain)
	}
	return chains, undone
}

// happened reports whether a restore did what it was about to do, as far as is known.
func (c *change) happened() bool { return c.after != nil && !c.after.same(c.before) }

// restore plans the way back to before a chain of changes of its path; it returns false if there is
// nothing to do.
func (s *Store) restore(notebook, path string, chain []change) (Restore, bool) {
	to := chain[0].before
	now, _, err := readState(path, s.limits.File)
	r := Restore{Path: path, From: now, To: to}
	for _, c := range chain {
		if !slices.Contains(r.undoes, c.turn) {
			r.undoes = append(r.undoes, c.turn)
		}
	}
	if err != nil {
		r.Action, r.Why = Unable, err.Error()
		return r, true
	}
	if now.same(to) {
		return r, false
	}
	switch {
	case to.Kind == Other || now.Kind == Other:
		r.Action, r.Why = Unable, "It is no ordinary file: it is left alone."
	case to.large():
		r.Action, r.Why = Unable, "Its content was not kept: it was too large, or git had it in another form."
	case to.Kind == File && !s.objects.has(to.Sum):
		r.Action, r.Why = Unable, "What was kept of it is not there any more."
	case to.Kind == Folder && now.Kind != Absent:
		r.Action, r.Why = Unable, "There was a folder, and now there is something else."
	case now.Kind == Folder && to.Kind != Absent:
		r.Action, r.Why = Unable, "There is a folder now."
	case to.Kind == Absent:
		r.Action = Remove
	case now.Kind == Absent:
		r.Action = Recreate
	case now.Kind == File && to.Kind == File && now.Sum == to.Sum:
		r.Action = Chmod
	default:
		r.Action = Rewrite
	}
	if r.Action != Unable && !(now.Kind == Folder && to.Kind == Absent) {
		r.Conflict, r.Why, r.By = s.foreign(notebook, path, chain, now)
	}
	if i := slices.IndexFunc(chain, func(c change) bool { return c.doubt != "" }); i >= 0 && r.Action != Unable {
		r.Uncertain = true
		if !r.Conflict {
			r.Why, r.By = chain[i].doubt.why(), chain[i].by
		}
	}
	return r, true
}

// foreign finds where a chain of changes does not fit together: there somebody
// else had a hand in it.
func (s *Store) foreign(notebook, path string, chain []change, now State) (conflict bool, why, by string) {
	for i, c := range chain {
		next, last := now, i == len(chain)-1
		if !last {
			next = chain[i+1].before
		}
		switch {
		case c.after == nil && (next.same(c.before) || c.was != nil && next.same(*c.was)):
			continue // it did not come to it
		case c.after == nil:
			return true, "The program ended while the agent changed it, so it is not known what the agent left.", ""
		case c.after.same(next):
			continue
		}
		s.mu.Lock()
		by = s.writer(notebook, path, next)
		s.mu.Unlock()
		switch {
		case by != "":
			why = "Another agent changed it, too."
		case last && now.Kind == Absent:
			why = "It was deleted since the agent changed it."
		case last:
			why = "It was changed since the agent changed it."
		default:
			why = "It was changed by somebody else between two changes of the agent."
		}
		return true, why, by
	}
	return false, "", ""
}

// writer finds the other notebook whose agent left a path as it is, or the last that touched it at
// all after this one. Under s.mu.
func (s *Store) writer(notebook, path string, state State) string {
	for _, t := range slices.Backward(s.inOrder()) {
		if t.Notebook == notebook {
			continue
		}
		if t.last[path] == nil {
			continue
		}
		for _, c := range t.changes {
			if c.path == path && c.after != nil && c.after.same(state) {
				return t.Notebook
			}
		}
	}
	return ""
}
