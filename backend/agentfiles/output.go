package agentfiles

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
)

// What commands printed in colour is kept in the state folder, which no agent
// may touch. A notebook has the plain text that the model got: it stays small,
// and readable as a file. Where the colours are gone, that text is shown.
const (
	outputsLimit = 128 << 20 // of all notebooks of all folders, in bytes
	outputsAge   = 180 * 24 * time.Hour
)

// outputName matches the names of kept outputs. Names come from notebooks, and notebooks may come
// from anywhere.
var outputName = lazyregexp.New(`^[a-z0-9]{26}$`)

// KeepOutput keeps the output of a command as it came, with the sequences of a
// terminal, and returns the name for it; "" when it cannot be kept.
func (s *Store) KeepOutput(uuid, raw string) (name string) {
	dir := s.terminal
	if uuid == "" || os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	name = strings.ToLower(rand.Text())
	if os.WriteFile(filepath.Join(dir, s.name(uuid)+"-"+name), []byte(raw), 0o600) != nil {
		return ""
	}
	return name
}

// KeepResult puts a result of a tool into the scratch folder of a notebook, once,
// and returns its absolute path; "" for a notebook without identity.
func (s *Store) KeepResult(uuid, text string) (path string, err error) {
	dir, err := s.Scratch(uuid)
	if err != nil || dir == "" {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	path = filepath.Join(dir, "result-"+hex.EncodeToString(sum[:8])+".txt")
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(text)) {
		return path, nil
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("keep a long result: %w", err)
	}
	return path, nil
}

// Output returns the output of a command as it came, by the name that KeepOutput
// gave. NotFound: it is not kept.
func (s *Store) Output(uuid, name string) (string, error) {
	gone := fault.New(fault.NotFound, "The colours of this output are not kept any more.")
	if uuid == "" || !outputName.MatchString(name) {
		return "", gone
	}
	raw, err := os.ReadFile(filepath.Join(s.terminal, s.name(uuid)+"-"+name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", gone
	case err != nil:
		return "", fault.New(fault.Internal, "Could not read the output of the command: %w.", err)
	}
	return string(raw), nil
}

// forgetOutputs removes the output kept for a deleted notebook.
func (s *Store) forgetOutputs(uuid string) {
	dir := s.terminal
	entries, _ := os.ReadDir(dir) // the rest is pruned when old
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), s.name(uuid)+"-") {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// pruneFiles removes the files of a folder that were written before a time, and of the remaining
// ones the oldest beyond limit bytes.
func pruneFiles(dir string, before time.Time, limit int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // it does not exist
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for _, info := range infos {
		if total += info.Size(); total > limit || info.ModTime().Before(before) {
			os.Remove(filepath.Join(dir, info.Name())) // a file that cannot be removed stays until the next start
		}
	}
}
