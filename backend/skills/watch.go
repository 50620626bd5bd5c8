package skills

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/fswatch"
)

// debounce is how long changes are collected before they are reported.
const debounce = 150 * time.Millisecond

// Watch watches for skills that are added, changed or removed, until ctx ends. It calls ready,
// unless that is nil, once it can miss no change, and then changed, at most once per debounce. The
// places need not exist. It makes both calls on its own goroutine.
func Watch(ctx context.Context, workspace, personal string, ready, changed func()) {
	all := places(filepath.Clean(workspace), personal)
	fswatch.Follow(ctx, fswatch.Spec{
		Folders: func() []string { return foldersOf(all) },
		Concerns: func(name string) bool {
			name = filepath.Clean(name)
			return slices.ContainsFunc(all, func(p place) bool {
				at := p.abs()
				return name == at || strings.HasPrefix(name, at+string(filepath.Separator)) || !p.own && name == filepath.Dir(at)
			})
		},
		Look: func() string { return fingerprint(all) },
		Rest: debounce,
	}, ready, changed)
}

// foldersOf lists the folders to watch: those of skills and those above them, so that a new one is
// noticed. Links are not followed.
func foldersOf(all []place) (folders []string) {
	add := func(dir string) {
		if !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	for _, p := range all {
		if !p.own {
			add(p.root)
		}
		add(filepath.Dir(p.abs()))
		add(p.abs())
		entries, _ := os.ReadDir(p.abs())
		for _, e := range entries { // even without a SKILL.md yet
			if e.IsDir() {
				add(filepath.Join(p.abs(), e.Name()))
			}
		}
		p.each(func(_ *os.Root, s Skill) {
			for _, name := range s.Files {
				add(filepath.Join(s.Dir, filepath.FromSlash(path.Dir(name))))
			}
		})
	}
	return folders
}

// fingerprint distinguishes states of the skills.
func fingerprint(all []place) string {
	var b strings.Builder
	for _, p := range all {
		p.each(func(_ *os.Root, s Skill) {
			fmt.Fprintln(&b, s.Dir, s.Problem)
			for _, name := range append([]string{s.File}, s.Files...) {
				if info, err := os.Stat(filepath.Join(s.Dir, filepath.FromSlash(name))); err == nil {
					fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
				}
			}
		})
	}
	return b.String()
}
