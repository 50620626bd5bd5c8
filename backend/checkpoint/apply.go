package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Choice is what a person decided about one path of a plan. Without a choice a
// conflict is left as it is, and everything else is restored.
type Choice string

const (
	Leave Choice = "leave"
	Take  Choice = "take" // restore it, conflict or not; what is there is kept for PlanUndo
)

// Applied is what came of a plan.
type Applied struct {
	ID       string    `json:"id"`       // for PlanUndo; "" when nothing was changed
	Restored []string  `json:"restored"` // paths
	Left     []Trouble `json:"left"`     // by choice, or since they could not be restored
}

// Trouble is a path that is as it was, and why.
type Trouble struct {
	Path string `json:"path"`
	Why  string `json:"why"` // "" when a person chose so
}

// Apply carries out a plan. Each path becomes what it was, whole or not at all;
// what one path makes impossible does not stop the others. What is overwritten
// is kept first. A path that changed since the plan was made is left alone.
func (s *Store) Apply(p Plan, choices map[string]Choice) (Applied, error) {
	out := Applied{Restored: []string{}, Left: []Trouble{}}
	var do []Restore
	for _, r := range p.Files {
		choice := choices[r.Path]
		switch {
		case r.Action == Unable:
			out.Left = append(out.Left, Trouble{r.Path, r.Why})
		case choice == Leave || r.Conflict && choice != Take:
			out.Left = append(out.Left, Trouble{r.Path, ""})
		default:
			do = append(do, r)
		}
	}
	if len(do) == 0 {
		return out, nil
	}
	slices.SortStableFunc(do, func(a, b Restore) int { return order(a) - order(b) })
	s.sweeping.RLock() // what the plan names stays
	defer s.sweeping.RUnlock()
	t, err := s.begin(header{Kind: kindRestore, Notebook: p.Notebook, Cell: p.Cell, Undoes: p.turns})
	if err != nil {
		return out, fmt.Errorf("restore files: %w", err)
	}
	out.ID = t.ID()
	for _, r := range do {
		if err := t.restore(r); err != nil {
			out.Left = append(out.Left, Trouble{r.Path, explain(err)})
		} else {
			out.Restored = append(out.Restored, r.Path)
		}
	}
	if err := t.End(); err != nil {
		return out, fmt.Errorf("restore files: %w", err)
	}
	return out, nil
}

// order puts folders that come before what is in them, and those that go behind.
func order(r Restore) int {
	depth := strings.Count(r.Path, string(filepath.Separator))
	switch {
	case r.To.Kind == Folder:
		return depth - 100_000
	case r.From.Kind == Folder:
		return 100_000 - depth
	}
	return 0
}

func explain(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// restore does one path.
func (t *Turn) restore(r Restore) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, _, err := look(r.Path, t.s.limits.File)
	switch {
	case err != nil:
		return err
	case !now.same(r.From):
		return fault.New(fault.Conflict, "it was changed just now")
	}
	if now.Kind == Folder && r.To.Kind == Absent {
		if some, err := os.ReadDir(r.Path); err != nil || len(some) > 0 {
			return errors.Join(err, fault.New(fault.Conflict, "other files are in this folder"))
		}
	}
	// A folder on the way that became a link leads somewhere else.
	if real, _, err := place(r.Path); err != nil || real != r.Path {
		return errors.Join(err, fault.New(fault.Conflict, "a folder on the way to it is another one now"))
	}
	var content []byte
	if r.To.Kind == File {
		if content, err = t.s.objects.get(r.To.Sum, r.To.Size); err != nil {
			return err
		}
	}
	if err := t.keep(r.Path, &r.To, 0); err != nil {
		return err
	}
	if err := put(r.Path, t.t.id, r.From, r.To, content); err != nil {
		return errors.Join(err, t.left(func(p string) bool { return p == r.Path }))
	}
	return t.left(func(string) bool { return true })
}

// tempName is where a restore writes the new content of a path first.
func tempName(path, turn string) string {
	return filepath.Join(filepath.Dir(path), ".mutsumi-"+turn+".tmp")
}

// put makes a path what it was.
func put(path, turn string, from, to State, content []byte) error {
	if to.Kind == Absent {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temp := tempName(path, turn)
	switch {
	case to.Kind == Folder:
		return os.Mkdir(path, 0o755)
	case to.Kind == Link:
		if err := os.Symlink(to.Target, temp); err != nil {
			return err
		}
	case from.Kind == File && from.Sum == to.Sum && from.Sum != "":
		return os.Chmod(path, to.Mode)
	default:
		if err := writeWhole(temp, content, to.Mode); err != nil {
			return errors.Join(err, ignoreGone(os.Remove(temp)))
		}
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

func writeWhole(path string, content []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
