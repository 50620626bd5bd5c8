// Package sample creates the folder for trying the program out: the person's own copy of the
// program's sample.
package sample

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"mutsumi/backend/language"
	"mutsumi/backend/notebook"
)

// tour is the notebook of the sample that gives the tour.
const tour = ".mutsumi/welcome.mtm"

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
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("make the sample: %s is not a folder", folder)
	} else if err == nil {
		return nil
	}
	temp, err := tempBeside(folder)
	if err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	defer os.RemoveAll(temp)
	half := filepath.Join(temp, "sample")
	if err := copyTree(half, language.Trees(sample)[0], sample); err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	err = os.Rename(half, folder)
	if err != nil && errors.Is(err, fs.ErrExist) {
		return nil // another window was quicker
	}
	if err != nil {
		return fmt.Errorf("make the sample: %w", err)
	}
	return nil
}

// Tour makes the sample where it is not there yet, and returns the path of the notebook that gives
// the tour. If that was deleted, it is put back, together with what it is about. What nobody has
// changed is in the language of sample as long as the tour was not begun.
func Tour(sample fs.FS, folder string) (string, error) {
	if err := Make(sample, folder); err != nil {
		return "", err
	}
	usual := filepath.Join(folder, filepath.FromSlash(tour))
	at, err := findTour(sample, folder)
	if err == nil && (at == "" || at == usual && ours(sample, tour, at)) {
		at, err = usual, restore(sample, folder)
	}
	if err != nil {
		return "", fmt.Errorf("make the sample: %w", err)
	}
	return at, nil
}

// findTour returns where the notebook that gives the tour is in a folder, under whatever name; ""
// if it is gone.
func findTour(sample fs.FS, folder string) (at string, err error) {
	text, err := fs.ReadFile(sample, tour)
	if err != nil {
		return "", err
	}
	d, err := notebook.Parse(text)
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != filepath.Ext(tour) {
			return nil // a folder that cannot be read has no tour
		}
		if h, err := notebook.ReadSummary(path); err != nil || h.UUID != d.Meta().UUID {
			return nil
		}
		at = path
		return fs.SkipAll
	})
	return at, err
}

// ours reports whether a file holds what the sample has under a name, in one of its languages.
func ours(sample fs.FS, name, path string) bool {
	got, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for _, tree := range language.Trees(sample) {
		if text, err := fs.ReadFile(tree, name); err == nil && bytes.Equal(got, text) {
			return true
		}
	}
	return false
}

// restore writes the files of the sample that are missing, and those that nobody has changed but
// that are in another language.
func restore(sample fs.FS, folder string) error {
	return fs.WalkDir(language.Trees(sample)[0], ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(to); err == nil && !ours(sample, name, to) {
			return nil
		}
		want, err := fs.ReadFile(sample, name)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(to); err == nil && bytes.Equal(got, want) {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		temp, err := tempBeside(folder)
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		half := filepath.Join(temp, filepath.Base(to))
		if err := os.WriteFile(half, want, 0o644); err != nil {
			return err
		}
		return os.Rename(half, to)
	})
}

// tempBeside makes a folder beside another one, for files that are moved there once they are whole.
// Each call has its own: several windows may take the tour at the same moment.
func tempBeside(folder string) (string, error) {
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, ".sample-")
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
