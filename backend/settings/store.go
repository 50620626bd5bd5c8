package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/atomicfile"
	"mutsumi/backend/fault"
	"mutsumi/backend/language"
	"mutsumi/backend/lock"
)

// Store holds the settings of one person. It may be used by many goroutines.
type Store struct {
	Asking Asking // whether providers are being asked for their models

	path  string // of the YAML file
	state string // folder of UIState, recent folders and fetched model lists

	looking lock.Mutex         // guards looks
	looks   map[string]UIState // by folder, as they were last kept
	keeping lock.Mutex         // one of them is written at a time

	writing lock.Mutex // one edit at a time
	mu      lock.Mutex // guards the fields below
	raw     []byte     // the file as it was last read or written
	content content    // the last that could be understood
	damage  string     // why the file cannot be understood now; "" if it can
	remark  string     // what is odd in it
	fetched map[string][]string
	absent  map[string]bool   // keyring entries that turned out not to be there
	session map[string]string // keys that are kept until the program ends, and nowhere else
	found   []ProviderView
	builtIn *builtIn
	accept  string // see PageAccepts
	version uint64 // see Version
}

type builtIn struct {
	view ProviderView
	key  string
}

// BuiltInID is the id of the offline provider, EnvironmentID that of the one
// made from OPENAI_API_KEY and OPENAI_BASE_URL.
const (
	BuiltInID     = "builtin"
	EnvironmentID = "environment"
)

// Dir is the folder of the settings file: $MUTSUMI_CONFIG, otherwise "mutsumi" in the person's
// config folder.
func Dir() (string, error) {
	if dir := os.Getenv("MUTSUMI_CONFIG"); dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return "", fault.New(fault.Invalid, "find the config folder: %w. Set MUTSUMI_CONFIG to a folder of your choice", err)
	}
	return filepath.Join(base, "mutsumi"), nil
}

// stateDir is $MUTSUMI_STATE, otherwise next to the settings if the user chose their folder,
// otherwise the system's folder for state.
func stateDir(dir string, chosen bool) string {
	if s := os.Getenv("MUTSUMI_STATE"); s != "" {
		return s
	}
	if !chosen && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		if s := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(s) {
			return filepath.Join(s, "mutsumi")
		}
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, ".local", "state", "mutsumi")
		}
	}
	return filepath.Join(dir, "state")
}

// Open reads the settings in dir, or in Dir() if dir is "". A missing file is not an error; the
// first edit creates it. A damaged one is not an error either: View().Problem says what is wrong,
// and edits are refused until it is repaired.
func Open(dir string) (*Store, error) {
	chosen := dir != "" || os.Getenv("MUTSUMI_CONFIG") != ""
	if dir == "" {
		d, err := Dir()
		if err != nil {
			return nil, err
		}
		dir = d
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open settings %s: %w", dir, err)
	}
	s := &Store{
		path:    filepath.Join(dir, "settings.yaml"),
		state:   stateDir(dir, chosen),
		absent:  map[string]bool{},
		session: map[string]string{},
		fetched: map[string][]string{},
	}
	s.readFetched()
	s.reload()
	return s, nil
}

// Path is the settings file.
func (s *Store) Path() string { return s.path }

// reload reads the file again and reports whether it differs from before.
func (s *Store) reload() bool {
	raw, err := readSettings(s.path)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		was := s.damage
		s.damage = "it cannot be read: " + err.Error()
		return s.damage != was
	}
	if s.raw != nil && bytes.Equal(raw, s.raw) && s.damage == "" {
		return false
	}
	changed := !bytes.Equal(raw, s.raw) || s.damage != ""
	s.take(raw)
	return changed
}

// take makes raw the current text; the caller holds mu.
func (s *Store) take(raw []byte) {
	c, doc, err := parse(raw)
	s.raw = raw
	if s.raw == nil {
		s.raw = []byte{}
	}
	if err != nil {
		s.damage = err.Error()
		return
	}
	s.content, s.damage, s.remark = c, "", remark(doc.Content[0], c)
	s.version++
	clear(s.absent)
}

// edit changes the file. It starts from the present content on disk, so that it does not undo edits
// made elsewhere.
func (s *Store) edit(change func(root *yaml.Node) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer lockFolder(filepath.Dir(s.path))()
	s.reload()
	s.mu.Lock()
	raw, damage := s.raw, s.damage
	s.mu.Unlock()
	if damage != "" {
		return fault.New(fault.Invalid, "%s", s.damageText(damage))
	}
	text, err := rewrite(raw, change)
	if err != nil {
		return err
	}
	if _, _, err := parse(text); err != nil {
		return fault.New(fault.Internal, "save settings %s: the edit would damage the file (%w), so that nothing was written", s.path, err)
	}
	if bytes.Equal(text, raw) {
		return nil
	}
	if err := atomicfile.Write(s.path, text); err != nil {
		return fault.New(fault.Invalid, "save settings %s: %w. Nothing was changed", s.path, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(text)
	return nil
}

func (s *Store) damageText(damage string) string {
	return fmt.Sprintf("the settings file %s is damaged: %s. Mend it in an editor, or move it away to start with an empty one; until then it is left alone and no setting is saved", s.path, damage)
}

// View returns everything that the interface shows. It never waits for the keyring.
func (s *Store) View() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := View{Path: s.path, Providers: s.providers(), Preferences: s.preferences()}
	v.Default, v.Offline = s.choice(v.Providers, v.Preferences), offline(v.Providers)
	switch {
	case s.damage != "":
		v.Problem = s.damageText(s.damage)
	case s.remark != "":
		v.Problem = fmt.Sprintf("the settings file %s: %s", s.path, s.remark)
	}
	return v
}

// Preferences returns what View does, without the providers and their models.
func (s *Store) Preferences() Preferences {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.preferences()
}

// PageAccepts records the languages that a page of this program requests, its header
// Accept-Language: the system's, also where the environment does not name it.
func (s *Store) PageAccepts(accept string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accept = accept
}

// Language returns the language of the interface: the chosen one, or that of the last page. Until
// there was a page it is the environment's.
func (s *Store) Language() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return language.Choose(s.preferences().Language, s.accept)
}

