// Package rules keeps the rule files of a folder, `.mutsumi/rules/**/*.md` (SPEC 5.2), and its AGENTS.md
// (SPEC 13.4). It lists and reads the files, reports when they change on disk, provides the program's own
// rules, which apply if a folder has none, and writes those into a folder for a person who wants to
// change them.
//
// It does not assemble them (package prompt does, through assemble) and does not know which ones a
// notebook has switched off. workspace calls it, and so does cli for `mutsumi context` and `run`.
package rules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/fault"
)

// Rule is a rule file. Path is absolute; Name is relative to the rules folder, with slashes, and is
// what people and models see. A rule of the program has no file: its Path is "", and Text is its
// text.
type Rule struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Text string `json:"-"`
	Note string `json:"-"` // why it is a rule, if that is not obvious; "": it is in the rules folder
	Cut  bool   `json:"-"` // Text is only the start of the file
	Held bool   `json:"-"` // it was added or changed since the folder was trusted, so it has no effect
}

const (
	// sizeLimit is the largest rule that is read, in bytes (SPEC 3.6).
	sizeLimit = 2 << 20
	// countLimit is how many rules a folder may have.
	countLimit = 1000
)

// Folder returns the rules folder of a workspace.
func Folder(workspace string) string { return rulesDir(workspace).Folder() }

// Has reports whether a workspace has a rules folder, even an empty one. If so, only the rules in
// it apply.
func Has(workspace string) bool {
	_, err := os.Lstat(Folder(workspace))
	return !errors.Is(err, fs.ErrNotExist)
}

// Program returns the Markdown files of a tree as rules of the program, in byte order of their
// names.
func Program(tree fs.FS) ([]Rule, error) {
	var list []Rule
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isMarkdown(name) {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		list = append(list, Rule{Name: name, Text: string(text)})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the program's rules: %w", err)
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Write writes rules of the program as files into a workspace that has no rules folder yet. If it
// has one, the error is Conflict. The files appear all at once or not at all.
func Write(workspace string, program []Rule) error {
	dir := Folder(workspace)
	if Has(workspace) {
		return fault.New(fault.Conflict, "this folder has rules of its own: change those in %s", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("make rules folder: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".rules-")
	if err != nil {
		return fmt.Errorf("make rules folder: %w", err)
	}
	defer os.RemoveAll(temp)
	for _, r := range program {
		to := filepath.Join(temp, filepath.FromSlash(r.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("write rule: %w", err)
		}
		if err := os.WriteFile(to, []byte(r.Text), 0o644); err != nil {
			return fmt.Errorf("write rule: %w", err)
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return fmt.Errorf("make rules folder: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("make rules folder: %w", err)
	}
	return nil
}

// List returns the rules of a workspace in byte order of their names; none if there is no rules
// folder. It does not follow links to folders.
func List(workspace string) ([]Rule, error) { return rulesDir(workspace).List() }

// Read returns the text of a rule by its name. The error is NotFound, or Invalid if it is not a
// file, is too large, or leads out of the rules folder.
func Read(workspace, name string) (string, error) { return rulesDir(workspace).Read(name) }

// Watch calls ready, unless it is nil, and then changed when rules changed on disk,
// until ctx ends: see Dir.Watch.
func Watch(ctx context.Context, workspace string, ready, changed func()) {
	rulesDir(workspace).Watch(ctx, ready, changed)
}
