//go:build !linux && !darwin

package notebook

import "errors"

func exchange(a, b string) error { return errors.ErrUnsupported }

func renameNew(from, to string) error { return errors.ErrUnsupported }

func beingWritten(string) bool { return false }
