package agentfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/fault"
)

// Temp is the folder for temporary files of an agent's commands, "" when there
// can be none: then they use the system's own, and keep no caches.
func (s *Store) Temp(uuid string) string {
	if uuid == "" {
		return ""
	}
	root, err := s.cache.temp()
	if err != nil {
		return ""
	}
	// A short name, because it holds sockets, whose paths may have 100 characters.
	sum := sha256.Sum256([]byte(s.name(uuid)))
	dir := filepath.Join(root, hex.EncodeToString(sum[:8]))
	if ownFolder(dir) != nil {
		return ""
	}
	now := time.Now()
	os.Chtimes(dir, now, now) // mark it as used: old folders are pruned
	return dir
}

// ownFolder creates a folder, or checks that the existing one is not a link, belongs to this
// person, and is open to nobody else.
func ownFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fault.New(fault.Denied, "Could not use %s for temporary files: it is no folder. Remove it.", dir)
	case !isOwn(info):
		return fault.New(fault.Denied, "Could not use %s for temporary files: another user made it. Remove it.", dir)
	case info.Mode().Perm()&0o077 != 0 && !onWindows:
		return fault.New(fault.Denied, "Could not use %s for temporary files: others may write it. Remove it.", dir)
	}
	return nil
}
