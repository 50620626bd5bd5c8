package complete

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/files"
	"mutsumi/backend/finder"
	"mutsumi/backend/lock"
)

const (
	maxFiles   = 300_000
	staleAfter = 30 * time.Second // an index that heard of no change is rebuilt after an answer
)

// index holds the names of the folder's files. It is built on first use, and again after files were
// added or removed. It is safe for concurrent use.
type index struct {
	folder func() (*files.Roots, error)
	start  func(func(context.Context)) // runs a function in the background

	mu       lock.Mutex
	names    *finder.Index
	made     time.Time
	stale    bool
	building chan struct{} // closed when the build under way ends
}

// changed notes that files were added or removed.
func (x *index) changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stale = true
}

// get returns the index, and builds it first if there is none. An outdated index answers while the
// next one is built.
func (x *index) get() *finder.Index {
	x.mu.Lock()
	if x.building == nil && (x.names == nil || x.stale || time.Since(x.made) > staleAfter) {
		x.building = make(chan struct{})
		x.start(x.build)
	}
	names, building := x.names, x.building
	x.mu.Unlock()
	if names != nil {
		return names
	}
	<-building
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.names
}

var errEnough = errors.New("more files than are listed")

func (x *index) build(ctx context.Context) {
	x.mu.Lock()
	x.stale = false
	x.mu.Unlock()
	var list []string
	if roots, err := x.folder(); err == nil {
		roots.Walk(ctx, ".", func(e files.Entry) error {
			if len(list) >= maxFiles {
				return errEnough
			}
			switch {
			case isGenerated(e.Path):
			case e.Dir:
				list = append(list, e.Path+"/")
			default:
				list = append(list, e.Path)
			}
			return nil
		})
	}
	names := finder.New(list)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names, x.made = names, time.Now()
	close(x.building)
	x.building = nil
}

// generated are names of folders that tools fill, in addition to what .gitignore leaves out.
// References hardly ever mean files in them.
var generated = []string{
	".mutsumi", ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache",
	".ruff_cache", ".cache", ".gradle", ".next", ".nuxt", ".svelte-kit", ".terraform", "bower_components",
}

// isGenerated reports whether a path is, or is in, a folder that a tool fills, or is a file that a
// compiler left.
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

// namesIn returns the entries of the folder that a query names up to its last slash, if they begin
// with the rest of the query; without a slash, the generated folders of the workspace itself.
func (x *index) namesIn(query string) []finder.Match {
	dir, start := path.Split(query)
	if dir == "" && start == "" || strings.HasPrefix(dir, "/") {
		return nil
	}
	roots, err := x.folder()
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
		if len(found) == maxItems || dir == "" && !isGenerated(name) || len(name) < len(start) || !strings.EqualFold(name[:len(start)], start) {
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
