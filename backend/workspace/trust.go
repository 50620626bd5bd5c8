package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/kind"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
)

// trusted reports whether what the folder brings takes effect (SPEC 4.2).
func (w *Workspace) trusted() bool { return w.standing().trusted }

// standing is how a folder stands with the person.
type standing struct {
	trusted bool
	asked   bool              // the person said so, or that it is not
	brings  map[string]string // what could take effect: hashes by path, relative with slashes
	fresh   map[string]bool   // of it, what came or changed since: it does nothing
}

// standing says how the folder stands now. Trust is an act of the person, and
// holds for what was there then. A folder that nobody was asked about needs no
// question as long as all that it brings was made by this program.
func (w *Workspace) standing() standing {
	kept := w.settings.TrustOf(w.folder)
	s := standing{trusted: kept.Trusted, asked: kept.Asked, brings: w.brings.of(w.folder), fresh: map[string]bool{}}
	if w.trustOnce {
		s.trusted = true
		return s
	}
	for path, sum := range s.brings {
		if kept.Known[path] != sum && !w.isDefault(sum) {
			s.fresh[path] = true
		}
	}
	if !s.asked {
		s.trusted = len(s.fresh) == 0 && !w.bringsNotebooks()
	}
	return s
}

// counts reports whether a file that the folder brings takes effect, by its
// path, relative with slashes, and its text, "" for one that cannot be read.
func (s standing) counts(path, text string) bool {
	return s.trusted && !s.fresh[path] && (text == "" || s.brings[path] == hashOf([]byte(text)))
}

// held gives the rules that came or changed since the folder was trusted.
func (s standing) held() map[string]bool {
	out := map[string]bool{}
	for path := range s.fresh {
		if name, ok := strings.CutPrefix(path, ".mutsumi/rules/"); ok {
			out[name] = true
		}
	}
	return out
}

// bringsNotebooks reports whether there are notebooks that this program did
// not make, or that may be there: nobody has looked yet.
func (w *Workspace) bringsNotebooks() bool {
	select {
	case <-w.scanned:
	default:
		return true
	}
	made := w.rights.AllMade()
	if w.quiet { // nobody looked through the folder: something of ours has to be there
		return len(made) == 0 || w.outside != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(made)), func(a settings.Agent) bool { return a.File == w.PathOf(w.outside) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, h := range w.heads {
		if !made[settings.Agent{File: path, UUID: h.UUID}] {
			return true
		}
	}
	return false
}

// isDefault reports whether a hash is that of one of the program's own rules.
func (w *Workspace) isDefault(sum string) bool {
	w.defaultsOnce.Do(func() {
		w.defaultSums = map[string]bool{}
		if w.defaults == nil {
			return
		}
		fs.WalkDir(w.defaults, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if text, err := fs.ReadFile(w.defaults, path); err == nil {
					w.defaultSums[hashOf(text)] = true
				}
			}
			return nil
		})
	})
	return w.defaultSums[sum]
}

// Bounds of what is fileHash.
const (
	mostBrought = 3000
	hashedBytes = 4 << 20
)

// brought keeps hashes of files, so that looking again costs next to nothing.
type brought struct {
	mu    sync.Mutex
	files map[string]fileHash
}

type fileHash struct {
	size int64
	at   time.Time
	sum  string
}

