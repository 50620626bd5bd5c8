package access

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/kind"
	"mutsumi/backend/language"
	"mutsumi/backend/lock"
	"mutsumi/backend/rules"
	"mutsumi/backend/settings"
	"mutsumi/backend/skills"
	"mutsumi/backend/slashcommand"
)

// Trust decides whether the rules, kinds, skills, commands and servers from a folder take effect
// (SPEC 4.2). It is safe for concurrent use.
type Trust struct {
	folder   string
	settings *settings.Store
	once     bool        // trusted for this call of the command line
	foreign  func() bool // see NewTrust

	defaults     fs.FS // the program's own rules; nil: none
	defaultsOnce sync.Once
	defaultSums  map[string]bool // their hashes

	brings    brought
	mu        lock.Mutex
	published publishedTrust
	guides    map[string]bool // the AGENTS.md of folders below that were found so far
}

// publishedTrust is the last state of the folder's trust that was published.
type publishedTrust struct {
	once, trusted bool
	brings, fresh string // paths
}

// NewTrust returns the Trust of a folder, which is absolute. defaults are the program's
// rules, nil for none; once trusts everything while the program runs. foreign reports
// whether the folder has, or may have, notebooks that this program did not make.
func NewTrust(folder string, s *settings.Store, defaults fs.FS, once bool, foreign func() bool) *Trust {
	return &Trust{folder: folder, settings: s, defaults: defaults, once: once, foreign: foreign}
}

// Trusted reports whether the folder's files take effect.
func (t *Trust) Trusted() bool { return t.Standing().Trusted }

// Standing records whether a folder, and each of its files, is trusted.
type Standing struct {
	Trusted bool
	Asked   bool              // the person decided it, either way
	brings  map[string]string // the files that could take effect: hashes by path, relative with slashes
	fresh   map[string]bool   // files added or changed since the decision: they have no effect
}

// Standing returns whether the folder is trusted now. The person's decision covers the files that
// existed at the time. A folder without a decision is trusted as long as this program wrote all of
// its files.
func (t *Trust) Standing() Standing {
	kept := t.settings.TrustOf(t.folder)
	s := Standing{Trusted: kept.Trusted, Asked: kept.Asked, brings: t.brought(), fresh: map[string]bool{}}
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

// Counts reports whether a file of the folder takes effect, given its path (relative, with slashes)
// and its text ("" if it cannot be read).
func (s Standing) Counts(path, text string) bool {
	return s.Trusted && !s.fresh[path] && (text == "" || s.brings[path] == hashOf([]byte(text)))
}

// CountsSkill reports whether a skill that was read takes effect: one of the folder does
// if the person trusted all its files as they are.
func (s Standing) CountsSkill(k skills.Skill) bool {
	if k.Rel == "" {
		return true // the person's own
	}
	if !s.Counts(path.Join(k.Rel, k.File), k.Text) {
		return false
	}
	return !slices.ContainsFunc(k.Files, func(file string) bool {
		file = path.Join(k.Rel, file)
		_, known := s.brings[file]
		return !known || s.fresh[file]
	})
}

// Held returns the names of the rules that came or changed since the decision.
func (s Standing) Held() map[string]bool {
	out := map[string]bool{}
	for path := range s.fresh {
		if name, ok := strings.CutPrefix(path, ".mutsumi/rules/"); ok {
			out[name] = true
		} else if rules.IsGuide(path) {
			out[path], out["./"+path] = true, true
		}
	}
	return out
}

// isDefault reports whether a hash belongs to one of the program's own rules.
func (t *Trust) isDefault(sum string) bool {
	t.defaultsOnce.Do(func() {
		t.defaultSums = map[string]bool{}
		for _, tree := range language.Trees(t.defaults) {
			fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					if text, err := fs.ReadFile(tree, path); err == nil {
						t.defaultSums[hashOf(text)] = true
					}
				}
				return nil
			})
		}
	})
	return t.defaultSums[sum]
}

// TrustView lists a folder's files and says whether they take effect (SPEC 4.2).
type TrustView struct {
	Trusted   bool     `json:"trusted"`
	Asked     bool     `json:"asked"` // the person has decided before; do not ask again about the same files
	Rules     []string `json:"rules"`
	Guides    []string `json:"guides"` // its AGENTS.md or CLAUDE.md
	Skills    []string `json:"skills"`
	Kinds     []string `json:"kinds"` // files of kinds of agents, without .md
	Servers   []string `json:"servers"`
	Commands  []string `json:"commands"` // files of commands
	Notebooks int      `json:"notebooks"`
	Fresh     []string `json:"fresh"` // of a trusted folder: files that came or changed since, which do nothing until the person trusts them too
}

