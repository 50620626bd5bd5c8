package log

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"syscall"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/process"
)

// constant is a text in the program: no variable of another package has this type.
type constant string

// Field is one field of an entry.
type Field struct{ attr slog.Attr }

func attrs(fields []Field) []slog.Attr {
	all := make([]slog.Attr, len(fields))
	for i, f := range fields {
		all[i] = f.attr
	}
	return all
}

// Folder names the folder that is open, by its absolute path.
func Folder(path string) Field { return Field{slog.String("folder", path)} }

// Notebook names a notebook by its path.
func Notebook(path string) Field { return Field{slog.String("notebook", path)} }

// Count is a number of things.
func Count[N int | int64](name constant, n N) Field {
	return Field{slog.Int64(string(name), int64(n))}
}

// Flag is whether something holds.
func Flag(name constant, on bool) Field { return Field{slog.Bool(string(name), on)} }

// Model names a model.
func Model(id string) Field { return Field{slog.String("model", id)} }

// Took is how long something lasted.
func Took(ms int64) Field {
	return Field{slog.Duration("took", time.Duration(ms)*time.Millisecond)}
}

// Since is when something began, in Unix milliseconds.
func Since(ms int64) Field { return Field{slog.Time("since", time.UnixMilli(ms).UTC())} }

// Process names a process and its machine.
func Process(id process.ID) Field {
	return Field{slog.Group("holder", slog.Int("pid", id.Number), slog.String("host", id.Host))}
}

// word matches the program's own words: an outcome, a kind of failure. It is too short for a
// sentence, and a key has digits.
var word = lazyregexp.New(`^[a-zA-Z]{1,24}$`)

// Word is one of a few values of the program, such as an outcome.
func Word[S ~string](name constant, value S) Field {
	if !word.MatchString(string(value)) {
		return Field{slog.String(string(name), "other")}
	}
	return Field{slog.String(string(name), string(value))}
}

// Cause describes a failure by its kind, its code, and the system's own error, without
// its message.
func Cause(err error) []Field {
	f := fault.Of(err)
	if f == nil {
		return nil
	}
	fields := []Field{Word("kind", f.Kind)}
	if f.Code != "" {
		fields = append(fields, Word("code", f.Code))
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		fields = append(fields, Field{slog.String("system", number.Error())})
	}
	for _, known := range []error{context.DeadlineExceeded, fs.ErrNotExist, fs.ErrPermission, os.ErrDeadlineExceeded} {
		if errors.Is(err, known) {
			return append(fields, Field{slog.String("cause", known.Error())})
		}
	}
	return fields
}

// Version is that of the program.
func Version(v string) Field { return Field{slog.String("version", v)} }
