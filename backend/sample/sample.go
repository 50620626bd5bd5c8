// Package sample creates the folder for trying the program out: the person's own copy of the
// program's sample.
package sample

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"mutsumi/backend/language"
)

// Folder returns where the copy is, or will be: in the usual place for the
// data of a program.
func Folder() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a place for the sample: %w", err)
	}
	data := os.Getenv("XDG_DATA_HOME")
	switch {
	case runtime.GOOS == "windows":
		if data = os.Getenv("LOCALAPPDATA"); data == "" {
			data = filepath.Join(home, "AppData", "Local")
		}
	case runtime.GOOS == "darwin":
		data = filepath.Join(home, "Library", "Application Support")
	case !filepath.IsAbs(data):
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "mutsumi", "sample"), nil
}

// Make copies the sample to a folder; an existing one stays as it is. The files are identical: so
// the program knows that they are its own, and does not ask for trust.
func Make(sample fs.FS, folder string) error {
	if _, err := os.Lstat(folder); err == nil {
		return nil
	}
	half := folder + ".new"
	if err := os.RemoveAll(half); err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	if err := copyTree(half, language.Trees(sample)[0], sample); err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	err := os.Rename(half, folder)
	if err != nil && errors.Is(err, fs.ErrExist) {
		return nil // another process was quicker
	}
	if err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	return nil
}

// copyTree writes each file that names has into a folder, with what content has of that name.
func copyTree(folder string, names, content fs.FS) error {
	return fs.WalkDir(names, ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(folder, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(content, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}
