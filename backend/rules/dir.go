package rules

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Dir is a folder below `.mutsumi` with Markdown files for agents: rules, kinds of agents, or
// commands. It need not exist.
type Dir struct {
	Workspace string   // absolute
	Parent    string   // the folder that holds it, in the workspace; "": .mutsumi
	Name      string   // of the folder
	What      string   // the word for one of its files in errors: "rule"
	Size      int64    // the largest file that is read, in bytes
	Count     int      // how many files it may have
	Flat      bool     // folders in it do not count
	Beside    []string // files of the workspace that Watch follows too
}

// rulesDir returns the Dir of a workspace's rules.
func rulesDir(workspace string) Dir {
	return Dir{Workspace: workspace, Name: "rules", What: "rule", Size: sizeLimit, Count: countLimit, Beside: guideNames}
}

// Folder returns the absolute path of the folder.
func (s Dir) Folder() string { return filepath.Join(s.Workspace, cmp.Or(s.Parent, ".mutsumi"), s.Name) }

func isMarkdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }

// List returns the files in byte order of their names; none if the folder does not exist. It does
// not follow links to folders.
func (s Dir) List() ([]Rule, error) {
	dir := s.Folder()
	var list []Rule
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since its folder was read
		}
		if err == nil && d.IsDir() && s.Flat && p != dir {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !isMarkdown(d.Name()) {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if len(list) == s.Count {
			return fault.New(fault.Invalid, "%s holds more than %d %ss", dir, s.Count, s.What)
		}
		list = append(list, Rule{Name: filepath.ToSlash(rel), Path: p})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", s.What, err)
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Read returns the text of a file by its name. The error is NotFound, or Invalid if it is not a
// file, is too large, or leads out of the folder.
func (s Dir) Read(name string) (string, error) {
	root, err := os.OpenRoot(s.Folder())
	if err != nil {
		return "", fault.New(fault.NotFound, "this folder has no %ss", s.What)
	}
	defer root.Close()
	rel := filepath.FromSlash(name)
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.New(fault.NotFound, "there is no %s %s", s.What, name)
	case err != nil:
		return "", fault.New(fault.Invalid, "read %s %s: %w", s.What, name, err)
	case !info.Mode().IsRegular():
		return "", fault.New(fault.Invalid, "%s %s is not a file", s.What, name)
	case info.Size() > s.Size:
		return "", fault.New(fault.Invalid, "%s %s is larger than %s", s.What, name, bytes(s.Size))
	}
	f, err := root.Open(rel)
	if err != nil {
		return "", fault.New(fault.Invalid, "read %s %s: %w", s.What, name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, s.Size))
	if err != nil {
		return "", fault.New(fault.Invalid, "read %s %s: %w", s.What, name, err)
	}
	return string(text), nil
}

// bytes writes a limit: all limits are whole kilobytes.
func bytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
