package checkpoint

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// A turn is a file of lines, each a record as JSON. Lines are only appended, so that whatever ends
// the program leaves all but the last line complete; an incomplete last line was not acted upon
// yet.

// record is one line; one of its fields is set.
type record struct {
	Turn    *header `json:"turn,omitempty"`    // the first line
	Before  *entry  `json:"before,omitempty"`  // a path is about to be changed
	After   *entry  `json:"after,omitempty"`   // it was changed
	Note    string  `json:"note,omitempty"`    // what could not be found or kept, for a person
	Command string  `json:"command,omitempty"` // a shell command begins in this folder
	Ran     bool    `json:"ran,omitempty"`     // it ended; its changes precede this line
	EndMs   int64   `json:"endMs,omitempty"`
	Cut     bool    `json:"cut,omitempty"`  // the process that wrote this was gone: closed by another
	AtMs    int64   `json:"atMs,omitempty"` // of Before, After, Command and Ran: when the line was written

	Number int      `json:"number,omitempty"` // of Command and Ran: which command of the turn, from 1
	Writes []string `json:"writes,omitempty"` // of Command: the files that it names as those it writes
}

type header struct {
	Version  int    `json:"version"`
	Kind     kind   `json:"kind"`
	Notebook string `json:"notebook"`
	Cell     string `json:"cell,omitempty"`
	AtMs     int64  `json:"atMs"`
}

type kind string

const (
	kindTurn    kind = "turn"    // an agent's
	kindRestore kind = "restore" // Apply
	kindReject  kind = "reject"  // RejectHunk: a person's change to an agent's result
)

type entry struct {
	Path   string   `json:"path"`
	State  State    `json:"state"`
	To     *State   `json:"to,omitempty"`     // of a restore: the state to restore
	Undoes []string `json:"undoes,omitempty"` // of a restore: the turns whose changes of this path it reverts

	Command int    `json:"command,omitempty"` // found after this command of the turn
	Doubt   Doubt  `json:"doubt,omitempty"`   // of After: why it may be somebody else's
	By      string `json:"by,omitempty"`      // of Doubt: the other notebook
}

const logVersion = 1

// turn is a file of lines, read.
type turn struct {
	header
	id       string
	size     int64 // of the file's part that was read
	changes  []*change
	last     map[string]*change // by path
	notes    []string
	commands []*span // by their numbers, from 1
	endMs    int64   // 0: not ended
	cut      bool    // ended by recoverTurns
	live     bool    // in this process: its file is not read
	whole    int64   // bytes of the lines that are whole
}

// change is a change of one path, from one kept state to another.
type change struct {
	turn   string
	path   string
	before State
	after  *State // nil: not known yet
	was    *State // the previous after, before another change
	to     *State
	undoes []string
	atMs   int64 // when it was changed last, or is about to be

	command int    // found after this command; 0: a tool's own
	doubt   Doubt  // why it may be somebody else's
	by      string // of doubt: the other notebook
}

// take applies a record.
func (t *turn) take(r record) {
	switch {
	case r.Turn != nil:
		t.header = *r.Turn
	case r.Before != nil && leftAlone(r.Before.Path): // an earlier version kept it
	case r.Before != nil:
		c := t.last[r.Before.Path]
		if c != nil && c.after != nil && c.after.same(r.Before.State) && r.Before.To == nil {
			c.was, c.after = c.after, nil // nobody else touched it: the change continues
			c.atMs, c.command = max(c.atMs, r.AtMs), r.Before.Command
			return
		}
		c = &change{turn: t.id, path: r.Before.Path, before: r.Before.State, to: r.Before.To, undoes: r.Before.Undoes, atMs: max(r.AtMs, t.AtMs), command: r.Before.Command}
		t.changes = append(t.changes, c)
		t.last[c.path] = c
	case r.After != nil:
		if c := t.last[r.After.Path]; c != nil {
			if c.after == nil || !c.after.same(r.After.State) {
				c.atMs = max(c.atMs, r.AtMs)
			}
			c.after = &r.After.State
			if r.After.Doubt != "" {
				c.doubt, c.by = r.After.Doubt, r.After.By
			}
		}
	case r.Note != "":
		if !slices.Contains(t.notes, r.Note) {
			t.notes = append(t.notes, r.Note)
		}
	case r.Command != "":
		t.commands = append(t.commands, &span{dir: r.Command, fromMs: max(r.AtMs, t.AtMs), writes: r.Writes})
	case r.Ran:
		if i := r.Number - 1; i >= 0 && i < len(t.commands) {
			t.commands[i].toMs = max(r.AtMs, 1)
		} else if open := t.open(); r.Number == 0 && len(open) > 0 { // an earlier version gave no numbers
			open[len(open)-1].toMs = 1
		}
	case r.EndMs != 0:
		t.endMs = r.EndMs
	case r.Cut:
		t.cut, t.endMs = true, 1
	}
}

