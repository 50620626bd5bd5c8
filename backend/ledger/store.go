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

// Store writes records. It is safe for concurrent use. Two processes may write the
// same file, but for the moment in which one of them shortens it.
type Store struct {
	mu   lock.Mutex
	last map[string]last // by file
}

// last is what a file ends with.
type last struct {
	number int
	chunks []uint32
	size   int64 // of the file
}

// NewStore returns a Store.
func NewStore() *Store { return &Store{last: map[string]last{}} }

// Sent adds a request to a file, which is made if need be, and returns its number.
func (s *Store) Sent(file string, r Request) (number int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, err := s.end(file)
	if err != nil {
		return 0, err
	}
	r.Number = end.number + 1
	text, err := encode(r, end.chunks)
	if err != nil {
		return 0, fmt.Errorf("keep the record of a request: %w", err)
	}
	if err := s.add(file, text); err != nil {
		return 0, err
	}
	now := s.last[file]
	now.number, now.chunks = r.Number, r.print.Chunks
	s.last[file] = now
	return r.Number, nil
}

// Answered adds how a request ended.
func (s *Store) Answered(file string, number int, a Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.end(file); err != nil {
		return err
	}
	text, err := json.Marshal(line{Answer: &answerLine{number, a}})
	if err != nil {
		return fmt.Errorf("keep the record of an answer: %w", err)
	}
	return s.add(file, append(text, '\n'))
}

// end returns what a file ends with. It is read again when another process wrote it.
// What was torn, or is too much, is cut off first.
func (s *Store) end(file string) (last, error) {
	size := int64(0)
	if info, err := os.Stat(file); err == nil {
		size = info.Size()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return last{}, fmt.Errorf("read the record of requests: %w", err)
	}
	end, known := s.last[file]
	if known && end.size == size && size <= maxFile {
		return end, nil
	}
	if size == 0 {
		s.last[file] = last{}
		return last{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return last{}, fmt.Errorf("read the record of requests: %w", err)
	}
	if text, err = shorten(text); err != nil {
		return last{}, err
	}
	if int64(len(text)) != size {
		if err := atomicfile.Write(file, text); err != nil {
			return last{}, fmt.Errorf("shorten the record of requests: %w", err)
		}
	}
	all := parse(text, 0)
	end = last{size: int64(len(text))}
	if n := len(all); n > 0 {
		end.number, end.chunks = all[n-1].Number, all[n-1].print.Chunks
	}
	s.last[file] = end
	return end, nil
}

// add appends a line in one piece.
func (s *Store) add(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("make the folder for the record of requests: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep the record of a request: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep the record of a request: %w", err)
	}
	end := s.last[file]
	end.size += int64(len(text))
	s.last[file] = end
	return nil
}

// Read returns the requests in a file, oldest first; none where there is no file.
// The chunks of a body are those of the request with a number only, 0 for the last one.
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

// parse reads lines, see Read. What is none of ours, or was torn, is passed over.
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
