package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mutsumi/backend/atomicfile"
	"mutsumi/backend/lock"
)

// maxFile is how large the record of a notebook may become, in bytes.
const maxFile = 4 << 20

// maxKnown is the number of files whose ends a Store remembers.
const maxKnown = 64

// Store writes records. It is safe for concurrent use: agents wait only for others
// that write the same file. Two processes may write the same file, but for the moment
// in which one of them shortens it.
type Store struct {
	mu    lock.Mutex // guards the fields below; the disk is never touched under it
	known []*record  // the one used last is the last
}

// record is a file that a Store writes.
type record struct {
	file  string
	users int // under the mu of the Store

	mu  lock.Mutex // one line is written at a time
	end end
}

// end is the end of a file.
type end struct {
	known  bool
	number int
	chunks []uint32
	size   int64 // of the file
}

// NewStore returns a Store.
func NewStore() *Store { return &Store{} }

// Sent adds a request to a file, which is made if need be, and returns its number.
func (s *Store) Sent(file string, r Request) (number int, err error) {
	err = s.do(file, func(rec *record) error {
		if err := rec.look(); err != nil {
			return err
		}
		r.Number = rec.end.number + 1
		text, err := encode(r, rec.end.chunks)
		if err != nil {
			return fmt.Errorf("keep the record of a request: %w", err)
		}
		if err := rec.add(text); err != nil {
			return err
		}
		rec.end.number, rec.end.chunks, number = r.Number, r.print.Chunks, r.Number
		return nil
	})
	return number, err
}

// Answered adds the result of a request.
func (s *Store) Answered(file string, number int, a Answer) error {
	return s.do(file, func(rec *record) error {
		if err := rec.look(); err != nil {
			return err
		}
		text, err := json.Marshal(line{Answer: &answerLine{number, a}})
		if err != nil {
			return fmt.Errorf("keep the record of an answer: %w", err)
		}
		return rec.add(append(text, '\n'))
	})
}

// do calls f with the record of a file, alone with it. The record used longest ago is
// forgotten when there are too many, unless somebody uses it.
func (s *Store) do(file string, f func(*record) error) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.known, func(r *record) bool { return r.file == file })
	rec := &record{file: file}
	if i >= 0 {
		rec = s.known[i]
		s.known = slices.Delete(s.known, i, i+1)
	}
	s.known = append(s.known, rec)
	rec.users++
	for len(s.known) > maxKnown {
		oldest := slices.IndexFunc(s.known, func(r *record) bool { return r.users == 0 })
		if oldest < 0 {
			break
		}
		s.known = slices.Delete(s.known, oldest, oldest+1)
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		rec.users--
		s.mu.Unlock()
	}()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return f(rec)
}

// look reads the end of the file, again if another process wrote it. First it cuts off torn lines
// and the excess.
func (r *record) look() error {
	size := int64(0)
	if info, err := os.Stat(r.file); err == nil {
		size = info.Size()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the record of requests: %w", err)
	}
	if r.end.known && r.end.size == size && size <= maxFile {
		return nil
	}
	if size == 0 {
		r.end = end{known: true}
		return nil
	}
	r.end = end{}
	text, err := os.ReadFile(r.file)
	if err == nil {
		text, err = shorten(text)
	}
	if err != nil {
		return fmt.Errorf("read the record of requests: %w", err)
	}
	if int64(len(text)) != size {
		if err := atomicfile.Write(r.file, text); err != nil {
			return fmt.Errorf("shorten the record of requests: %w", err)
		}
	}
	r.end = end{known: true, size: int64(len(text))}
	all := parse(text, 0)
	if n := len(all); n > 0 {
		r.end.number, r.end.chunks = all[n-1].Number, all[n-1].print.Chunks
	}
	return nil
}

// add appends a line in one piece.
func (r *record) add(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(r.file), 0o700); err != nil {
		return fmt.Errorf("make the folder for the record of requests: %w", err)
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep the record of a request: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep the record of a request: %w", err)
	}
	r.end.size += int64(len(text))
	return nil
}

// Read returns the requests in a file, oldest first; none if there is no file. Only the request
// with a number has the chunks of its body, 0 for the last one.
func Read(file string, number int) ([]Request, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of requests: %w", err)
	}
	return parse(text, number), nil
}

// parse reads lines, see Read. It skips foreign and torn ones.
func parse(text []byte, number int) (all []Request) {
	at := map[int]int{} // number -> index
	var before Request
	offset := 0
	for text := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		offset += len(text)
		var l line
		if json.Unmarshal(text, &l) != nil {
			continue
		}
		switch {
		case l.Sent != nil:
			if n := len(all); n > 0 && before.Number == number {
				before.print.Chunks = slices.Clone(before.print.Chunks) // the next one overwrites them
			} else if n > 0 {
				all[n-1].print.Chunks = nil
			}
			before = l.Sent.decode(before)
			before.end = offset
			at[before.Number] = len(all)
			all = append(all, before)
		case l.Answer != nil:
			if i, ok := at[l.Answer.To]; ok {
				all[i].Answer = &l.Answer.Answer
			}
		}
	}
	return all
}

// shorten returns the text of a record without a torn line at its end, and without its
// older half if it is too long.
func shorten(text []byte) ([]byte, error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if len(text) <= maxFile {
		return text, nil
	}
	half := 0 // the request that becomes the first one
	for _, r := range parse(text, 0) {
		if half = r.Number; r.end > len(text)/2 {
			break
		}
	}
	for _, r := range parse(text, half) {
		if r.Number == half {
			first, err := encode(r, nil)
			return append(first, text[r.end:]...), err
		}
	}
	return nil, nil // nothing in it is ours
}
