// Package log writes the program's actions, counts and failures into the state folder (SPEC 17),
// for finding the cause of a problem. An entry is a line with a time, a level, constant words, and
// fields.
//
// It never contains a prompt, an answer, a key, a header or a text of a file: only the functions of
// this package make fields, and none of them accepts such a text. Of a failure it writes the kind,
// the code and the system's own error, since the message may quote anything.
package log

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"mutsumi/backend/filelock"
	"mutsumi/backend/lock"
)

// Name is the name of the log's folder in the state folder.
const Name = "log"

const (
	fileName     = "mutsumi.log"
	previousName = "mutsumi.1.log"
	lockName     = "mutsumi.log.lock"

	maxFile    = 5 << 20 // of each of the two files, in bytes
	maxPending = 1 << 20 // entries that are not written yet, in bytes
)

// levelVariable is the environment variable with the least level that is written:
// debug, info (the default), warn or error.
const levelVariable = "MUTSUMI_LOG"

// Log takes entries. It never fails and never waits for the disk: entries that cannot be written
// are dropped, and counted in the next one. A nil Log drops everything. It is safe for concurrent
// use, even by several processes.
type Log struct {
	out  *writer
	slog *slog.Logger
}

// Open returns the log in a folder, which need not exist.
func Open(dir string) *Log { return open(dir, maxFile) }

func open(dir string, limit int64) *Log {
	var level slog.LevelVar
	if err := level.UnmarshalText([]byte(os.Getenv(levelVariable))); err != nil {
		level.Set(slog.LevelInfo)
	}
	w := &writer{dir: dir, limit: limit}
	w.idle = sync.NewCond(&w.mu)
	h := slog.NewTextHandler(w, &slog.HandlerOptions{Level: &level})
	return &Log{w, slog.New(h).With(slog.Int("pid", os.Getpid()))}
}

// With returns the log with fields in every entry.
func (l *Log) With(fields ...Field) *Log {
	if l == nil {
		return nil
	}
	return &Log{l.out, slog.New(l.slog.Handler().WithAttrs(attrs(fields)))}
}

// Debug adds an entry that is written on demand only.
func (l *Log) Debug(what constant, fields ...Field) { l.add(slog.LevelDebug, what, fields) }

// Info adds an entry about something that happened as it should.
func (l *Log) Info(what constant, fields ...Field) { l.add(slog.LevelInfo, what, fields) }

// Warn adds an entry about something that a person may have to look at.
func (l *Log) Warn(what constant, fields ...Field) { l.add(slog.LevelWarn, what, fields) }

// Error adds an entry about something that failed.
func (l *Log) Error(what constant, err error, fields ...Field) {
	l.add(slog.LevelError, what, append(Cause(err), fields...))
}

func (l *Log) add(level slog.Level, what constant, fields []Field) {
	if l != nil {
		l.slog.LogAttrs(context.Background(), level, string(what), attrs(fields)...)
	}
}

// Flush waits until all entries so far are written.
func (l *Log) Flush() {
	if l != nil {
		l.out.flush()
	}
}

// writer appends entries to the log's file. One goroutine writes while there is
// something to write, so that an entry may be added under any lock.
type writer struct {
	dir   string
	limit int64

	mu      lock.Mutex
	idle    *sync.Cond
	pending bytes.Buffer
	dropped int
	busy    bool // a goroutine is writing
}

// Write implements io.Writer for one whole entry.
func (w *writer) Write(entry []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending.Len()+len(entry) > maxPending {
		w.dropped++
		return len(entry), nil
	}
	w.pending.Write(entry)
	if !w.busy {
		w.busy = true
		go w.drain()
	}
	return len(entry), nil
}

// drain writes until nothing is pending.
func (w *writer) drain() {
	for {
		w.mu.Lock()
		entries, dropped := bytes.Clone(w.pending.Bytes()), w.dropped
		w.pending.Reset()
		w.dropped = 0
		if len(entries) == 0 {
			w.busy = false
			w.idle.Broadcast()
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if dropped > 0 {
			entries = fmt.Appendf(entries, "level=WARN msg=\"entries dropped\" pid=%d count=%d\n", os.Getpid(), dropped)
		}
		w.append(entries)
	}
}

func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy {
		w.idle.Wait()
	}
}

// append writes to the end of the file, which another process may have moved away since
// the last time. A disk that takes nothing stops nothing.
func (w *writer) append(entries []byte) {
	if os.MkdirAll(w.dir, 0o700) != nil {
		return
	}
	path := filepath.Join(w.dir, fileName)
	if info, err := os.Stat(path); err == nil && info.Size()+int64(len(entries)) > w.limit && !w.rotate(path, int64(len(entries))) {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(entries)
	_ = f.Close()
}

// rotate makes room for more bytes: the file becomes the previous one. It returns false if there is
// none. Only one of several processes does it.
func (w *writer) rotate(path string, more int64) bool {
	guard, err := os.OpenFile(filepath.Join(w.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	defer guard.Close()
	info, err := os.Stat(path)
	if err != nil || info.Size()+more <= w.limit { // another process was faster
		return true
	}
	if !filelock.Try(guard) {
		return info.Size()+more <= 2*w.limit // until the other process has done it
	}
	if info, err = os.Stat(path); err != nil || info.Size()+more <= w.limit {
		return true
	}
	return os.Rename(path, filepath.Join(w.dir, previousName)) == nil
}

// Files returns the existing log files in a folder, oldest first.
func Files(dir string) []string {
	var files []string
	for _, name := range []string{previousName, fileName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// Follower reads new entries of a folder's log.
type Follower struct {
	dir string
	at  os.FileInfo // the file that was read last; nil: none
	off int64
}

// Follow returns a Follower that begins with the oldest entry.
func Follow(dir string) *Follower {
	f := &Follower{dir: dir}
	if old, err := os.Stat(filepath.Join(dir, previousName)); err == nil {
		f.at = old
	}
	return f
}

// WriteTo writes the entries added since the last call, and returns at the end.
func (f *Follower) WriteTo(w io.Writer) (n int64, err error) {
	now, err := os.Stat(filepath.Join(f.dir, fileName))
	if f.at != nil && (err != nil || !os.SameFile(f.at, now)) { // the rest of the rotated file
		if old, err := os.Stat(filepath.Join(f.dir, previousName)); err == nil && os.SameFile(f.at, old) {
			if n, err = f.read(w, previousName); err != nil {
				return n, err
			}
		}
		f.at, f.off = nil, 0
	}
	if err != nil {
		return n, nil // nothing is logged yet
	}
	f.at = now
	more, err := f.read(w, fileName)
	return n + more, err
}

func (f *Follower) read(w io.Writer, name string) (int64, error) {
	file, err := os.Open(filepath.Join(f.dir, name))
	if err != nil {
		return 0, nil // it was moved away right now: the next call finds it
	}
	defer file.Close()
	if _, err := file.Seek(f.off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.Copy(w, file)
	f.off += n
	return n, err
}
