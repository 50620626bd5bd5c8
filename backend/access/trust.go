package access

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/kind"
	"mutsumi/backend/lock"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
)

// Trust is whether what one folder brings takes effect (SPEC 4.2). It is safe
// for concurrent use.
type Trust struct {
	folder   string
	settings *settings.Store
	once     bool        // trusted for this once, by the command line
	foreign  func() bool // see NewTrust

	defaults     fs.FS // the program's own rules; nil: none
	defaultsOnce sync.Once
	defaultSums  map[string]bool // their hashes

	brings    brought
	mu        lock.Mutex
	published publishedTrust
}

// publishedTrust is the last state of the folder's trust that was published.
type publishedTrust struct {
	once, trusted bool
	brings, fresh string // paths
}

// NewTrust makes the trust of a folder, absolute. defaults are the program's
// own rules, nil for none; once trusts everything as long as the program runs.
// foreign reports whether there are notebooks that this program did not make,
// or may be: nobody has looked yet.
func NewTrust(folder string, s *settings.Store, defaults fs.FS, once bool, foreign func() bool) *Trust {
	return &Trust{folder: folder, settings: s, defaults: defaults, once: once, foreign: foreign}
}

// Trusted reports whether what the folder brings takes effect.
func (t *Trust) Trusted() bool { return t.Standing().Trusted }

// Standing is how a folder stands with the person.
type Standing struct {
	Trusted bool
	Asked   bool              // the person said so, or that it is not
	brings  map[string]string // what could take effect: hashes by path, relative with slashes
	fresh   map[string]bool   // of it, what came or changed since: it does nothing
}

// Standing says how the folder stands now. Trust is an act of the person, and
// holds for what was there then. A folder that nobody was asked about needs no
// question as long as all that it brings was made by this program.
func (t *Trust) Standing() Standing {
	kept := t.settings.TrustOf(t.folder)
	s := Standing{Trusted: kept.Trusted, Asked: kept.Asked, brings: t.brings.of(t.folder), fresh: map[string]bool{}}
	if t.once {
		s.Trusted = true
		return s
	}
	for path, sum := range s.brings {
		if kept.Known[path] != sum && !t.isDefault(sum) {
			s.fresh[path] = true
		}
	}
	if !s.Asked {
		s.Trusted = len(s.fresh) == 0 && !t.foreign()
	}
	return s
}

// Counts reports whether a file that the folder brings takes effect, by its
// path, relative with slashes, and its text, "" for one that cannot be read.
func (s Standing) Counts(path, text string) bool {
	return s.Trusted && !s.fresh[path] && (text == "" || s.brings[path] == hashOf([]byte(text)))
}

// Held returns the rules that came or changed since the folder was trusted.
func (s Standing) Held() map[string]bool {
	out := map[string]bool{}
	for path := range s.fresh {
		if name, ok := strings.CutPrefix(path, ".mutsumi/rules/"); ok {
			out[name] = true
		}
	}
	return out
}

// isDefault reports whether a hash is that of one of the program's own rules.
func (t *Trust) isDefault(sum string) bool {
	t.defaultsOnce.Do(func() {
		t.defaultSums = map[string]bool{}
		if t.defaults == nil {
			return
		}
		fs.WalkDir(t.defaults, ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if text, err := fs.ReadFile(t.defaults, path); err == nil {
					t.defaultSums[hashOf(text)] = true
				}
			}
			return nil
		})
	})
	return t.defaultSums[sum]
}

// TrustView says what a folder brought with it and whether it takes effect (SPEC 4.2).
type TrustView struct {
	Trusted   bool     `json:"trusted"`
	Asked     bool     `json:"asked"` // the person has said so before: not to be asked again about what was there
	Rules     []string `json:"rules"`
	Skills    []string `json:"skills"`
	Kinds     []string `json:"kinds"` // files of kinds of agents, without .md
	Servers   []string `json:"servers"`
	Notebooks int      `json:"notebooks"`
	Fresh     []string `json:"fresh"` // of a trusted folder: files that came or changed since, which do nothing until the person trusts them too
}

// View says what the folder brings and whether it takes effect. Notebooks is
// left to who knows them.
func (t *Trust) View() TrustView {
	s := t.Standing()
	v := TrustView{Trusted: s.Trusted, Asked: s.Asked, Rules: []string{}, Skills: []string{}, Kinds: []string{}, Servers: []string{}, Fresh: []string{}}
	skills := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(s.brings)) {
		name, _ := strings.CutPrefix(path, ".mutsumi/")
		switch folder, rest, _ := strings.Cut(name, "/"); folder {
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
		if s.Trusted && s.fresh[path] {
			v.Fresh = append(v.Fresh, path)
		}
	}
	return v
}

// LeftOut lists what of the folder does nothing because the person has not said
// that it may.
func (t *Trust) LeftOut() []string {
	v := t.View()
	if v.Trusted {
		return v.Fresh
	}
	return slices.Concat(v.Rules, v.Skills, v.Kinds, v.Servers)
}

// Read returns the text of a file that trust is about, by its path relative to
// the folder, so that it can be read before anybody trusts it. roots are the
// folder. NotFound: the folder brings no such file.
func (t *Trust) Read(path string, roots *files.Roots) (string, error) {
	if _, there := t.brings.of(t.folder)[path]; !there {
		return "", fault.New(fault.NotFound, "this folder brings no file %s", path)
	}
	return roots.Read(path, hashedBytes)
}

// Set keeps what the person said of the folder, and of what it brings now.
func (t *Trust) Set(trusted bool) error {
	return t.settings.Trust(t.folder, trusted, t.brings.of(t.folder))
}

// Know keeps that the program itself writes files into the folder, by their
// paths, relative with slashes, and their texts: nobody is asked about them.
func (t *Trust) Know(texts map[string]string) error {
	sums := make(map[string]string, len(texts))
	for path, text := range texts {
		sums[path] = hashOf([]byte(text))
	}
	return t.settings.Know(t.folder, sums)
}

// Changed reports whether the folder stands another way, or brings other files,
// than at the call before; at the first call it does not.
func (t *Trust) Changed() bool {
	s := t.Standing()
	names := func(files iter.Seq[string]) string { return strings.Join(slices.Sorted(files), "\x00") }
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.published
	t.published = publishedTrust{true, s.Trusted, names(maps.Keys(s.brings)), names(maps.Keys(s.fresh))}
	return before.once && before != t.published
}

// Bounds of what is fileHash.
const (
	maxBrought  = 3000
	hashedBytes = 4 << 20
)

// brought keeps hashes of files, so that looking again costs next to nothing.
type brought struct {
	mu    lock.Mutex
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
		if err != nil || len(out) >= maxBrought {
			return
		}
		h := hashFile(path, before[path])
		now[path], out[filepath.ToSlash(rel)] = h, h.sum
	}
	for _, shelf := range []func() ([]rules.Rule, error){func() ([]rules.Rule, error) { return rules.List(folder) }, kind.Folder(folder).List} {
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
