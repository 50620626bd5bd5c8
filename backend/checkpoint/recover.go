package checkpoint

import (
	"errors"
	"os"
	"path/filepath"

	"mutsumi/backend/filelock"
)

// recoverTurns closes the turns of processes that are gone. What their last changes
// came to is seen on the disk now, before anybody changes it further, and
// written down; where it cannot be seen it stays unknown. Half-written files
// of restores go.
func (s *Store) recoverTurns() error {
	s.mu.Lock()
	var open []*turn
	for _, t := range s.turns {
		if t.endMs == 0 && !t.live {
			open = append(open, t)
		}
	}
	s.mu.Unlock()
	for _, t := range open {
		if err := s.recoverTurn(t); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

func (s *Store) recoverTurn(t *turn) (err error) {
	f, err := os.OpenFile(filepath.Join(s.logs(), t.id+".log"), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !filelock.Try(f) {
		return nil // another process is at it
	}
	if err := f.Truncate(t.whole); err != nil { // a last line that is not whole
		return err
	}
	var records []record
	for _, c := range t.changes {
		if c.after != nil {
			continue
		}
		if t.Kind != kindTurn {
			_ = os.Remove(tempName(c.path, t.id)) // it rarely exists
		}
		now, _, err := readState(c.path, s.limits.File)
		if err != nil {
			continue
		}
		if now.same(c.before) || c.to != nil && now.same(*c.to) || c.was != nil && now.same(*c.was) {
			records = append(records, record{After: &entry{Path: c.path, State: now}})
		}
	}
	for i, sp := range t.commands {
		if sp.toMs != 0 {
			continue
		}
		if found, err := s.recoverCommand(t, i+1); err == nil { // otherwise its changes are unknown, as the turn's notes say
			records = append(records, found...)
			records = append(records, record{Ran: true, Number: i + 1})
		}
	}
	records = append(records, record{Cut: true})
	var all []byte
	for _, r := range records {
		line, err := r.encode()
		if err != nil {
			return err
		}
		all = append(all, line...)
	}
	if _, err := f.Write(all); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		t.take(r)
	}
	for i := range t.commands {
		s.dropPending(t.id, i+1)
	}
	return nil
}