// open lists the commands that have not ended.
func (t *turn) open() (list []*span) {
	for _, sp := range t.commands {
		if sp.toMs == 0 {
			list = append(list, sp)
		}
	}
	return list
}

// encode makes a line. Names that are not UTF-8, which JSON cannot hold, are written as hexadecimal
// digits after a NUL, which no name has.
func (r record) encode() ([]byte, error) {
	for _, e := range []**entry{&r.Before, &r.After} {
		if *e != nil {
			c := **e
			c.Path, c.State.Target = armour(c.Path), armour(c.State.Target)
			if c.To != nil {
				to := *c.To
				to.Target = armour(to.Target)
				c.To = &to
			}
			*e = &c
		}
	}
	if len(r.Writes) > 0 {
		r.Writes = slices.Clone(r.Writes)
		for i := range r.Writes {
			r.Writes[i] = armour(r.Writes[i])
		}
	}
	b, err := json.Marshal(r)
	return append(b, '\n'), err
}

func armour(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return "\x00" + hex.EncodeToString([]byte(name))
}

func bare(name string) string {
	if digits, ok := strings.CutPrefix(name, "\x00"); ok {
		if b, err := hex.DecodeString(digits); err == nil {
			return string(b)
		}
	}
	return name
}

// parseTurn reads a file of lines, up to the first that is not whole.
func parseTurn(id string, data []byte) (*turn, error) {
	t := &turn{id: id, size: int64(len(data)), last: map[string]*change{}}
	for first := true; ; first = false {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		var r record
		if !whole || json.Unmarshal(line, &r) != nil {
			if first {
				return nil, errors.New("it has no first line")
			}
			return t, nil
		}
		if first && (r.Turn == nil || r.Turn.Version != logVersion) {
			return nil, errors.New("it is of another version")
		}
		for _, e := range []*entry{r.Before, r.After} {
			if e != nil {
				e.Path, e.State.Target = bare(e.Path), bare(e.State.Target)
				if e.To != nil {
					e.To.Target = bare(e.To.Target)
				}
			}
		}
		for i := range r.Writes {
			r.Writes[i] = bare(r.Writes[i])
		}
		t.take(r)
		t.whole += int64(len(line)) + 1
	}
}

// refresh reads the turns that another process wrote, and all of them at first.
func (s *Store) refresh() error {
	files, err := os.ReadDir(s.logs())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := make(map[string]bool, len(files))
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".log")
		if !ok {
			continue
		}
		there[id] = true
		known := s.turns[id]
		if known != nil && (known.live || known.endMs != 0) {
			continue
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && known != nil && info.Size() == known.size {
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.logs(), f.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read turn %s: %w", id, err)
		}
		if t, err := parseTurn(id, data); err == nil { // otherwise ignore it: it was cut off at its first line, or is of a later version
			s.turns[id] = t
			var ns int64
			if _, err := fmt.Sscanf(id, "%x-", &ns); err == nil {
				s.lastNs = max(s.lastNs, ns)
			}
		}
	}
	for id := range s.turns {
		if !there[id] && !s.turns[id].live {
			delete(s.turns, id)
		}
	}
	return nil
}

// inOrder lists the turns from the oldest to the newest. Under s.mu.
func (s *Store) inOrder() []*turn {
	all := make([]*turn, 0, len(s.turns))
	for _, t := range s.turns {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *turn) int { return strings.Compare(a.id, b.id) })
	return all
}