// View returns the folder's files and whether they take effect. The caller fills in Notebooks.
func (t *Trust) View() TrustView {
	s := t.Standing()
	v := TrustView{Trusted: s.Trusted, Asked: s.Asked, Rules: []string{}, Guides: []string{}, Skills: []string{}, Kinds: []string{}, Servers: []string{}, Commands: []string{}, Fresh: []string{}}
	known := map[string]bool{} // skills
	for _, path := range slices.Sorted(maps.Keys(s.brings)) {
		name, _ := strings.CutPrefix(path, ".mutsumi/")
		folder, rest, _ := strings.Cut(name, "/")
		switch skill := skills.NameIn(path); {
		case skill != "":
			if !known[skill] {
				known[skill] = true
				v.Skills = append(v.Skills, skill)
			}
		case rules.IsGuide(path): // also rules/AGENTS.md, of a folder of that name
			v.Guides = append(v.Guides, path)
		case folder == "rules":
			v.Rules = append(v.Rules, rest)
		case folder == "agents":
			v.Kinds = append(v.Kinds, strings.TrimSuffix(rest, ".md"))
		case isCommand(path):
			v.Commands = append(v.Commands, path)
		default:
			v.Servers = append(v.Servers, path)
		}
		if s.Trusted && s.fresh[path] {
			v.Fresh = append(v.Fresh, path)
		}
	}
	return v
}

// LeftOut lists the folder's files that have no effect because the person has not trusted them.
func (t *Trust) LeftOut() []string {
	v := t.View()
	if v.Trusted {
		return v.Fresh
	}
	return slices.Concat(v.Rules, v.Guides, v.Skills, v.Kinds, v.Servers, v.Commands)
}

// Read returns the text of a file that trust covers, by its path relative to the folder, so that a
// person can read it before trusting it. roots are the folder. The error is NotFound if the folder
// has no such file.
func (t *Trust) Read(path string, roots *files.Roots) (string, error) {
	if _, there := t.brought()[path]; !there {
		return "", fault.New(fault.NotFound, "this folder brings no file %s", path)
	}
	return roots.Read(path, hashedBytes)
}

// Set stores the person's decision about the folder and its current files.
func (t *Trust) Set(trusted bool) error {
	return t.settings.Trust(t.folder, trusted, t.brought())
}

// Know records files that the program itself wrote into the folder (texts by path, relative, with
// slashes), so that the person is not asked about them.
func (t *Trust) Know(texts map[string]string) error {
	sums := make(map[string]string, len(texts))
	for path, text := range texts {
		sums[path] = hashOf([]byte(text))
	}
	return t.settings.Know(t.folder, sums)
}

// Changed reports whether the trust or the folder's files have changed since the previous call. The
// first call returns false.
func (t *Trust) Changed() bool {
	s := t.Standing()
	names := func(files iter.Seq[string]) string { return strings.Join(slices.Sorted(files), "\x00") }
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.published
	t.published = publishedTrust{true, s.Trusted, names(maps.Keys(s.brings)), names(maps.Keys(s.fresh))}
	return before.once && before != t.published
}

// Limits for hashing.
const (
	maxBrought  = 3000    // files
	hashedBytes = 4 << 20 // of one file; a larger one counts as unreadable
)

// brought caches the hashes of a folder's files.
type brought struct {
	mu    lock.Mutex
	files map[string]fileHash
}

type fileHash struct {
	size int64
	at   time.Time
	sum  string
}

// of returns the files that could take effect in a folder (rules, kinds, skills,
// commands and tool servers) as hashes by path.
func (b *brought) of(folder string, guides []string) map[string]string {
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
	for _, list := range []func() ([]rules.Rule, error){func() ([]rules.Rule, error) { return rules.List(folder) }, kind.Folder(folder).List} {
		found, _ := list() // files that cannot be listed cannot take effect either
		for _, r := range found {
			add(r.Path)
		}
	}
	if guide := rules.GuidePath(folder); guide != "" {
		add(guide)
	}
	for _, guide := range guides {
		if path := filepath.Join(folder, filepath.FromSlash(guide)); isThere(path) {
			add(path)
		}
	}
	for _, path := range slashcommand.Paths(folder) {
		add(path)
	}
	if servers := filepath.Join(folder, ".mcp.json"); isThere(servers) {
		add(servers)
	}
	for _, file := range skills.Files(folder) { // last: they may be too many to be known all
		add(filepath.Join(folder, filepath.FromSlash(file)))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = now
	return out
}

// isCommand reports whether a path (relative, with slashes) is that of a command's file.
func isCommand(path string) bool {
	return strings.HasPrefix(path, ".mutsumi/commands/") || strings.HasPrefix(path, ".claude/commands/")
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// hashFile returns the hash of a file, links followed; before is reused if the file has
// not changed. A file that cannot be read gets a special hash, so that the person is
// asked once it can.
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
