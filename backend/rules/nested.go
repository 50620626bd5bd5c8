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
	seen := map[string]bool{}
	var in holders
	for _, p := range paths {
		for dir := path.Clean(p); dir != "." && dir != "/" && dir != ".." && !strings.HasPrefix(dir, "../"); dir = path.Dir(dir) {
			if seen[dir] {
				break // so were the folders above it
			}
			seen[dir] = true
			if hidden(dir) || dir == path.Clean(p) && !in.mayHold(filepath.Join(workspace, filepath.FromSlash(dir))) {
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

// holders finds out which paths may be folders with something in them: most paths are files, some
// of which are gone.
type holders struct {
	asked map[string]int             // how many paths of a folder
	names map[string]map[string]bool // of a folder: what is in it that may hold something; nil: not known
}

const (
	listFrom = 8     // so many paths of one folder are worth a list of it
	listMost = 1_024 // names of a folder; of larger ones each path is looked at
)

func (h *holders) mayHold(p string) bool {
	folder, name := filepath.Split(p)
	if h.asked == nil {
		h.asked, h.names = map[string]int{}, map[string]map[string]bool{}
	}
	if h.asked[folder]++; h.asked[folder] == listFrom && runtime.GOOS == "linux" { // elsewhere names differ from paths in case
		h.names[folder] = foldersIn(folder)
	}
	if names := h.names[folder]; names != nil {
		return names[name]
	}
	info, err := os.Lstat(p)
	return err == nil && !info.Mode().IsRegular()
}

// foldersIn lists what is in a folder and no regular file; nil: it is too large or cannot be read.
func foldersIn(folder string) map[string]bool {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, err := f.ReadDir(listMost + 1)
	if err != nil && err != io.EOF || len(all) > listMost {
		return nil
	}
	names := map[string]bool{}
	for _, e := range all {
		if !e.Type().IsRegular() {
			names[e.Name()] = true
		}
	}
	return names
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
