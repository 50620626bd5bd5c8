package rules

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/files"
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

func guidesAbove(workspace string, paths []string) map[string]string {
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
	for _, p := range paths {
		for dir := path.Clean(p); dir != "." && dir != "/" && dir != ".." && !strings.HasPrefix(dir, "../"); dir = path.Dir(dir) {
			if seen[dir] {
				break // so were the folders above it
			}
			seen[dir] = true
			if hidden(dir) || dir == path.Clean(p) && !mayHold(filepath.Join(workspace, filepath.FromSlash(dir))) {
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

// mayHold reports whether a path may be a folder with something in it: most paths are files, some
// of which are gone.
func mayHold(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
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
