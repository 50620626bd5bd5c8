package workspace

import (
	"path"
	"slices"
	"strings"

	"mutsumi/backend/files"
	"mutsumi/backend/finder"
)

// generated are names of folders that tools fill, beside what .gitignore
// leaves out. A reference hardly ever means what is in them.
var generated = []string{
	folderOfNotebooks, ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache",
	".ruff_cache", ".cache", ".gradle", ".next", ".nuxt", ".svelte-kit", ".terraform", "bower_components",
}

// isGenerated reports whether a path is, or lies in, a folder that a tool
// fills, or is a file that a compiler left.
func isGenerated(p string) bool {
	for element := range strings.SplitSeq(p, "/") {
		if slices.Contains(generated, element) {
			return true
		}
	}
	switch path.Ext(p) {
	case ".pyc", ".pyo", ".o", ".obj", ".class":
		return true
	}
	return false
}

// namesIn gives what lies in the folder that a query names, up to its last
// slash, and begins as the query goes on; without a slash the generated
// folders of the workspace itself.
func (w *Workspace) namesIn(query string) []finder.Match {
	dir, start := path.Split(query)
	if dir == "" && start == "" || strings.HasPrefix(dir, "/") {
		return nil
	}
	roots, err := files.New(w.folder, []string{w.folder})
	if err != nil {
		return nil
	}
	entries, err := roots.List(path.Clean(dir))
	if err != nil {
		return nil
	}
	var found []finder.Match
	for _, e := range entries {
		name := e.Name()
		if len(found) == mostItems || dir == "" && !isGenerated(name) || len(name) < len(start) || !strings.EqualFold(name[:len(start)], start) {
			continue
		}
		m := finder.Match{Text: dir + name}
		if e.Dir {
			m.Text += "/"
		}
		for i := range len(query) {
			m.At = append(m.At, i)
		}
		found = append(found, m)
	}
	return found
}
