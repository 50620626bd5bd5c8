package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
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

// gitignore is the name of the files that say what git does not look at.
const gitignore = ".gitignore"

// Command is a shell command of a turn. What it changes cannot be known
// before, so that the work tree is looked at before and after; that somebody
// else changed a file meanwhile cannot be told from the command, unless it was
// an agent through Before and After.
type Command struct {
	turn    *Turn
	repo    repo
	known   bool // the fields below are set
	startNs int64
	files   map[string]stamp  // what is in the work tree and not ignored, relative
	ignores map[string][]byte // the .gitignore files of them that are so young that a change might not show; nil: not known
	tracked listing
	states  map[string]State // of what differs from the index, kept
	head    string
	once    sync.Once
}

// stamp tells whether a file was touched, without reading it.
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

// lookedAt is what was read of a file when it had a stamp.
type lookedAt struct {
	stamp stamp
	state State
}

// BeforeCommand looks at the git work tree that a folder is in, which a shell
// command is about to change, and keeps what git has not. It takes at most
// Limits.Wait and never fails: what cannot be found later is in the notes of
// the turn. After, or the turn's End, must follow.
func (t *Turn) BeforeCommand(ctx context.Context, dir string) *Command {
	if t == nil {
		return nil
	}
	c := &Command{turn: t}
	t.mu.Lock()
	t.tally[c] = true
	err := t.write(record{Command: dir})
	t.mu.Unlock()
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, t.s.limits.Wait)
		defer cancel()
		err = c.snapshot(ctx, dir)
	}
	if err != nil {
		c.note("What commands in %s change cannot be found, and is not restored: %s.", dir, err)
	}
	return c
}

func (c *Command) note(format string, args ...any) {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	_ = c.turn.write(record{Note: fmt.Sprintf(format, args...)}) // without the note the turn still says what it knows
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
		state, err := s.keepCached(c.abs(rel), c.files[rel], most)
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

// keepCached keeps a file, unless it is the one that was kept before.
func (s *Store) keepCached(path string, now stamp, most int64) (State, error) {
	s.mu.Lock()
	was, ok := s.looks[path]
	s.mu.Unlock()
	settled := time.Now().UnixNano()-now.changedNs > clockTick
	if ok && settled && was.stamp == now && s.objects.has(was.state.Sum) {
		return was.state, nil
	}
	state, content, err := look(path, most)
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

// After finds what the command changed and records it. It does so once; another
// caller waits for that.
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
	defer c.unpin()
	records := []record{{Ran: true}}
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

// find compares the work tree with what it was.
func (c *Command) find(ctx context.Context) ([]record, error) {
	s := c.turn.s
	now, err := c.repo.listing(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []record
	if c.repo.head() != c.head {
		out = append(out, record{Note: fmt.Sprintf("A command changed what is checked out in %s. Restoring puts files back, and leaves commits and branches as they are.", c.repo.top)})
	}
	touched, uncertain := c.touched(now)
	if uncertain > 0 {
		out = append(out, record{Note: fmt.Sprintf("A command changed what git ignores in %s: %d files that were not looked at before may be changed, and are not restored.", c.repo.top, uncertain)})
	}
	var names []string
	for _, rel := range touched {
		if _, kept := c.states[rel]; !kept && c.tracked.tracked[rel] != "" {
			names = append(names, c.tracked.tracked[rel])
		}
	}
	blobs, err := c.repo.blobs(ctx, names, s.limits.File, s.limits.Command)
	if err != nil {
		return out, err
	}
	for _, rel := range touched {
		file := c.abs(rel)
		before, lost, err := c.before(rel, blobs)
		if err != nil {
			return out, err
		}
		after, _, err := look(file, s.limits.File)
		if err != nil {
			return out, err
		}
		if was, ok := stampOf(file); lost && ok && was == c.files[rel] {
			continue // looked at since it is young: nothing says that it changed
		}
		if before.same(after) || s.written(file, after, c.startNs) {
			continue
		}
		if lost {
			out = append(out, record{Note: fmt.Sprintf("A command changed %s. What it was is not kept, so it cannot be restored.", file)})
		}
		out = append(out, record{Before: &entry{Path: file, State: before}}, record{After: &entry{Path: file, State: after}})
	}
	return out, nil
}

// young reports whether a file changed since the command began, or so shortly
// before that its stamp would not tell.
func (c *Command) young(st stamp) bool { return st.changedNs >= c.startNs-clockTick }

// touched lists what is not as it was by its stamp. A file that is seen for the
// first time although it was there is none that the command made.
func (c *Command) touched(now listing) (list []string, uncertain int) {
	ignores := false
	fresh := map[string]bool{}
	for rel := range c.files {
		st, ok := stampOf(c.abs(rel))
		other := !ok || st != c.files[rel]
		if !other && !c.young(st) {
			continue
		}
		list = append(list, rel)
		if path.Base(rel) == gitignore {
			had := c.ignores[rel]
			ignores = ignores || other || had == nil || !bytes.Equal(git.Small(c.abs(rel)), had)
		}
	}
	for _, rel := range slices.AppendSeq(slices.Clone(now.untracked), maps.Keys(now.tracked)) {
		if _, known := c.files[rel]; known {
			continue
		}
		if st, ok := stampOf(c.abs(rel)); ok && c.young(st) {
			fresh[rel] = true
			ignores = ignores || path.Base(rel) == gitignore
		}
	}
	for rel := range fresh {
		if _, wasTracked := c.tracked.tracked[rel]; ignores && !wasTracked && path.Base(rel) != gitignore {
			uncertain++
		} else {
			list = append(list, rel)
		}
	}
	slices.Sort(list)
	return list, uncertain
}

// before is the state of a path when the command began; lost says that its
// content is not known.
func (c *Command) before(rel string, blobs map[string][]byte) (state State, lost bool, err error) {
	if state, ok := c.states[rel]; ok {
		return state, state.large(), nil
	}
	st, there := c.files[rel]
	if !there {
		return absent, false, nil
	}
	content, ok := blobs[c.tracked.tracked[rel]]
	if st.mode&fs.ModeSymlink != 0 {
		return State{Kind: Link, Target: string(content)}, !ok, nil
	}
	state = State{Kind: File, Mode: st.mode.Perm(), Size: st.size}
	if ok && int64(len(content)) != st.size { // git may have other line ends than the disk
		content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
		ok = int64(len(content)) == st.size
	}
	if !ok {
		state.ModNs = st.modNs
		return state, true, nil
	}
	state.Sum, err = c.turn.s.objects.put(content, false)
	return state, false, err
}

// written reports whether an agent left a file in this state, or is changing
// it, since a time: then it was not the command.
func (s *Store) written(path string, state State, sinceNs int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.turns {
		if c := t.last[path]; c != nil && t.live && (c.after == nil || c.after.same(state) && c.atNs >= sinceNs) {
			return true
		}
	}
	return false
}
