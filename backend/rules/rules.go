// Package rules keeps the rule files of a folder, `.mutsumi/rules/**/*.md`
// (SPEC 5.2): it copies the defaults on first use, lists and reads the files,
// and tells when they change on disk.
//
// It does not assemble them (package prompt does, through assemble) and does
// not know which ones a notebook has switched off. workspace calls it, and cli
// for `mutsumi context` and `run`.
package rules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Rule is a rule file. Path is absolute; Name is relative to the rules folder,
// with slashes, and is what people and models see.
type Rule struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

const (
	// sizeLimit is the largest rule that is read, in bytes (SPEC 3.6).
	sizeLimit = 2 << 20
	// countLimit bounds how many rules a folder may have.
	countLimit = 1000
)

// Folder is where the rules of a workspace are.
func Folder(workspace string) string { return shelf(workspace).Folder() }

// Init copies the Markdown files of defaults into the rules folder if the
// workspace has none yet, and returns their names. A folder that is there,
// even an empty one, is left alone: what a person deleted stays deleted. The
// copies appear all at once or not at all.
func Init(workspace string, defaults fs.FS) ([]string, error) {
	dir := Folder(workspace)
	if _, err := os.Lstat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("make rules folder: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".rules-")
	if err != nil {
		return nil, fmt.Errorf("make rules folder: %w", err)
	}
	defer os.RemoveAll(temp)
	var names []string
	err = fs.WalkDir(defaults, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isMarkdown(name) {
			return err
		}
		text, err := fs.ReadFile(defaults, name)
		if err != nil {
			return err
		}
		to := filepath.Join(temp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		names = append(names, name)
		return os.WriteFile(to, text, 0o644)
	})
	if err == nil {
		err = os.Chmod(temp, 0o755)
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		if _, there := os.Lstat(dir); there == nil {
			return nil, nil // somebody else made it meanwhile
		}
		return nil, fmt.Errorf("copy default rules: %w", err)
	}
	return names, nil
}

// List gives the rules of a workspace in byte order of their names; none if
// there is no rules folder. Links to folders are not gone into.
func List(workspace string) ([]Rule, error) { return shelf(workspace).List() }

// Read gives the text of a rule by its name. Errors are NotFound, and Invalid
// for what is no file, too large, or leads out of the rules folder.
func Read(workspace, name string) (string, error) { return shelf(workspace).Read(name) }

// Watch calls changed when rules changed on disk, until ctx ends: see Shelf.Watch.
func Watch(ctx context.Context, workspace string, changed func()) {
	shelf(workspace).Watch(ctx, nil, changed)
}