// of lists what could take effect in a folder: rules, kinds of agents, skills,
// and servers of tools.
func (b *brought) of(folder string) map[string]string {
	b.mu.Lock()
	before := b.files
	b.mu.Unlock()
	now, out := map[string]fileHash{}, map[string]string{}
	add := func(path string) {
		rel, err := filepath.Rel(folder, path)
		if err != nil || len(out) >= mostBrought {
			return
		}
		h := hashFile(path, before[path])
		now[path], out[filepath.ToSlash(rel)] = h, h.sum
	}
	for _, shelf := range []func() ([]rules.Rule, error){func() ([]rules.Rule, error) { return rules.List(folder) }, kind.Shelf(folder).List} {
		found, _ := shelf() // what cannot be listed is not read either
		for _, r := range found {
			add(r.Path)
		}
	}
	filepath.WalkDir(filepath.Join(folder, ".mutsumi", "skills"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			add(path)
		}
		return nil
	})
	if servers := filepath.Join(folder, ".mcp.json"); isThere(servers) {
		add(servers)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = now
	return out
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hashFile hashes a file, links followed, unless it is as it was. One that
// cannot be read has a hash of its own: it is asked about when it can.
func hashFile(path string, before fileHash) fileHash {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > hashedBytes {
		return fileHash{sum: "unreadable"}
	}
	if before.sum != "" && before.size == info.Size() && before.at.Equal(info.ModTime()) {
		return before
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fileHash{sum: "unreadable"}
	}
	return fileHash{info.Size(), info.ModTime(), hashOf(text)}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Trust says what the folder brings and whether it takes effect.
func (w *Workspace) Trust() TrustView {
	s := w.standing()
	v := TrustView{Trusted: s.trusted, Asked: s.asked, Rules: []string{}, Skills: []string{}, Kinds: []string{}, Servers: []string{}, Fresh: []string{}}
	skills := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(s.brings)) {
		name, _ := strings.CutPrefix(path, ".mutsumi/")
		switch shelf, rest, _ := strings.Cut(name, "/"); shelf {
		case "rules":
			v.Rules = append(v.Rules, rest)
		case "agents":
			v.Kinds = append(v.Kinds, strings.TrimSuffix(rest, ".md"))
		case "skills":
			skill, _, _ := strings.Cut(rest, "/")
			if skill = strings.TrimSuffix(skill, ".md"); !skills[skill] {
				skills[skill] = true
				v.Skills = append(v.Skills, skill)
			}
		default:
			v.Servers = append(v.Servers, path)
		}
		if s.trusted && s.fresh[path] {
			v.Fresh = append(v.Fresh, path)
		}
	}
	w.mu.Lock()
	v.Notebooks = len(w.heads)
	w.mu.Unlock()
	return v
}

// TrustFolder keeps what the person said of the folder, and of what it brings
// now.
func (w *Workspace) TrustFolder(trusted bool) error {
	if err := w.settings.Trust(w.folder, trusted, w.brings.of(w.folder)); err != nil {
		return err
	}
	w.tellTrust(true)
	return nil
}

// tellTrust tells how the folder stands with the person, when that is another
// way than was told last, or always.
func (w *Workspace) tellTrust(always bool) {
	s := w.standing()
	now := strings.Join(slices.Sorted(maps.Keys(s.fresh)), "\x00")
	w.mu.Lock()
	before := w.toldTrust
	w.toldTrust = toldTrust{true, s.trusted, now}
	changed := always || before.told && before != w.toldTrust
	w.mu.Unlock()
	if !changed {
		return
	}
	w.out.Emit(event.TrustChanged{Trusted: s.trusted, Asked: s.asked})
	w.out.Emit(event.ContextChanged{Rules: true})
	w.tellKinds()
}

// toldTrust is what was told of the folder's trust last.
type toldTrust struct {
	told, trusted bool
	fresh         string
}

// LeftOut lists what does nothing because the person has not said that it may:
// of the folder, and of the notebook at path ("" for none).
func (w *Workspace) LeftOut(path string) []string {
	v := w.Trust()
	out := v.Fresh
	if !v.Trusted {
		out = slices.Concat(v.Rules, v.Skills, v.Kinds, v.Servers)
	}
	if path != "" {
		if r, _, err := w.reachNow(path); err == nil {
			out = append(out, r.asked...)
		}
	}
	return out
}

// Rules lists the rules of the folder.
func (w *Workspace) Rules() ([]RuleView, error) {
	found, err := rules.List(w.folder)
	if err != nil {
		return nil, err
	}
	views := make([]RuleView, len(found))
	for i, r := range found {
		views[i] = RuleView{Name: r.Name, Path: w.PathOf(r.Path)}
	}
	return views, nil
}

// Rule gives the text of a rule, also of one that the first run will bring.
func (w *Workspace) Rule(name string) (string, error) {
	text, err := rules.Read(w.folder, name)
	if dir, missing := w.defaultRules(); missing && fault.Is(err, fault.NotFound) {
		return rules.Read(dir, name)
	}
	return text, err
}

// rulesFor lists the rules that a request has. A preview writes nothing into the
// folder: the rules that the first run will copy there it reads elsewhere.
func (w *Workspace) rulesFor(preview bool) ([]rules.Rule, error) {
	if dir, missing := w.defaultRules(); preview && missing {
		return rules.List(dir)
	}
	return rules.List(w.folder)
}

// defaultRules gives a folder of the program's own with the default rules, where
// the workspace lacks them and the next run will copy them there.
func (w *Workspace) defaultRules() (dir string, missing bool) {
	if w.defaults == nil || !w.trusted() {
		return "", false
	}
	if _, err := os.Lstat(rules.Folder(w.folder)); err == nil {
		return "", false
	}
	dir = w.rulesCopy.of(w.defaults)
	return dir, dir != ""
}

// rulesCopy is a copy of the default rules in a folder of its own, made when
// somebody asks for it.
type rulesCopy struct {
	mu    sync.Mutex
	asked bool
	dir   string // "" where it cannot be made
}

func (c *rulesCopy) of(defaults fs.FS) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked {
		return c.dir
	}
	c.asked = true
	dir, err := os.MkdirTemp("", "mutsumi-rules-")
	if err != nil {
		return ""
	}
	if _, err := rules.Init(dir, defaults); err != nil {
		os.RemoveAll(dir)
		return ""
	}
	c.dir = dir
	return dir
}

// remove ends it: there is none from here on.
func (c *rulesCopy) remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked = true; c.dir != "" {
		os.RemoveAll(c.dir)
		c.dir = ""
	}
}

// initRules copies the default rules into a trusted folder that has none.
func (w *Workspace) initRules() error {
	if w.defaults == nil || !w.trusted() || !w.staysInside(rules.Folder(w.folder)) {
		return nil // also where the folder of rules is, or is behind, a link that leads out
	}
	made, err := rules.Init(w.folder, w.defaults)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder that cannot be written has no rules of ours
	}
	if len(made) > 0 {
		wrote := map[string]string{}
		for _, name := range made {
			if text, err := fs.ReadFile(w.defaults, name); err == nil {
				wrote[".mutsumi/rules/"+name] = hashOf(text)
			}
		}
		if err := w.settings.Know(w.folder, wrote); err != nil {
			return err
		}
		w.out.Emit(event.ContextChanged{Rules: true})
	}
	return err
}

// followRules tells when rules change on disk.
func (w *Workspace) followRules() {
	w.tasks.Go(func() {
		// Where the system cannot watch, the list is read again when it is shown.
		rules.Watch(w.ctx, w.folder, func() {
			w.out.Emit(event.ContextChanged{Rules: true})
			w.tellTrust(false)
		})
	})
}
