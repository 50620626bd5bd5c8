package agentfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/files"
)

// Store stores the files of the agents of one folder. It is as safe for concurrent use as the file
// system.
type Store struct {
	cache    cacheFolder
	terminal string // where the output of commands is kept
	folder   string
}

// New returns the store of a folder, absolute. cacheDir is for files that can be recreated, "" for
// the system's; terminal is the folder for the output of commands.
func New(cacheDir, terminal, folder string) *Store {
	return &Store{newCacheFolder(cacheDir), terminal, folder}
}

// name is the name of a notebook's data in this folder: two folders may contain the same uuid.
func (s *Store) name(uuid string) string {
	sum := sha256.Sum256([]byte(files.Real(s.folder)))
	return uuid + "-" + hex.EncodeToString(sum[:4])
}

// Cache is a folder of that name for files that can be recreated; "" if impossible.
func (s *Store) Cache(name string) string {
	if s.cache == "" {
		return ""
	}
	return filepath.Join(string(s.cache), name)
}

// Scratch is the notebook's own folder for output that is too long for a model, which the agent may
// read; "" for a notebook without identity.
func (s *Store) Scratch(uuid string) (string, error) {
	if uuid == "" {
		return "", nil
	}
	dir := filepath.Join(s.cache.outputs(), s.name(uuid))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for long output: %w", err)
	}
	now := time.Now()
	os.Chtimes(dir, now, now) // mark it as used: old folders are pruned
	return dir, nil
}

// ScratchThere is Scratch without creating the folder: "" if it does not exist.
func (s *Store) ScratchThere(uuid string) string {
	dir := filepath.Join(s.cache.outputs(), s.name(uuid))
	if info, err := os.Stat(dir); uuid == "" || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// Forget removes the data of a deleted notebook. Files that cannot be removed are pruned when old.
func (s *Store) Forget(uuid string) {
	os.RemoveAll(filepath.Join(s.cache.outputs(), s.name(uuid)))
	s.forgetRequest(uuid)
	s.forgetOutputs(uuid)
	if temp := s.Temp(uuid); temp != "" {
		os.RemoveAll(temp)
	}
}

// scratchAge is how long long output, requests and temporary files are kept
// after the last run.
const scratchAge = 14 * 24 * time.Hour

// Prune removes old data, and the oldest beyond the limits, for notebooks of all folders: nothing
// else notices when one of them is gone.
func (s *Store) Prune(now time.Time) {
	pruneFolders(s.cache.outputs(), now.Add(-scratchAge))
	pruneFiles(s.cache.requests(), now.Add(-scratchAge), requestsLimit)
	pruneFiles(s.sentTools(), now.Add(-scratchAge), requestsLimit)
	pruneFiles(s.ledgers(), now.Add(-ledgersAge), ledgersLimit)
	pruneFiles(s.terminal, now.Add(-outputsAge), outputsLimit)
	if temp, err := s.cache.temp(); err == nil {
		pruneFolders(temp, now.Add(-scratchAge))
	}
}

// pruneFolders removes the folders in root that have not been used since a time.
func pruneFolders(root string, before time.Time) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return // it does not exist
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && info.ModTime().Before(before) {
			os.RemoveAll(filepath.Join(root, e.Name())) // a folder that cannot be removed stays until the next start
		}
	}
}
