package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Swept reports what a sweep removed and left.
type Swept struct {
	Turns   int   `json:"turns"`
	Objects int   `json:"objects"`
	Freed   int64 `json:"freed"` // bytes
	Size    int64 `json:"size"`  // bytes that are left
}

// grace is how old content must be that no turn names: another process may be
// about to name it.
const grace = time.Hour

type object struct {
	path string
	size int64
	mod  time.Time
}

// Sweep forgets turns that are older than Limits.Age, then the oldest until the rest fits
// Limits.Size, and removes content that no turn names any longer. A turn in progress stays, and so
// does everything that a kept turn names. Call it now and then, such as when a folder is opened.
func (s *Store) Sweep() (Swept, error) {
	if err := s.refresh(); err != nil {
		return Swept{}, fmt.Errorf("sweep checkpoints: %w", err)
	}
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	found, err := s.objects.list()
	if err != nil {
		return Swept{}, fmt.Errorf("sweep checkpoints: %w", err)
	}
	var out Swept
	for _, o := range found {
		out.Size += o.size
	}
	names := s.names()
	for sum := range s.dropPendings() {
		names[sum]++ // a command under way will name it
	}
	oldest := s.now().Add(-s.limits.Age).UnixMilli()
	for _, t := range s.inOrder() {
		if t.live || t.AtMs >= oldest && out.Size-out.Freed <= s.limits.Size {
			continue
		}
		// The log first: content without a name is waste, a name without content is a loss.
		if err := os.Remove(filepath.Join(s.logs(), t.id+".log")); err != nil && !gone(err) {
			return out, fmt.Errorf("sweep checkpoints: %w", err)
		}
		delete(s.turns, t.id)
		out.Turns++
		for sum := range t.names() {
			if names[sum]--; names[sum] > 0 {
				continue
			}
			delete(names, sum)
			if o, ok := found[sum]; ok && s.pins[sum] == 0 {
				out.remove(o)
				delete(found, sum)
			}
		}
	}
	young := time.Now().Add(-grace)
	for sum, o := range found {
		if names[sum] == 0 && s.pins[sum] == 0 && o.mod.Before(young) {
			out.remove(o)
		}
	}
	out.Size -= out.Freed
	return out, nil
}

func (s *Swept) remove(o object) {
	if os.Remove(o.path) == nil {
		s.Objects++
		s.Freed += o.size
	}
}

// names counts for each content the turns that name it. Under s.mu.
func (s *Store) names() map[string]int {
	out := map[string]int{}
	for _, t := range s.turns {
		for sum := range t.names() {
			out[sum]++
		}
	}
	return out
}

// names is the content that a turn needs.
func (t *turn) names() map[string]bool {
	out := map[string]bool{}
	for _, c := range t.changes {
		if c.before.Sum != "" {
			out[c.before.Sum] = true
		}
		if c.to != nil && c.to.Sum != "" { // an undo of the restore's undo
			out[c.to.Sum] = true
		}
	}
	return out
}

// list finds all contents, by sum. Leftover temporary files are listed by their file name.
func (o objects) list() (map[string]object, error) {
	out := map[string]object{}
	err := filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreGone(err)
		}
		info, err := d.Info()
		if err != nil {
			return ignoreGone(err)
		}
		name := filepath.Base(path)
		if dir := filepath.Dir(path); dir != o.dir {
			name = filepath.Base(dir) + name
		}
		out[name] = object{path, info.Size(), info.ModTime()}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}