// Version changes whenever a provider, model or price may have changed: data derived from
// View().Providers is valid as long as it stays the same.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// providers lists the file's, the environment's, those found and the built-in
// one, in this order; the caller holds mu.
func (s *Store) providers() []ProviderView {
	out := make([]ProviderView, 0, len(s.content.Providers)+len(s.found)+2)
	taken := map[string]bool{}
	for _, p := range s.content.Providers {
		v := s.fileView(p)
		taken[v.ID], taken[sameServer(v.BaseURL)] = true, true
		out = append(out, v)
	}
	if v, ok := s.environment(); ok && !taken[v.ID] {
		out = append(out, v)
		taken[sameServer(v.BaseURL)] = true
	}
	for _, v := range s.found {
		if !taken[v.ID] && !taken[sameServer(v.BaseURL)] {
			v.Models = slices.Clone(v.Models)
			out = append(out, v)
		}
	}
	if s.builtIn != nil && !taken[BuiltInID] {
		v := s.builtIn.view
		v.Models = slices.Clone(v.Models)
		out = append(out, v)
	}
	return out
}

func (s *Store) fileView(p fileProvider) ProviderView {
	v := ProviderView{ID: p.ID, Name: cmp.Or(p.Name, p.ID), BaseURL: p.BaseURL, Wire: p.Wire, Source: FromFile}
	if v.Wire == WireChat {
		v.Wire = ""
	}
	switch {
	case p.KeyEnv != "":
		v.Key = KeyView{Store: "env", Env: p.KeyEnv, Set: os.Getenv(p.KeyEnv) != ""}
	case p.Key == "keyring":
		v.Key = KeyView{Store: "keyring", Set: !s.absent[p.ID]}
	case p.Key == "session":
		v.Key = KeyView{Store: "session", Set: s.session[p.ID] != ""}
	default:
		v.Key = KeyView{Store: "none"}
	}
	v.Models = make([]ModelView, 0, len(p.Models))
	for _, m := range p.Models {
		v.Models = append(v.Models, m.view())
	}
	v.Models = withFetched(v.Models, s.fetched[p.ID])
	return v
}

// environment makes the provider of OPENAI_API_KEY and OPENAI_BASE_URL.
func (s *Store) environment() (ProviderView, bool) {
	key, base := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key == "" && base == "" {
		return ProviderView{}, false
	}
	v := ProviderView{
		ID: EnvironmentID, Name: "OpenAI (environment)", Source: FromEnvironment,
		BaseURL: cmp.Or(base, openAI),
		Key:     KeyView{Store: "env", Env: "OPENAI_API_KEY", Set: key != ""},
		Models:  []ModelView{},
	}
	if u, err := cleanURL(v.BaseURL); err == nil {
		v.BaseURL = u
	}
	if v.BaseURL != openAI {
		v.Name = hostOf(v.BaseURL) + " (environment)"
	}
	if m := os.Getenv("OPENAI_MODEL"); m != "" {
		v.Models = append(v.Models, Known(m))
	}
	ids := s.fetched[EnvironmentID]
	if len(ids) == 0 && v.BaseURL == openAI {
		ids = usualOpenAI
	}
	v.Models = withFetched(v.Models, ids)
	return v, true
}

const openAI = "https://api.openai.com/v1"

// usualOpenAI are offered until the list has been fetched.
var usualOpenAI = []string{"gpt-5.1", "gpt-5-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4o", "o4-mini"}

func withFetched(models []ModelView, ids []string) []ModelView {
	have := make(map[string]bool, len(models))
	for _, m := range models {
		have[m.ID] = true
	}
	for _, id := range ids {
		if !have[id] {
			have[id] = true
			models = append(models, Known(id))
		}
	}
	return models
}

// SetBuiltIn registers the offline provider. The key is the one its server on
// loopback asks for; it is kept in memory only.
func (s *Store) SetBuiltIn(baseURL, key string, models []ModelView) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.builtIn = &builtIn{key: key, view: ProviderView{
		ID: BuiltInID, Name: "Offline guide", BaseURL: baseURL, Source: BuiltIn,
		Key: KeyView{Store: "none", Set: true}, Models: slices.Clone(models),
	}}
}

// SetDiscovered replaces the servers found on this machine and reports whether
// they differ from those known before.
func (s *Store) SetDiscovered(found []ProviderView) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := slices.EqualFunc(s.found, found, func(a, b ProviderView) bool {
		return a.ID == b.ID && a.BaseURL == b.BaseURL && slices.Equal(a.Models, b.Models)
	})
	s.found = slices.Clone(found)
	s.version++
	return !same
}

var errUnknown = errors.New("unknown provider")

// byProvider finds a provider of any source; the caller holds mu.
func (s *Store) byProvider(id string) (ProviderView, error) {
	for _, p := range s.providers() {
		if p.ID == id {
			return p, nil
		}
	}
	return ProviderView{}, fault.New(fault.NotFound, "there is no provider %q in the settings: choose another one, or add it", id).Because(errUnknown)
}
