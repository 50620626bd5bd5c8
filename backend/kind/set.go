package kind

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/rules"
)

const (
	// sizeLimit is the largest file of a kind that is read, in bytes.
	sizeLimit = 64 << 10
	// countLimit is the maximum number of kinds in a folder.
	countLimit = 200
)

// Set is the kinds of agents of a folder. The zero value has none but chat.
type Set struct {
	list   []Kind         // as they are shown
	chosen map[string]int // by name: the one in list that applies
}

// Folder is where a folder keeps its kinds.
func Folder(workspace string) rules.Dir {
	return rules.Dir{Workspace: workspace, Name: "agents", What: "kind of agent", Size: sizeLimit, Count: countLimit, Flat: true}
}

// Cache keeps parsed files of kinds, so that reading them repeatedly costs next to nothing. The
// zero value is empty; it is safe for concurrent use.
type Cache struct {
	mu    lock.Mutex
	kinds map[cached]Kind // of the last Load
}

// cached is a file with its content.
type cached struct {
	file string
	sum  [sha256.Size]byte
}

// reading is one Load.
type reading struct {
	before map[cached]Kind
	kinds  map[cached]Kind
}

func (r *reading) parse(file, text string) Kind {
	key := cached{file, sha256.Sum256([]byte(text))}
	k, ok := r.before[key]
	if !ok {
		k = parse(file, text)
	}
	r.kinds[key] = k
	return k
}

// Load reads the kinds: the program's, which may be nil, and those of a workspace. A kind for which
// counts, given its file (relative to the workspace) and text, returns false is Inert and replaces
// nothing. A broken file is a kind with a Problem, and still replaces the program's: a notebook
// must not get more than its folder intended. An error means that the folder cannot be read at all.
func (c *Cache) Load(program fs.FS, workspace string, counts func(file, text string) bool) (Set, error) {
	c.mu.Lock()
	r := &reading{before: c.kinds, kinds: map[cached]Kind{}}
	c.mu.Unlock()
	s, err := r.load(program, workspace, counts)
	if err == nil {
		c.mu.Lock()
		c.kinds = r.kinds
		c.mu.Unlock()
	}
	return s, err
}

func (r *reading) load(program fs.FS, workspace string, counts func(file, text string) bool) (Set, error) {
	s := Set{chosen: map[string]int{}}
	own, err := r.program(program)
	if err != nil {
		return s, err
	}
	for _, k := range own {
		s.chosen[k.Name] = len(s.list)
		s.list = append(s.list, k)
	}
	dir := Folder(workspace)
	files, err := dir.List()
	if err != nil {
		return s, err
	}
	from := map[string]string{}
	for _, f := range files {
		source := path.Join(".mutsumi", dir.Name, f.Name)
		k := Kind{Name: clip.Line(stem(f.Name), 60)}
		text, err := dir.Read(f.Name)
		if err != nil {
			k.Problem = fmt.Sprintf("%s: %s: mend or remove it", source, err)
			k.normalize()
		} else {
			k = r.parse(source, text)
		}
		k.Source, k.Inert = source, !counts(source, text)
		s.add(k, from)
	}
	return s, nil
}

// add takes a kind of the folder in. from is which file brought which name.
func (s *Set) add(k Kind, from map[string]string) {
	first, twice := from[k.Name]
	if twice {
		k.Problem = fmt.Sprintf("%s, line 1: %s names its kind %s too: rename one of them", k.Source, first, k.Name)
	} else {
		from[k.Name] = k.Source
	}
	at, have := s.chosen[k.Name]
	switch {
	case k.Inert && have: // it replaces nothing
		s.list = append(s.list, k)
	case twice: // it is ambiguous: neither applies
		s.list[at].Problem = fmt.Sprintf("%s, line 1: %s names its kind %s too: rename one of them", first, k.Source, k.Name)
		s.list = append(s.list, k)
	case have:
		s.list[at] = k
	default:
		s.chosen[k.Name] = len(s.list)
		s.list = append(s.list, k)
	}
}

