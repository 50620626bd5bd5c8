package notebook

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Temporary files are called `.mutsumi-PID-RANDOM.tmp`: hidden, so that nobody
// takes them for notebooks, and with the process that writes them, so that
// what a dead one left behind can be told.
const (
	tempPrefix = ".mutsumi-"
	tempSuffix = ".tmp"
	// tempAge protects files of a process that only looks dead, because it
	// runs on another machine that shares the folder.
	tempAge = 10 * time.Second
)

func createTemp(dir string) (*os.File, error) {
	name := filepath.Join(dir, fmt.Sprintf("%s%d-%s%s", tempPrefix, os.Getpid(), rand.Text()[:10], tempSuffix))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// cleanTemps removes what dead processes left in a folder. Errors do not
// matter: it is tried again with the next save.
func cleanTemps(dir string) {
	left, _ := filepath.Glob(filepath.Join(globQuote(dir), tempPrefix+"*-*"+tempSuffix))
	for _, name := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), tempPrefix), "-")
		id, err := strconv.Atoi(pid)
		if err != nil || id <= 0 || id == os.Getpid() || alive(id) {
			continue
		}
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > tempAge {
			os.Remove(name)
		}
	}
}

// globQuote keeps a folder's name from being read as a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(dir)
}
