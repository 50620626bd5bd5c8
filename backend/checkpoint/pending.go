package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
)

// pending is recorded while a command runs, so that its changes can be found even if the program
// does not see its end. It omits what git has: a copy of the index is stored next to it.
type pending struct {
	Top     string           `json:"top"`
	Dir     string           `json:"dir"`
	StartNs int64            `json:"startNs"`
	Head    string           `json:"head"`
	States  map[string]State `json:"states"` // names as in the log, see armour
}

func (s *Store) pendings() string { return filepath.Join(s.dir, "commands") }

// pendingFile is where a command of a turn is written down, without an ending.
func (s *Store) pendingFile(turn string, number int) string {
	return filepath.Join(s.pendings(), fmt.Sprintf("%s-%d", turn, number))
}

const (
	stateEnding = ".json"
	indexEnding = ".index"
)

// keepPending writes the command down. It need not outlast the power, only
// this process.
func (c *Command) keepPending() error {
	p := pending{Top: armour(c.repo.top), Dir: armour(c.dir), StartNs: c.startNs, Head: c.head, States: make(map[string]State, len(c.states))}
	for rel, state := range c.states {
		state.Target = armour(state.Target)
		p.States[armour(rel)] = state
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	file := c.turn.s.pendingFile(c.turn.t.id, c.number)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := copyFile(c.repo.index, file+indexEnding); err != nil && !gone(err) { // a new repository has none
		return err
	}
	return os.WriteFile(file+stateEnding, raw, 0o600)
}

func copyFile(from, to string) (err error) {
	in, err := open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is no ordinary file", from))
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

func (c *Command) dropPending() { c.turn.s.dropPending(c.turn.t.id, c.number) }

func (s *Store) dropPending(turn string, number int) {
	file := s.pendingFile(turn, number)
	_ = os.Remove(file + stateEnding) // else the next sweep takes it
	_ = os.Remove(file + indexEnding)
}

func (s *Store) readPending(file string) (p pending, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return pending{}, err
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return pending{}, err
	}
	states := make(map[string]State, len(p.States))
	for rel, state := range p.States {
		state.Target = bare(state.Target)
		states[bare(rel)] = state
	}
	p.Top, p.Dir, p.States = bare(p.Top), bare(p.Dir), states
	return p, nil
}

// recoverCommand finds the changes of a command during which the program ended. All of them are in
// doubt: others may have worked here since.
func (s *Store) recoverCommand(t *turn, number int) ([]record, error) {
	file := s.pendingFile(t.id, number)
	p, err := s.readPending(file + stateEnding)
	if err != nil {
		return nil, err
	}
	c := &Command{turn: &Recorder{s: s, t: t}, number: number, cut: true, startNs: p.StartNs, states: p.States, head: p.Head}
	s.mu.Lock()
	sp := t.commands[number-1]
	c.fromMs, c.writes = sp.fromMs, sp.writes
	s.mu.Unlock()
	if c.repo, err = findRepo(p.Dir, filepath.Join(s.dir, "git")); err != nil {
		return nil, err
	}
	if c.repo.top != p.Top {
		return nil, fault.New(fault.NotFound, "the work tree was replaced")
	}
	var out []record
	if c.repo.head() != c.head {
		out = append(out, c.movedHead())
	}
	c.repo.index = file + indexEnding // what git had then
	ctx, cancel := context.WithTimeout(context.Background(), s.limits.Wait)
	defer cancel()
	if c.tracked, err = c.repo.listing(ctx, true); err != nil {
		return nil, err
	}
	touched, uncertain := c.touchedSince()
	return c.compare(ctx, touched, uncertain, out)
}

// touchedSince is touched without old stamps: all files that differ from git's version, or are
// unknown to git.
func (c *Command) touchedSince() (list []string, uncertain int) {
	c.files = map[string]stamp{}
	ignores := false
	for rel := range c.states {
		list = append(list, rel)
	}
	for _, rel := range c.tracked.changed {
		if _, ok := c.states[rel]; !ok {
			c.files[rel] = stamp{mode: modeThen(c.tracked.modes[rel], c.abs(rel)), size: sizeUnknown}
			list = append(list, rel)
		}
	}
	for _, rel := range list {
		if path.Base(rel) == gitignore {
			now, _, err := readState(c.abs(rel), c.turn.s.limits.File)
			ignores = ignores || err != nil || !now.same(c.states[rel])
		}
	}
	var fresh []string
	for _, rel := range c.tracked.untracked {
		if _, ok := c.states[rel]; ok {
			continue
		}
		if st, ok := stampOf(c.abs(rel)); ok && c.young(st) {
			fresh = append(fresh, rel)
			ignores = ignores || path.Base(rel) == gitignore
		}
	}
	for _, rel := range fresh {
		if ignores && path.Base(rel) != gitignore {
			uncertain++
		} else {
			list = append(list, rel)
		}
	}
	slices.Sort(list)
	return list, uncertain
}

// sizeUnknown is the size in the stamp of a file that was not read in time.
const sizeUnknown = -1

// modeThen guesses the mode of a file from git's: the present permissions, with git's executable
// bits.
func modeThen(mode, file string) fs.FileMode {
	if mode == "120000" {
		return fs.ModeSymlink
	}
	perm := fs.FileMode(0o644)
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		perm = info.Mode().Perm()
	}
	if mode == "100755" {
		return perm | perm>>2&0o111
	}
	return perm &^ 0o111
}

// dropPendings removes the records of commands whose turns have ended, and returns the contents
// that the others name. Under s.mu.
func (s *Store) dropPendings() (named map[string]bool) {
	named = map[string]bool{}
	files, err := os.ReadDir(s.pendings())
	if err != nil {
		return named
	}
	for _, f := range files {
		at := strings.LastIndexByte(f.Name(), '-')
		file := filepath.Join(s.pendings(), f.Name())
		info, err := f.Info()
		t := s.turns[f.Name()[:max(at, 0)]]
		if t != nil && t.endMs != 0 || t == nil && err == nil && time.Since(info.ModTime()) > grace { // another process may just have begun it
			_ = os.Remove(file) // else the next sweep takes it
			continue
		}
		if p, err := s.readPending(file); err == nil {
			for _, state := range p.States {
				named[state.Sum] = true
			}
		}
	}
	return named
}
