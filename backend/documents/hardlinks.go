package documents

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mutsumi/backend/lock"
)

// fileNumber is the number of a device and that of a file on it.
type fileNumber struct{ device, file uint64 }

// hardLinks knows which notebooks of the folder are one file with several
// names. The zero value is ready for use.
type hardLinks struct {
	mu      lock.Mutex
	numbers map[string]fileNumber          // of every notebook that was seen
	names   map[fileNumber]map[string]bool // the same, the other way round
	saving  map[string]string              // a name that a save gives the new file -> its notebook
	saves   int                            // counts their beginnings and ends
	once    sync.Once
}

// see looks at a notebook and returns all known names of its file, including its own; nil if it has
// no other.
func (l *hardLinks) see(path, file string) []string {
	id, links := fileNumber{}, uint64(0)
	if info, err := os.Lstat(file); err == nil {
		id, links = fileID(info)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, known := l.numbers[path]; known && (links == 0 || before != id) {
		delete(l.numbers, path)
		if delete(l.names[before], path); len(l.names[before]) == 0 {
			delete(l.names, before)
		}
	}
	if links == 0 {
		return nil
	}
	if l.numbers == nil {
		l.numbers, l.names = map[string]fileNumber{}, map[fileNumber]map[string]bool{}
	}
	if l.numbers[path] = id; l.names[id] == nil {
		l.names[id] = map[string]bool{}
	}
	l.names[id][path] = true
	if links == 1 {
		return nil
	}
	return slices.Sorted(maps.Keys(l.names[id]))
}

// known gives the names that the file of a notebook had when it was seen last.
func (l *hardLinks) known(path string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, known := l.numbers[path]; known {
		return slices.Collect(maps.Keys(l.names[id]))
	}
	return nil
}

// savedWith returns the notebook whose save is giving its file the name path, and how many saves
// have begun or ended so far.
func (l *hardLinks) savedWith(path string) (string, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.saving[path], l.saves
}

// mainLink gives the one of a file's names in the folder by which it is known.
func (reg *Registry) mainLink(path, file string) (string, string) {
	for {
		of, saves := reg.links.savedWith(path)
		if of == "" {
			of = path
			if names := reg.sameFile(path, file); len(names) > 1 {
				of = indexed(reg, func(ix *index) string { return ix.chooseLink(path, names) })
			}
			if _, now := reg.links.savedWith(path); now != saves {
				continue // a save may have been half done
			}
		}
		if of == path {
			return path, file
		}
		return of, filepath.Join(reg.root, filepath.FromSlash(of))
	}
}

// chooseLink prefers an open notebook, then one in the tree.
func (ix *index) chooseLink(path string, names []string) string {
	if ix.docs[path] != nil {
		return path
	}
	for _, name := range names {
		if ix.docs[name] != nil {
			return name
		}
	}
	for _, name := range names {
		if ix.summaries[name].File != "" {
			return name
		}
	}
	return names[0]
}

// sameFile gives the names in the folder, in order, that a notebook's file has
// right now.
func (reg *Registry) sameFile(path, file string) []string {
	names := reg.links.see(path, file)
	if len(names) == 0 && !reg.quiet {
		return nil
	}
	info, err := os.Lstat(file)
	if err != nil {
		return nil
	}
	if _, links := fileID(info); links < 2 {
		return nil
	}
	if reg.quiet { // the other names are not known
		reg.links.once.Do(reg.seeAll)
		names = reg.links.see(path, file)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		other, err := os.Lstat(filepath.Join(reg.root, filepath.FromSlash(name)))
		return err != nil || !os.SameFile(info, other)
	})
}

func (reg *Registry) seeAll() {
	for _, file := range reg.notebooksInside() {
		reg.links.see(reg.PathOf(file), file)
	}
}

// withLinks adds to the notebooks that changed, in order, the other names that
// their files have or had: a change shows by one name alone.
func (reg *Registry) withLinks(files map[string]bool) []string {
	all := map[string]bool{}
	for path := range files {
		all[path] = true
		for _, name := range reg.links.known(path) {
			all[name] = true
		}
		for _, name := range reg.links.see(path, filepath.Join(reg.root, filepath.FromSlash(path))) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// linksToSave gives the other names that a save of the notebook has to give the
// new file. end is called when that is done.
func (d *Live) linksToSave() (others []string, end func()) {
	l := &d.reg.links
	var names []string
	for _, name := range d.reg.sameFile(d.Path(), d.File()) {
		if d.reg.Opened(name) == nil { // otherwise it is itself, or was linked while open
			names = append(names, name)
			others = append(others, filepath.Join(d.reg.root, filepath.FromSlash(name)))
		}
	}
	count := func(saving bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.saves++
		for _, name := range names {
			if saving {
				if l.saving == nil {
					l.saving = map[string]string{}
				}
				l.saving[name] = d.Path()
			} else {
				delete(l.saving, name)
			}
		}
	}
	count(true)
	return others, func() {
		l.see(d.Path(), d.File())
		for i, name := range names {
			l.see(name, others[i])
		}
		count(false)
	}
}
