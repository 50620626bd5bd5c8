package checkpoint

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"mutsumi/backend/fault"
)

// objects is a folder of contents, each named by its SHA-256. A file is one byte for its form,
// plain or deflated, and the content.
type objects struct{ dir string }

const (
	plain    = 'p'
	deflated = 'd'
)

func (o objects) path(sum string) string { return filepath.Join(o.dir, sum[:2], sum[2:]) }

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// put stores a content. With sync it is on the disk when put returns: data that is overwritten next
// must not be lost in a power failure.
func (o objects) put(content []byte, sync bool) (string, error) {
	sum := sumOf(content)
	path := o.path(sum)
	if _, err := o.get(sum, int64(len(content))); err == nil {
		// A sweep of another process leaves young files alone.
		now := time.Now()
		_ = os.Chtimes(path, now, now)
		return sum, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(o.dir, "new-*") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(pack(content))
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return sum, nil
}

func pack(content []byte) []byte {
	if len(content) >= 256 {
		b := bytes.NewBuffer(make([]byte, 0, len(content)/2))
		b.WriteByte(deflated)
		w, err := flate.NewWriter(b, flate.BestSpeed)
		if err == nil {
			_, err = w.Write(content)
		}
		if err == nil && w.Close() == nil && b.Len() < len(content)-len(content)/8 {
			return b.Bytes()
		}
	}
	return append([]byte{plain}, content...)
}

// get reads a content of the size that its state says, and verifies its hash.
func (o objects) get(sum string, size int64) ([]byte, error) {
	if len(sum) != 2*sha256.Size {
		return nil, fault.New(fault.Internal, "this content was not kept")
	}
	raw, err := os.ReadFile(o.path(sum))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "what was kept is not there any more").Because(err)
	}
	if err != nil {
		return nil, err
	}
	var content []byte
	switch {
	case len(raw) > 0 && raw[0] == plain:
		content = raw[1:]
	case len(raw) > 0 && raw[0] == deflated:
		content, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw[1:])), size+1))
	}
	if err != nil || int64(len(content)) != size || sumOf(content) != sum {
		return nil, fault.New(fault.Internal, "what was kept is damaged on the disk")
	}
	return content, nil
}

func (o objects) has(sum string) bool {
	if len(sum) != 2*sha256.Size {
		return false
	}
	_, err := os.Stat(o.path(sum))
	return err == nil
}
