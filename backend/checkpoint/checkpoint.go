// Package checkpoint is undo for files (SPEC 8): it keeps the state of a file before an agent
// changes it, plans what a return to an earlier prompt would do to each file, and carries the plan
// out. Its data outlives the program.
//
// It knows no notebooks (an agent is a name), asks nobody and shows nothing: package filehistory
// calls Before and After around the tools, and shows the plans. It is not a backup: it has only
// files that agents touched, and old data is removed.
package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/lock"
)

// Limits limit the kept data. A zero field means its default.
type Limits struct {
	File    int64         // bytes of the largest file whose content is kept; 32 MB
	Command int64         // bytes that are kept before one shell command; 256 MB
	Files   int           // changed files that are compared around one shell command; 5,000
	Wait    time.Duration // for git around one shell command, each time; 5 s
	Age     time.Duration // after which a turn is forgotten; 30 days
	Size    int64         // bytes of the whole store; past it the oldest turns go; 1 GB
}

func (l Limits) withDefaults() Limits {
	def := Limits{File: 32 << 20, Command: 256 << 20, Files: 5000, Wait: 5 * time.Second, Age: 30 * 24 * time.Hour, Size: 1 << 30}
	pick := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	pick(&l.File, def.File)
	pick(&l.Command, def.Command)
	pick(&l.Size, def.Size)
	pick((*int64)(&l.Wait), int64(def.Wait))
	pick((*int64)(&l.Age), int64(def.Age))
	if l.Files <= 0 {
		l.Files = def.Files
	}
	return l
}

// Store is the data kept for one workspace. Its methods may be called from many goroutines; another
// process on the same folder does no harm.
type Store struct {
	dir     string
	limits  Limits
	now     func() time.Time
	objects objects

	// sweeping is held while unneeded content is removed, and shared by everybody who has stored
	// content and not yet named it in a log.
	sweeping lock.RWMutex

	mu     lock.Mutex // the fields below, and the changes of all turns
	turns  map[string]*turn
	lastNs int64               // of the newest turn's name
	pins   map[string]int      // content that a command under way will name, by sum
	looks  map[string]lookedAt // changed files as last read, for the next command
}

// ID names the store of a workspace folder.
func ID(folder string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(folder)))
	return hex.EncodeToString(sum[:8])
}

// Open opens the store in dir, which is `<cache>/mutsumi/checkpoints/<ID>`, and creates it if
// necessary. now may be nil. It first closes the turns of a process that was cut off, so call it
// before anything runs.
func Open(dir string, limits Limits, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	s := &Store{
		dir: dir, limits: limits.withDefaults(), now: now, objects: objects{filepath.Join(dir, "objects")},
		turns: map[string]*turn{}, pins: map[string]int{}, looks: map[string]lookedAt{},
	}
	for _, d := range []string{s.objects.dir, s.logs()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("open checkpoints: %w", err)
		}
	}
	if err := s.refresh(); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	if err := s.recoverTurns(); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	return s, nil
}

func (s *Store) logs() string { return filepath.Join(s.dir, "turns") }
