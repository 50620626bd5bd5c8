package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/lock"
)

// folderFile is a file of the state folder about one folder of the person's, read again when
// another process wrote it. It may be used by many goroutines, and by several processes.
type folderFile[T interface{ belongsTo() string }] struct {
	store  *Store
	kind   string // the folder in the state folder
	folder string // links resolved

	writing lock.Mutex // one change at a time
	mu      lock.Mutex // guards the fields below; nothing is read or written under it
	kept    T
	err     error
	size    int64
	at      time.Time
}

func (f *folderFile[T]) file() string {
	sum := sha256.Sum256([]byte(f.folder))
	return filepath.Join(f.store.state, f.kind, hex.EncodeToString(sum[:12])+".json")
}

// read returns the stored data, reading the file if it has changed. The error means that the file
// is damaged, or about another folder.
func (f *folderFile[T]) read() (kept T, err error) {
	info, err := os.Stat(f.file())
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	f.mu.Lock()
	kept, err = f.kept, f.err
	same := info.Size() == f.size && info.ModTime().Equal(f.at)
	f.mu.Unlock()
	if same {
		return kept, err
	}
	kept, err = f.load()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept, f.err, f.size, f.at = kept, err, info.Size(), info.ModTime()
	return kept, err
}

func (f *folderFile[T]) load() (kept T, err error) {
	raw, err := os.ReadFile(f.file())
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	var read T
	if err := json.Unmarshal(raw, &read); err != nil {
		return kept, fmt.Errorf("%s is damaged (%w)", f.file(), err)
	}
	if read.belongsTo() != f.folder {
		return kept, fmt.Errorf("%s belongs to another folder", f.file())
	}
	return read, nil
}

// change writes the result of become, for every process of this person. become gets the read error
// and decides what it means.
func (f *folderFile[T]) change(become func(kept T, damage error) (T, error)) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	defer lockFolder(filepath.Dir(f.file()))()
	is, err := become(f.load())
	if err != nil {
		return err
	}
	err = f.store.writeState(f.file(), is)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = time.Time{} // two changes may fall into one step of the disk's clock
	return err
}