// program reads the program's own kinds, chat first.
func (r *reading) program(program fs.FS) ([]Kind, error) {
	var list []Kind
	if program != nil {
		files, err := fs.Glob(program, "*.md")
		if err != nil {
			return nil, fmt.Errorf("read kinds of agents: %w", err)
		}
		for _, name := range files {
			text, err := fs.ReadFile(program, name)
			if err != nil {
				return nil, fmt.Errorf("read kinds of agents: %w", err)
			}
			list = append(list, r.parse(name, string(text)))
		}
	}
	if !slices.ContainsFunc(list, func(k Kind) bool { return k.Name == Chat }) {
		list = append(list, everything())
	}
	slices.SortStableFunc(list, func(a, b Kind) int {
		if (a.Name == Chat) != (b.Name == Chat) {
			if a.Name == Chat {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list, nil
}

// everything is chat if the program has none.
func everything() Kind {
	k := Kind{Name: Chat, Tools: slices.Clone(groupNames), Children: []string{Chat}}
	k.normalize()
	return k
}

// List returns all kinds, the program's first, including those that cannot be chosen. It is never
// nil.
func (s Set) List() []Kind { return append([]Kind{}, s.list...) }

// Find returns the kind of an agent whose notebook names it; "" is chat. An unknown name works like
// chat, with a warning. The error, for a person, is that of a kind whose file is broken or whose
// folder is not trusted, or of an unknown name that a broken file may have: such an agent does not
// run, lest it gets more than its kind would give it.
func (s Set) Find(name string) (k Kind, warning string, err error) {
	name = fold(name)
	if name == "" {
		name = Chat
	}
	i, known := s.chosen[name]
	if !known && name != Chat {
		for _, broken := range s.list {
			if broken.Problem != "" { // it may have the requested name
				return broken, "", fault.New(fault.Invalid, "there is no kind of agent %q, and a file that may be it cannot be used: %s", clip.Line(name, 60), broken.Problem)
			}
		}
		warning = fmt.Sprintf("the notebook's agentType is %q, and there is no such kind of agent: it works like chat, with every tool", clip.Line(name, 60))
		i, known = s.chosen[Chat]
	}
	if !known {
		return everything(), warning, nil
	}
	k = s.list[i]
	return k, warning, k.usable()
}

// usable returns the reason why a kind cannot be chosen.
func (k Kind) usable() error {
	switch {
	case k.Inert:
		return fault.New(fault.Denied, "the kind of agent %s comes from this folder (%s), which is not trusted: trust the folder, or choose another kind", k.Name, k.Source)
	case k.Problem != "":
		return fault.New(fault.Invalid, "the kind of agent %s cannot be used: %s", k.Name, k.Problem)
	}
	return nil
}

// Choose returns the kind that a person or an agent requests by name, "" being chat. Errors:
// NotFound with the existing names, and those of Find.
func (s Set) Choose(name string) (Kind, error) {
	k, warning, err := s.Find(name)
	if warning != "" {
		var names []string
		for _, k := range s.list {
			if k.usable() == nil {
				names = append(names, k.Name)
			}
		}
		return Kind{}, fault.New(fault.NotFound, "there is no kind of agent %q: there are %s", clip.Line(name, 60), strings.Join(names, ", "))
	}
	return k, err
}

// Startable returns the kinds that an agent may start, as Child takes them: the first is the
// default. parent is the agentType of its notebook. It is never nil.
func (s Set) Startable(parent string) []Kind {
	out := []Kind{}
	p, _, err := s.Find(parent)
	if err != nil {
		return out
	}
	for _, name := range p.Children {
		if k, err := s.Choose(name); err == nil {
			out = append(out, k)
		}
	}
	return out
}

// Child returns the kind of a child that an agent starts. parent is the agentType of its notebook,
// wanted the requested kind: one of those that its own kind may start, or "" for the first of them.
// The error lists the allowed kinds: Denied if wanted is not one of them or there are none,
// otherwise that of Find.
func (s Set) Child(parent, wanted string) (Kind, error) {
	p, _, err := s.Find(parent)
	if err != nil {
		return Kind{}, err
	}
	if len(p.Children) == 0 {
		return Kind{}, fault.New(fault.Denied, "an agent of the kind %s starts no others", p.Name)
	}
	if wanted = fold(wanted); wanted == "" {
		if can := s.Startable(parent); len(can) > 0 {
			return can[0], nil
		}
		wanted = p.Children[0]
	}
	if !slices.Contains(p.Children, wanted) {
		return Kind{}, fault.New(fault.Denied, "an agent of the kind %s starts only the kinds %s, not %q", p.Name, strings.Join(p.Children, ", "), clip.Line(wanted, 60))
	}
	return s.Choose(wanted)
}
