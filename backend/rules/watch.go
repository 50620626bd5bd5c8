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

// Watch calls ready, unless it is nil, once no change can be missed any more,
// and then changed when files of the folder were added, changed, renamed or
// removed, at most once in a while, until ctx ends. The folder need not exist
// yet, and may go and come back. Both run on the goroutine of Watch: they
// should not take long.
func (s Dir) Watch(ctx context.Context, ready, changed func()) {
	workspace, folder := filepath.Clean(s.Workspace), s.Folder()
	fswatch.Follow(ctx, fswatch.Spec{
		// Those above it too, so that one that is made later is seen.
		Folders: func() []string { return append([]string{workspace, filepath.Dir(folder)}, foldersBelow(folder)...) },
		// Of the folders above only the way to it counts, so that a build in the
		// workspace does not wake anybody.
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

// fingerprint tells one state of the files from another.
func fingerprint(folder string) string {
	var b strings.Builder
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // not there: that is a state as well
		}
		if info, err := d.Info(); err == nil {
			fmt.Fprintln(&b, p, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
