package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mutsumi/backend/fault"
)

// Choice is a person's decision about one path of a plan. Without a choice, conflicts and uncertain
// changes are left as they are, and everything else is restored.
type Choice string

const (
	Leave Choice = "leave"
	Take  Choice = "take" // restore it, whoever changed it; the present content is kept for PlanUndo
)

// Applied is the result of a plan.
type Applied struct {
	ID       string    `json:"id"`       // for PlanUndo; "" when nothing was changed
	Restored []string  `json:"restored"` // paths
	Left     []Trouble `json:"left"`     // by choice, or since they could not be restored

	// Conversation is why the conversation did not go back with the files; nil
	// when it did, or was not asked to. The files' undo holds all the same.
	Conversation *fault.Error `json:"conversation,omitempty"`
}

// Trouble is a path that is as it was, and why.
type Trouble struct {
	Path string `json:"path"`
	Why  string `json:"why"` // "" when a person chose so
}

// Apply carries out a plan. Each path is restored completely or not at all; a failure of one path
// does not stop the others. Overwritten content is kept first. A path that has changed since the
// plan was made is left alone.
func (s *Store) Apply(p Plan, choices map[string]Choice) (Applied, error) {
	out := Applied{Restored: []string{}, Left: []Trouble{}}
	var do []Restore
	for _, r := range p.Files {
		choice := choices[r.Path]
		switch {
		case r.Action == Unable:
			out.Left = append(out.Left, Trouble{r.Path, r.Why})
		case choice == Leave || (r.Conflict || r.Uncertain) && choice != Take:
			out.Left = append(out.Left, Trouble{r.Path, ""})
		default:
			do = append(do, r)
		}
	}
	if len(do) == 0 {
		return out, nil
	}
	s.sweeping.RLock() // keep the content that the plan names
	defer s.sweeping.RUnlock()
	t, err := s.begin(header{Kind: kindRestore, Notebook: p.Notebook, Cell: p.Cell})
	if err != nil {
		return out, fmt.Errorf("restore files: %w", err)
	}
	out.ID = t.ID()
	for i, err := range t.restore(do) {
		if err != nil {
			out.Left = append(out.Left, Trouble{do[i].Path, explain(err)})
		} else {
			out.Restored = append(out.Restored, do[i].Path)
		}
	}
	if err := t.End(); err != nil {
		return out, fmt.Errorf("restore files: %w", err)
	}
	return out, nil
}

func explain(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// step is one path of a restore.
type step struct {
	Restore
	content []byte // to put there
	missing []string
	stamp   stamp
	err     error
}

// restore restores paths, and returns an error, or nil, for each. The present content is on the
// store's disk before anything is changed.
func (t *Recorder) restore(do []Restore) []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	steps := make([]*step, len(do))
	for i, r := range do {
		steps[i] = &step{Restore: r}
	}
	each(steps, func(s *step) { s.err = t.prepare(s) })
	err := t.announce(steps)
	var makes, files, removes []*step
	for _, s := range steps {
		switch {
		case err != nil:
			s.err = errors.Join(s.err, err)
		case s.err != nil:
		case s.To.Kind == Folder:
			makes = append(makes, s)
		case s.From.Kind == Folder:
			removes = append(removes, s)
		default:
			files = append(files, s)
		}
	}
	// A folder is created before its content, and removed after it.
	slices.SortFunc(makes, func(a, b *step) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(removes, func(a, b *step) int { return strings.Compare(b.Path, a.Path) })
	change := func(s *step) {
		if now, _ := stampOf(s.Path); s.From.Kind != Folder && now != s.stamp {
			s.err = fault.New(fault.Conflict, "it was changed just now")
		} else {
			s.err = put(s.Path, t.t.id, s.From, s.To, s.content)
		}
	}
	for _, s := range makes {
		change(s)
	}
	each(files, change)
	for _, s := range removes {
		change(s)
	}
	errs := make([]error, len(steps))
	err = t.left(func(string) bool { return true })
	for i, s := range steps {
		if errs[i] = s.err; err != nil {
			errs[i] = errors.Join(s.err, err)
		}
	}
	return errs
}

// each calls do for every step, some in parallel: most of a restore is waiting for the disk.
func each(steps []*step, do func(*step)) {
	var all sync.WaitGroup
	next := make(chan *step)
	for range min(16, len(steps)) {
		all.Go(func() {
			for s := range next {
				do(s)
			}
		})
	}
	for _, s := range steps {
		next <- s
	}
	close(next)
	all.Wait()
}

// prepare checks that a path is as the plan says, keeps it, and reads its new content.
func (t *Recorder) prepare(s *step) error {
	s.stamp, _ = stampOf(s.Path)
	now, content, err := readState(s.Path, t.s.limits.File)
	switch {
	case err != nil:
		return err
	case !now.same(s.From):
		return fault.New(fault.Conflict, "it was changed just now")
	}
	// A folder on the way that became a link leads somewhere else.
	real, missing, err := place(s.Path)
	if err != nil || real != s.Path {
		return errors.Join(err, fault.New(fault.Conflict, "a folder on the path to it was replaced"))
	}
	s.missing = missing
	if s.To.Kind == File {
		if s.content, err = t.s.objects.get(s.To.Sum, s.To.Size); err != nil {
			return err
		}
	}
	if now.Sum != "" {
		_, err = t.s.objects.put(content, true)
	}
	return err
}

// announce records the next steps in the log.
func (t *Recorder) announce(steps []*step) error {
	var records []record
	seen := map[string]bool{}
	for _, s := range steps {
		if s.err != nil {
			continue
		}
		for _, dir := range s.missing {
			if !seen[dir] {
				seen[dir] = true
				records = append(records, record{Before: &entry{Path: dir, State: absent, To: &State{Kind: Folder}}})
			}
		}
		if !seen[s.Path] {
			seen[s.Path] = true
			records = append(records, record{Before: &entry{Path: s.Path, State: s.From, To: &s.To, Undoes: s.undoes}})
		}
	}
	if err := t.write(records...); err != nil {
		return err
	}
	return t.file.Sync()
}

// tempName is the name under which a restore first writes the new content of a path: next to it, so
// that it can be renamed.
func tempName(path, turn string) string {
	return filepath.Join(filepath.Dir(path), ".mutsumi-"+turn+"-"+sumOf([]byte(path))[:8]+".tmp")
}

// put restores a path.
func put(path, turn string, from, to State, content []byte) error {
	if to.Kind == Absent {
		if from.Kind == Folder {
			if some, err := os.ReadDir(path); err != nil || len(some) > 0 {
				return errors.Join(err, fault.New(fault.Conflict, "other files are in this folder"))
			}
		}
		return os.Remove(path)
	}
	dir := filepath.Dir(path)
	if to.Kind == Folder {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := tempName(path, turn)
	switch {
	case to.Kind == Folder:
		return nil
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
