package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/filelock"
)

// SignIn is the keyring's entry for the sign-in to an MCP server (SPEC 13.1): of a folder, or with
// "" of the settings. It implements signin.Keep.
//
// Two empty files in the state folder save asking the keyring: whether somebody signed in, and who
// works on the entry.
type SignIn struct {
	name string // of the entry
	file string // that exists if there is one
}

// SignIn returns the entry for what names a server, such as its name and its address.
func (v Servers) SignIn(folder string, what ...string) *SignIn {
	if folder != "" {
		folder = realPath(folder)
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{folder}, what...), "\x00")))
	id := hex.EncodeToString(sum[:16])
	return &SignIn{name: "mcp-sign-in:" + id, file: filepath.Join(v.store.StateFolder("sign-ins"), id)}
}

// Has implements signin.Keep.
func (s *SignIn) Has() bool {
	_, err := os.Stat(s.file)
	return err == nil
}

// On Windows an entry is limited to keyLimit, and a sign-in may be longer: then the entry names
// others, in two alternating sets, so that an interrupted write leaves the last one intact.
const (
	whole    = "=" // begins an entry that holds all
	maxParts = 40
)

func (s *SignIn) part(set string, n int) string { return fmt.Sprintf("%s:%s%d", s.name, set, n) }

// parts reads the set and the number that an entry names.
func parts(head string) (set string, n int) {
	if _, err := fmt.Sscanf(head, "%1s %d", &set, &n); err != nil || n < 0 || n > maxParts {
		return "", 0
	}
	return set, n
}

// Read implements signin.Keep.
func (s *SignIn) Read() (string, error) {
	head, err := keyringGet(s.name)
	if errors.Is(err, errNoKey) {
		return "", nil
	}
	if text, is := strings.CutPrefix(head, whole); err != nil || is {
		return text, err
	}
	set, n := parts(head)
	var text strings.Builder
	for i := range n {
		part, err := keyringGet(s.part(set, i))
		if errors.Is(err, errNoKey) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		text.WriteString(part)
	}
	return text.String(), nil
}

// Write implements signin.Keep.
func (s *SignIn) Write(text string) error {
	before, err := keyringGet(s.name)
	if err != nil && !errors.Is(err, errNoKey) {
		return err
	}
	old, many := parts(before)
	head := whole + text
	if len(head) > keyLimit {
		set := "a"
		if old == set {
			set = "b"
		}
		n := 0
		for ; text != ""; n++ {
			cut := min(len(text), keyLimit)
			if n == maxParts {
				return errors.New("it is too long for the keyring")
			}
			if err := keyringSet(s.part(set, n), text[:cut]); err != nil {
				return err
			}
			text = text[cut:]
		}
		head = fmt.Sprintf("%s %d", set, n)
	}
	if err := keyringSet(s.name, head); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(s.file, nil, 0o600); err != nil {
		return err
	}
	return s.drop(old, many)
}

// drop removes a set that is no longer used.
func (s *SignIn) drop(set string, n int) (all error) {
	for i := range n {
		all = errors.Join(all, keyringDelete(s.part(set, i)))
	}
	return all
}

// Remove implements signin.Keep.
func (s *SignIn) Remove() error {
	if !s.Has() {
		return nil
	}
	head, err := keyringGet(s.name)
	if err != nil && !errors.Is(err, errNoKey) {
		return err
	}
	if err := keyringDelete(s.name); err != nil {
		return err
	}
	if err := s.drop(parts(head)); err != nil {
		return err
	}
	if err := os.Remove(s.file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Lock implements signin.Keep.
func (s *SignIn) Lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.file+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for !filelock.Try(f) {
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return func() { f.Close() }, nil
}
