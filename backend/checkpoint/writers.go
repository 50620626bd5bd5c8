package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mutsumi/backend/fault"
)

// Writer is an agent's turn that changed a file.
type Writer struct {
	Turn     string `json:"turn"`
	Notebook string `json:"notebook"`
	Cell     string `json:"cell"`
	AtMs     int64  `json:"atMs"`    // when the turn began
	WroteMs  int64  `json:"wroteMs"` // when it changed the file last, or began to

	Uncertain bool `json:"uncertain"` // it changed while a command of the turn ran: see Doubt
}

// Writers lists the turns' notebooks that changed a path, in the order of the turns, without
// reverted changes.
func (s *Store) Writers(path string) ([]Writer, error) {
	if err := s.refresh(); err != nil {
		return nil, fmt.Errorf("look up who wrote %s: %w", path, err)
	}
	real, _, err := place(path)
	if err != nil {
		return nil, errors.Join(fault.New(fault.Invalid, "look up who wrote %s", path), err)
	}
	return append([]Writer{}, s.wrote(real)[real]...), nil
}

// AsLeft reports whether a path is as a turn left it, or the turn is changing it. Of a link, the
// target's content does not count.
func (s *Store) AsLeft(path, turn string) (bool, error) {
	now, _, err := readState(path, s.limits.File)
	if err != nil {
		return false, fmt.Errorf("look up who wrote %s: %w", path, err)
	}
	real, _, err := place(path)
	if err != nil {
		return false, errors.Join(fault.New(fault.Invalid, "look up who wrote %s", path), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turns[turn]
	if t == nil || t.last[real] == nil {
		return false, nil
	}
	left := t.last[real].after
	return left == nil || left.same(now), nil
}

// Written lists the files that agents changed, each with its Writers.
func (s *Store) Written() (map[string][]Writer, error) {
	if err := s.refresh(); err != nil {
		return nil, fmt.Errorf("look up who wrote which file: %w", err)
	}
	return s.wrote(""), nil
}

// wrote is Writers for one path, or with "" for all.
func (s *Store) wrote(only string) map[string][]Writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	undone := map[[2]string]bool{} // path and turn
	out := map[string][]Writer{}
	look := func(t *turn, path string, c *change) {
		if undone[[2]string{path, t.id}] {
			return
		}
		if t.Kind == kindRestore && c.happened() {
			for _, id := range c.undoes {
				undone[[2]string{path, id}] = true
			}
		}
		folder := c.before.Kind == Folder || c.after != nil && c.after.Kind == Folder
		if t.Kind == kindTurn && !folder && (c.after == nil || !c.after.same(c.before)) {
			out[path] = append(out[path], Writer{t.id, t.Notebook, t.Cell, t.AtMs, c.atMs, c.doubt != ""})
		}
	}
	for _, t := range slices.Backward(s.inOrder()) {
		if c := t.last[only]; c != nil {
			look(t, only, c)
		}
		if only != "" {
			continue
		}
		for path, c := range t.last {
			look(t, path, c)
		}
	}
	for _, writers := range out {
		slices.SortFunc(writers, func(a, b Writer) int { return cmp.Compare(a.Turn, b.Turn) })
	}
	return out
}
