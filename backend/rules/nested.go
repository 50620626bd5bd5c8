package rules

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mutsumi/backend/files"
	"mutsumi/backend/halves"
)

// nestedLimit is how many files and folders NestedGuides looks at.
const nestedLimit = 50_000

// NestedGuides returns the AGENTS.md files (or else CLAUDE.md) of the folders below a workspace,
// relative to it, with slashes. It skips hidden folders and node_modules.
func NestedGuides(ctx context.Context, workspace string) (found []string) {
	looked := 0
	filepath.WalkDir(workspace, func(p string, d fs.DirEntry, err error) error {
		if looked++; looked > nestedLimit || ctx.Err() != nil {
			return filepath.SkipAll
		}
		if err != nil || !d.IsDir() || p == workspace {
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(workspace, p)
		if err != nil {
			return nil
		}
		for _, name := range guideNames {
			if info, err := os.Lstat(filepath.Join(p, name)); err == nil && info.Mode().IsRegular() {
				found = append(found, path.Join(filepath.ToSlash(rel), name))
				break
			}
		}
		return nil
	})
	return found
}

// GuidesAbove returns the AGENTS.md files of the folders that contain paths, up to the workspace
// but without its own, each with the first path that leads to it. Paths are relative to the
// workspace, with slashes; a path may be a folder. Links that lead out of the workspace do not
// count. counts, unless nil, says which of the paths count. It is called only for paths with such a
// file above them: most have none, and the answer may need the disk.
func GuidesAbove(workspace string, paths []string, counts func(path string) bool) map[string]string {
	found := guidesAbove(workspace, paths)
	if len(found) == 0 || counts == nil {
		return found
	}
	var folders []string
	for guide := range found {
		folders = append(folders, path.Dir(guide)+"/")
	}
	var counted []string
	for _, p := range paths {
		below := func(folder string) bool { return strings.HasPrefix(path.Clean(p)+"/", folder) }
		if slices.ContainsFunc(folders, below) && counts(p) {
			counted = append(counted, p)
		}
	}
	return guidesAbove(workspace, counted)
}

// manyPaths is the number of paths from which two goroutines look for files above them.
const manyPaths = 128

func guidesAbove(workspace string, paths []string) map[string]string {
	var first, second map[string]string
	halves.Do(len(paths), manyPaths, func(from, to int) {
		if found := guidesAboveThese(workspace, paths[from:to]); from == 0 {
			first = found
		} else {
			second = found
		}
	})
	for guide, p := range second {
		if _, earlier := first[guide]; !earlier {
			first[guide] = p
		}
	}
	return first
}

func guidesAboveThese(workspace string, paths []string) map[string]string {
	found := map[string]string{}
	roots, err := files.New(workspace, []string{workspace})
	if err != nil {
		return found
	}
	reader := roots.Reader()
	defer reader.Close()
	isFile := func(p string) bool {
		_, _, ok := reader.Stat(filepath.Join(workspace, filepath.FromSlash(p)))
		return ok
	}
	seen, in := map[string]bool{}, newListings(workspace, paths)
	for _, p := range paths {
		for dir := path.Clean(p); dir != "." && dir != "/" && dir != ".." && !strings.HasPrefix(dir, "../"); dir = path.Dir(dir) {
			if seen[dir] {
				break // so were the folders above it
			}
			seen[dir] = true
			if hidden(dir) || dir == path.Clean(p) && !in.mayHold(dir) || !in.mayHaveGuide(dir) {
				continue
			}
			for _, name := range guideNames {
				if guide := path.Join(dir, name); isFile(guide) {
					found[guide] = p
					break
				}
			}
		}
	}
	return found
}

// listings finds out what may be in folders without looking at each path: most paths are files, some
// of which are gone.
type listings struct {
	workspace string
	paths     map[string]int // how many of a folder
	known     map[string]*listing
}

// listing is what was found in a folder.
type listing struct {
	holders map[string]bool // what is no regular file: it may hold something
	guide   bool            // there is a name of an AGENTS.md
}

const (
	listFrom = 3     // so many paths of one folder are worth a list of it
	listMost = 1_024 // names of a folder; of larger ones each path is looked at
)

func newListings(workspace string, paths []string) *listings {
	l := &listings{workspace, map[string]int{}, map[string]*listing{}}
	for _, p := range paths {
		l.paths[path.Dir(path.Clean(p))]++
	}
	return l
}

// of returns the listing of a folder; nil: it is not known.
func (l *listings) of(folder string) *listing {
	if l.paths[folder] < listFrom || runtime.GOOS != "linux" { // elsewhere names differ from paths in case
		return nil
	}
	found, looked := l.known[folder]
	if !looked {
		found = list(l.absolute(folder))
		l.known[folder] = found
	}
	return found
}

func (l *listings) absolute(p string) string {
	return filepath.Join(l.workspace, filepath.FromSlash(p))
}

// mayHold reports whether a path may be a folder.
func (l *listings) mayHold(p string) bool {
	if in := l.of(path.Dir(p)); in != nil {
		return in.holders[path.Base(p)]
	}
	info, err := os.Lstat(l.absolute(p))
	return err == nil && !info.Mode().IsRegular()
}

// mayHaveGuide reports whether a folder may have an AGENTS.md.
func (l *listings) mayHaveGuide(folder string) bool {
	in := l.of(folder)
	return in == nil || in.guide
}

// list lists a folder; nil: it is too large or cannot be read.
func list(folder string) *listing {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, err := f.ReadDir(listMost + 1)
	if err != nil && err != io.EOF || len(all) > listMost {
		return nil
	}
	l := &listing{holders: map[string]bool{}}
	for _, e := range all {
		if !e.Type().IsRegular() {
			l.holders[e.Name()] = true
		}
		l.guide = l.guide || slices.Contains(guideNames, e.Name())
	}
	return l
}

func hidden(dir string) bool {
	for e := range strings.SplitSeq(dir, "/") {
		if strings.HasPrefix(e, ".") || e == "node_modules" {
			return true
		}
	}
	return false
}

// IsGuide reports whether a path, relative to its workspace with slashes, is an AGENTS.md.
func IsGuide(p string) bool {
	return slices.Contains(guideNames, path.Base(p)) && !strings.HasPrefix(p, ".")
}
