package checkpoint

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/filelock"
	"mutsumi/backend/lock"
)

// Recorder records an agent's answer to one prompt. Its methods may be called from many goroutines,
// and do nothing on a nil Recorder.
type Recorder struct {
	s     *Store
	t     *turn
	mu    lock.Mutex // one record after the other
	file  *os.File
	tally map[*Command]bool // under way
}

// Begin opens a turn of an agent; both names are the caller's. End closes it.
func (s *Store) Begin(notebook, cell string) (*Recorder, error) {
	t, err := s.begin(header{Kind: kindTurn, Notebook: notebook, Cell: cell})
	if err != nil {
		return nil, fmt.Errorf("begin checkpoint: %w", err)
	}
	return t, nil
}

func (s *Store) begin(h header) (*Recorder, error) {
	now := s.now()
	h.Version, h.AtMs = logVersion, now.UnixMilli()
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	s.mu.Lock()
	s.lastNs = max(now.UnixNano(), s.lastNs+1) // the order of turns is that of their names
	id := fmt.Sprintf("%016x-%s", s.lastNs, hex.EncodeToString(b[:]))
	t := &turn{id: id, last: map[string]*change{}, live: true}
	s.turns[id] = t
	s.mu.Unlock()
	file, err := os.OpenFile(filepath.Join(s.logs(), id+".log"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	out := &Recorder{s: s, t: t, file: file, tally: map[*Command]bool{}}
	if err == nil {
		filelock.Try(file) // for recoverTurns: gone with the process
		err = out.write(record{Turn: &h})
	}
	if err != nil {
		if file != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
		s.mu.Lock()
		delete(s.turns, id)
		s.mu.Unlock()
		return nil, err
	}
	return out, nil
}

// ID names the turn.
func (t *Recorder) ID() string {
	if t == nil {
		return ""
	}
	return t.t.id
}

// write appends records in one piece and then takes them in. Under t.mu, or
// before anybody else has the turn.
func (t *Recorder) write(records ...record) error {
	if t.file == nil {
		return fault.New(fault.Internal, "this turn has ended")
	}
	var all []byte
	for i := range records {
		r := &records[i]
		if r.Before != nil || r.After != nil || r.Command != "" || r.Ran {
			r.AtMs = t.s.now().UnixMilli()
		}
		line, err := r.encode()
		if err != nil {
			return err
		}
		all = append(all, line...)
	}
	if _, err := t.file.Write(all); err != nil {
		return err
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	for _, r := range records {
		t.t.take(r)
	}
	return nil
}

// Before keeps the state of an absolute path that a tool is about to change; call it before every
// change. If it fails nothing is kept, the turn's notes say so, and the caller decides whether the
// change continues. A link is kept with its target file. A file above Limits.File is not kept, and
// the turn's notes say so.
func (t *Recorder) Before(path string) error {
	if t == nil {
		return nil
	}
	t.s.sweeping.RLock()
	defer t.s.sweeping.RUnlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.beforeLocked(path, 0); err != nil {
		if t.file != nil {
			_ = t.write(record{Note: fmt.Sprintf("%s could not be kept before it was changed: it cannot be restored.", path)})
		}
		return fmt.Errorf("keep %s for undo: %w", path, err)
	}
	return nil
}

// beforeLocked is Before under both locks. depth counts links.
func (t *Recorder) beforeLocked(path string, depth int) error {
	path, missing, err := place(path)
	if err != nil {
		return err
	}
	if leftAlone(path) {
		return nil
	}
	s := t.s
	var records []record
	for _, dir := range missing {
		if t.isIdle(dir) {
			records = append(records, record{Before: &entry{Path: dir, State: absent}})
		}
	}
	if t.isIdle(path) {
		state, content, err := readState(path, s.limits.File)
		if err != nil {
			return err
		}
		if state.Sum != "" {
			if _, err := s.objects.put(content, true); err != nil {
				return err
			}
		}
		records = append(records, record{Before: &entry{Path: path, State: state}})
		if state.large() {
			records = append(records, record{Note: tooLarge(path, state.Size, s.limits.File)})
		}
		if state.Kind == Link && depth < 10 {
			target := state.Target
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			if info, err := os.Stat(target); err == nil && info.Mode().IsRegular() || gone(err) {
				if err := t.beforeLocked(target, depth+1); err != nil {
					return err
				}
			}
		}
	}
	if len(records) == 0 {
		return nil
	}
	if err := t.write(records...); err != nil {
		return err
	}
	return t.file.Sync() // the old state must be stored before it is changed
}

// isIdle reports whether no change of a path is under way.
func (t *Recorder) isIdle(path string) bool {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	c := t.t.last[path]
	return c == nil || c.after != nil
}

// After records the state in which a change left a path. Call it after every change, so that later
// changes by others are noticed; End does it for changes without After.
func (t *Recorder) After(path string) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	real, _, err := place(path)
	if err == nil {
		err = t.left(func(p string) bool {
			return p == real || strings.HasPrefix(real, p+string(filepath.Separator)) || t.leadsTo(real, p)
		})
	}
	if err != nil {
		return fmt.Errorf("record what was left at %s: %w", path, err)
	}
	return nil
}

// leadsTo reports whether path is a link whose target, directly or through other links, is p.
func (t *Recorder) leadsTo(path, p string) bool {
	for range 10 {
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if path, _, err = place(target); err != nil {
			return false
		}
		if path == p {
			return true
		}
	}
	return false
}

// left records the state of the paths that are being changed.
func (t *Recorder) left(wanted func(path string) bool) error {
	t.s.mu.Lock()
	var open []*change
	for _, c := range t.t.changes {
		if c.after == nil {
			open = append(open, c)
		}
	}
	t.s.mu.Unlock()
	var records []record
	for _, c := range open {
		if !wanted(c.path) {
			continue
		}
		state, _, err := readState(c.path, t.s.limits.File)
		if err != nil {
			return err
		}
		records = append(records, record{After: &entry{Path: c.path, State: state}})
	}
	if len(records) == 0 {
		return nil
	}
	return t.write(records...)
}

// End closes the turn and its running commands. For changes without After, it records the present
// state on disk. A second End does nothing.
func (t *Recorder) End() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	commands := make([]*Command, 0, len(t.tally))
	for c := range t.tally {
		commands = append(commands, c)
	}
	t.mu.Unlock()
	for _, c := range commands {
		c.After()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	err := t.left(func(string) bool { return true })
	err = errors.Join(err, t.write(record{EndMs: max(1, t.s.now().UnixMilli())}), t.file.Sync(), t.file.Close())
	t.file = nil
	t.s.mu.Lock()
	t.t.live = false
	t.s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("end checkpoint: %w", err)
	}
	return nil
}

func tooLarge(path string, size, most int64) string {
	return fmt.Sprintf("%s has %d MB; files above %d MB are not kept, so this one cannot be restored.", path, size>>20, most>>20)
}

// TurnInfo is a turn for a list.
type TurnInfo struct {
	ID       string   `json:"id"`
	Notebook string   `json:"notebook"`
	Cell     string   `json:"cell,omitempty"`
	AtMs     int64    `json:"atMs"`
	Restore  bool     `json:"restore"` // Apply made it: PlanUndo takes it back
	Ended    bool     `json:"ended"`   // false: under way, or cut off with the program
	Files    int      `json:"files"`
	Notes    []string `json:"notes"` // what could not be found or kept
}

// Turns lists the turns of an agent that are kept, from the oldest to the newest.
func (s *Store) Turns(notebook string) ([]TurnInfo, error) {
	if err := s.refresh(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []TurnInfo{}
	for _, t := range s.inOrder() {
		if t.Notebook == notebook && t.Kind != kindReject {
			out = append(out, TurnInfo{
				ID: t.id, Notebook: t.Notebook, Cell: t.Cell, AtMs: t.AtMs, Restore: t.Kind == kindRestore,
				Ended: t.endMs != 0 && !t.cut, Files: len(t.last), Notes: t.said(),
			})
		}
	}
	return out, nil
}

// said returns what a person has to know about a turn. Under s.mu.
func (t *turn) said() []string {
	notes := append([]string{}, t.notes...)
	for _, sp := range t.open() {
		if t.cut {
			notes = append(notes, fmt.Sprintf("The program ended while a command ran in %s: what it changed is not known.", sp.dir))
		}
	}
	return notes
}
