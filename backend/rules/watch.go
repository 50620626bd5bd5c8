package rules

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fswatch"
)

// debounce is how long changes are collected before they are reported: an editor
// that saves by renaming makes three or four of them.
const debounce = 150 * time.Millisecond

// Watch watches for files of the folder that are added, changed, renamed or removed, until ctx
// ends. It calls ready, unless that is nil, once it can miss no change, and then changed, at most
// once per debounce. The folder need not exist yet, and may disappear and come back. Both calls are
// made on the goroutine of Watch and should return soon.
func (s Dir) Watch(ctx context.Context, ready, changed func()) {
	workspace, folder := filepath.Clean(s.Workspace), s.Folder()
	fswatch.Follow(ctx, fswatch.Spec{
		// The folders above it too, so that a new rules folder is noticed.
		Folders: func() []string { return append([]string{workspace, filepath.Dir(folder)}, foldersBelow(folder)...) },
		// Of the folders above, only the path to it counts, so that a build in the workspace causes
		// no reports.
		Concerns: func(name string) bool {
			name = filepath.Clean(name)
			return filepath.Dir(name) == workspace && slices.Contains(s.Beside, filepath.Base(name)) ||
				name == folder || name == filepath.Dir(folder) || strings.HasPrefix(name, folder+string(filepath.Separator))
		},
		Look: func() string {
			state := fingerprint(folder)
			for _, name := range s.Beside {
				state += fingerprint(filepath.Join(workspace, name))
			}
			return state
		},
		Rest: debounce,
	}, ready, changed)
}

func foldersBelow(folder string) (all []string) {
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, p)
		}
		return nil
	})
	return all
}

// fingerprint distinguishes states of the files.
func fingerprint(folder string) string {
	var b strings.Builder
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // missing: that is a state as well
		}
		if info, err := d.Info(); err == nil {
			fmt.Fprintln(&b, p, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
