package notebook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/clip"
)

// maxName is how long a file's name may be, in bytes: so it is on every disk
// that is in use.
const maxName = 255

// SaveAside writes content next to a file under a new name, never over another file: `plan
// (conflict 2026-11-21 10.15).mtm`. It returns the new path and the stamp of the written file.
func SaveAside(path, label string, at time.Time, content io.WriterTo) (string, Stamp, error) {
	temp, err := writeTemp(filepath.Dir(path), content, nil)
	if err != nil {
		return "", Stamp{}, fmt.Errorf("save a copy of %s: %w", filepath.Base(path), diskFault(err))
	}
	defer temp.remove()
	aside, err := temp.placeAside(path, label, at)
	if err != nil {
		return "", Stamp{}, fmt.Errorf("save a copy of %s: %w", filepath.Base(path), diskFault(err))
	}
	return aside, temp.stamp, nil
}

// placeAside gives a temporary file a new name next to path.
func (t *tempFile) placeAside(path, label string, at time.Time) (string, error) {
	dir := filepath.Dir(path)
	for n := 1; ; n++ {
		aside := filepath.Join(dir, asideName(filepath.Base(path), label, at, n))
		switch err := t.place(aside); {
		case err == nil:
			syncDir(dir)
			return aside, nil
		case !errors.Is(err, fs.ErrExist) || n == 1000:
			return "", err
		}
	}
}

// asideName is the nth name for a copy of a file. A name that is too long loses the end of the
// original name.
func asideName(base, label string, at time.Time, n int) string {
	ext := filepath.Ext(base)
	note := fmt.Sprintf(" (%s %s)", label, at.Format("2006-01-02 15.04"))
	if n > 1 {
		note += fmt.Sprint(" ", n)
	}
	stem := strings.TrimSuffix(base, ext)
	return clip.Bytes(stem, max(0, maxName-len(note)-len(ext))) + note + ext
}
