package checkpoint

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mutsumi/backend/git"
)

// cmdGrace is how long git may take to die.
const cmdGrace = 200 * time.Millisecond

// clockTick is how coarse the times of a file system may be, in nanoseconds:
// within one, a second change does not show.
const clockTick = int64(20 * time.Millisecond)

// gitignore is the name of the files that list what git ignores.
const gitignore = ".gitignore"

// Command is a shell command of a turn. Its changes cannot be known in advance, so the work tree is
// compared before and after. A change in between of a file that the command does not name is in
// doubt (see Doubt), unless a tool wrote the file through Before and After: then it is not the
// command's.
type Command struct {
	turn    *Recorder
	number  int      // of the turn's commands, from 1
	fromMs  int64    // when it began, by the log
	writes  []string // the files that it names as those it writes
	cut     bool     // the program ended while it ran
	dir     string
	repo    repo
	known   bool // the fields below are set
	startNs int64
	files   map[string]stamp  // the files in the work tree that are not ignored, relative
	ignores map[string][]byte // the .gitignore files of them that are so young that a change might not show; nil: not known
	tracked listing
	states  map[string]State // of files that differ from the index, kept
	head    string
	once    sync.Once
}

// stamp shows whether a file was touched, without reading it.
type stamp struct {
	mode        fs.FileMode
	size, modNs int64
	ino         uint64
	changedNs   int64
}

func stampOf(path string) (stamp, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, false
	}
	ino, changed := inodeOf(info)
	return stamp{info.Mode(), info.Size(), info.ModTime().UnixNano(), ino, changed}, true
}

// lookedAt is a file's state as read when it had a stamp.
type lookedAt struct {
	stamp stamp
	state State
}

// BeforeCommand looks at the git work tree of a folder, which a shell command is about to change,
// and keeps what git lacks. It takes at most Limits.Wait and never fails: the turn's notes list
// what cannot be found later. writes are the absolute paths that the command names as those it
// writes: other changes while it runs are in doubt. After, or the turn's End, must follow.
func (t *Recorder) BeforeCommand(ctx context.Context, dir string, writes ...string) *Command {
	if t == nil {
		return nil
	}
	c := &Command{turn: t, dir: dir, writes: realNames(writes)}
	t.mu.Lock()
	t.tally[c] = true
	c.number = len(t.t.commands) + 1 // changed under t.mu alone
	err := t.write(record{Command: dir, Number: c.number, Writes: c.writes})
	t.mu.Unlock()
	if err == nil {
		t.s.mu.Lock()
		c.fromMs = t.t.commands[c.number-1].fromMs
		t.s.mu.Unlock()
		ctx, cancel := context.WithTimeout(ctx, t.s.limits.Wait)
		defer cancel()
		if err = c.snapshot(ctx, dir); err == nil {
			_ = c.keepPending() // without it, only a crash leaves its changes unknown
		}
	}
	if err != nil {
		c.note("What commands in %s change cannot be found, and is not restored: %s.", dir, err)
	}
	return c
}

func (c *Command) note(format string, args ...any) {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	_ = c.turn.write(record{Note: fmt.Sprintf(format, args...)}) // without the note the turn still has what it knows
}

func (c *Command) snapshot(ctx context.Context, dir string) (err error) {
	s := c.turn.s
	if c.repo, err = findRepo(dir, filepath.Join(s.dir, "git")); err != nil {
		return err
	}
	if c.tracked, err = c.repo.listing(ctx, true); err != nil {
		return err
	}
	c.startNs, c.head = time.Now().UnixNano(), c.repo.head()
	c.files = make(map[string]stamp, len(c.tracked.tracked))
	for rel := range c.tracked.tracked {
		if st, ok := stampOf(c.abs(rel)); ok {
			c.files[rel] = st
		}
	}
	for _, rel := range c.tracked.untracked {
		if st, ok := stampOf(c.abs(rel)); ok {
			c.files[rel] = st
		}
	}
	c.ignores = map[string][]byte{}
	for rel, st := range c.files {
		if path.Base(rel) == gitignore && c.young(st) {
			c.ignores[rel] = git.Small(c.abs(rel))
		}
	}
	s.sweeping.RLock()
	defer s.sweeping.RUnlock()
	c.states = map[string]State{}
	left, skipped := s.limits.Command, 0
	for i, rel := range slices.Concat(c.tracked.changed, c.tracked.untracked) {
		most := min(left, s.limits.File)
		if i >= s.limits.Files || ctx.Err() != nil {
			most = 0
		}
		state, err := s.storeCached(c.abs(rel), c.files[rel], most)
		if err != nil {
			return err
		}
		if state.large() && state.Size > 0 {
			skipped++
		}
		left -= state.Size
		if state.Sum != "" {
			s.mu.Lock()
			s.pins[state.Sum]++
			s.mu.Unlock()
		}
		c.states[rel] = state
	}
	c.known = true
	if skipped > 0 {
		c.note("%d files in %s that git does not have are too large or too many to be kept: if a command changes them they cannot be restored.", skipped, c.repo.top)
	}
	if len(c.tracked.nested) > 0 {
		c.note("%s holds repositories of its own (%s): what commands change in them is not restored.", c.repo.top, c.tracked.nested[0])
	}
	return nil
}

func (c *Command) abs(rel string) string { return filepath.Join(c.repo.top, filepath.FromSlash(rel)) }

// storeCached keeps a file, unless the same version was kept before.
func (s *Store) storeCached(path string, now stamp, most int64) (State, error) {
	s.mu.Lock()
	was, ok := s.looks[path]
	s.mu.Unlock()
	settled := time.Now().UnixNano()-now.changedNs > clockTick
	if ok && settled && was.stamp == now && s.objects.has(was.state.Sum) {
		return was.state, nil
	}
	state, content, err := readState(path, most)
	if err != nil || state.Sum == "" {
		return state, err
	}
	if _, err := s.objects.put(content, false); err != nil { // too many for a sync each; a damaged one is found when it is read
		return State{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.looks) > 4*s.limits.Files {
		clear(s.looks)
	}
	s.looks[path] = lookedAt{now, state}
	return state, nil
}

// After finds the command's changes and records them. It does so once; concurrent callers wait for
// that.
func (c *Command) After() {
	if c != nil {
		c.once.Do(c.finish)
	}
}

func (c *Command) finish() {
	t, s := c.turn, c.turn.s
	defer func() {
		t.mu.Lock()
		delete(t.tally, c)
		t.mu.Unlock()
	}()
	defer c.dropPending()
	defer c.unpin()
	records := []record{{Ran: true, Number: c.number}}
	if c.known {
		ctx, cancel := context.WithTimeout(context.Background(), s.limits.Wait)
		defer cancel()
		s.sweeping.RLock()
		defer s.sweeping.RUnlock()
		found, err := c.find(ctx)
		records = append(found, records...)
		if err != nil {
			records = append(records, record{Note: fmt.Sprintf("What a command in %s changed cannot be found, and is not restored: %s.", c.repo.top, err)})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.write(records...); err == nil && len(records) > 1 {
		_ = t.file.Sync() // the command ran already: with the power only its undo would go
	}
}

func (c *Command) unpin() {
	s := c.turn.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, state := range c.states {
		if s.pins[state.Sum]--; s.pins[state.Sum] <= 0 {
			delete(s.pins, state.Sum)
		}
	}
}
