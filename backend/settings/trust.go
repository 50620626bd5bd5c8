package settings

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// maxTrusted is how many trusted folders are remembered, the newest first.
const maxTrusted = 10_000

// Trust is the person's decision about a folder (SPEC 4.2).
type Trust struct {
	Asked   bool // the person has decided
	Trusted bool
	// Known are the hashes of the files that existed at the decision, and of those that this
	// program wrote there itself, by path relative to the folder.
	Known map[string]string
}

// TrustOf returns the person's decision about a folder, by its absolute path with links resolved.
func (s *Store) TrustOf(folder string) Trust {
	for _, t := range s.trusted() {
		if t.Folder == realPath(folder) {
			return Trust{Asked: !t.Unasked, Trusted: t.Trusted && !t.Unasked, Known: t.Known}
		}
	}
	return Trust{}
}

// Trusted reports whether the person trusts a folder. asked is false until they decide.
func (s *Store) Trusted(folder string) (trusted, asked bool) {
	t := s.TrustOf(folder)
	return t.Trusted, t.Asked
}

// Trust stores the person's decision about a folder and, with trust, the hashes of its files.
func (s *Store) Trust(folder string, trusted bool, brings map[string]string) error {
	return s.changeTrust(folder, func(t *trustedFolder) {
		t.Trusted, t.Unasked = trusted, false
		if trusted {
			t.Known = maps.Clone(brings)
		}
	})
}

// Know adds the hashes of files that this program itself wrote into a folder:
// they need no question.
func (s *Store) Know(folder string, wrote map[string]string) error {
	return s.changeTrust(folder, func(t *trustedFolder) {
		known := maps.Clone(t.Known)
		if known == nil {
			known = map[string]string{}
		}
		maps.Copy(known, wrote)
		t.Known = known
	})
}

func (s *Store) changeTrust(folder string, f func(*trustedFolder)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer lockFolder(s.state)()
	real := realPath(folder)
	entry := trustedFolder{Folder: real, Unasked: true}
	list := s.trusted()
	if i := slices.IndexFunc(list, func(t trustedFolder) bool { return t.Folder == real }); i >= 0 {
		entry = list[i]
		list = slices.Delete(list, i, i+1)
	}
	f(&entry)
	list = slices.Insert(list, 0, entry)
	return s.writeState(s.trustFile(), list[:min(len(list), maxTrusted)])
}

type trustedFolder struct {
	Folder  string            `json:"folder"`
	Trusted bool              `json:"trusted"`
	Unasked bool              `json:"unasked,omitempty"` // only Known is valid: there was no decision
	Known   map[string]string `json:"known,omitempty"`
}

func (s *Store) trustFile() string { return filepath.Join(s.state, "trust.json") }

// trusted reads the list; a damaged one trusts nothing.
func (s *Store) trusted() []trustedFolder {
	b, err := os.ReadFile(s.trustFile())
	if err != nil {
		return nil
	}
	var list []trustedFolder
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	return list
}

func realPath(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}

// SkillsOf is the folder of this person's own skills, absolute. It need not be there.
func SkillsOf(s *Store) string { return filepath.Join(realPath(filepath.Dir(s.path)), "skills") }

// Private are the folders of this person's settings and state, absolute: no
// agent may touch them.
func (s *Store) Private() []string {
	out := []string{realPath(s.state), realPath(filepath.Dir(s.path))}
	for i, dir := range out {
		if abs, err := filepath.Abs(dir); err == nil {
			out[i] = abs
		}
	}
	return slices.Compact(out)
}
