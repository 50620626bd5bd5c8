package settings

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/fault"
	"mutsumi/backend/language"
	"mutsumi/backend/lazyregexp"
)

// The space that rows, bars and cells take.
const (
	Comfortable = "comfortable"
	Compact     = "compact"
)

// Preferences are the person's choices that belong to no notebook.
type Preferences struct {
	Theme           string `json:"theme"`                     // system, light, dark
	DefaultProvider string `json:"defaultProvider,omitempty"` // "" picks the first that has a key
	DefaultModel    string `json:"defaultModel,omitempty"`
	TitleProvider   string `json:"titleProvider,omitempty"` // names agents after their first answer; "": the words of the first prompt do
	TitleModel      string `json:"titleModel,omitempty"`
	ImageFolder     string `json:"imageFolder"` // notebook (next to it), temp (SPEC 6)
	RemoteImages    bool   `json:"remoteImages"`
	StepLimit       int    `json:"stepLimit"` // SPEC 7.1
	Compact         string `json:"compact"`   // auto: a request that gets too large is made smaller by a summary; ask: when the person wants it (SPEC 11.4)
	CompactAt       int    `json:"compactAt"` // tokens from which a request is too large, in addition to its model's limit; 0: only that
	Zoom            int    `json:"zoom"`      // percent
	FontSize        int    `json:"fontSize"`  // pixels of prose; 0: the design's
	CodeSize        int    `json:"codeSize"`  // pixels of blocks of code; 0: the design's, which grows with the prose
	Density         string `json:"density"`   // comfortable, compact: the space that rows, bars and cells take
	Language        string `json:"language"`  // of the interface: system, en, zh-CN
	Font            string `json:"font"`      // name of the font of the window and of prose; "": the program's own
	CodeFont        string `json:"codeFont"`  // likewise of code

	ParallelAgents int `json:"parallelAgents"` // children that run by themselves at once (SPEC 9)
	// CommandEnv are names of environment variables that agents' commands get
	// though they look like secrets: SSH_AUTH_SOCK. It is never nil.
	CommandEnv []string `json:"commandEnv"`
	// Keys are the person's own keys by action: "window.find": ["Ctrl+P"]. An action with an empty
	// list has none; one that is not named has the program's. It is never nil.
	Keys map[string][]string `json:"keys"`

	Quiet bool `json:"quiet"` // no notifications of the system while the window is not in front
}

// The number of children that run unasked at once.
const (
	usualAgents = 4
	maxAgents   = 64
)

// preferences fills in the defaults; the caller holds mu.
func (s *Store) preferences() Preferences {
	f := s.content.Preferences
	p := Preferences{
		Theme: f.Theme, DefaultProvider: f.DefaultProvider, DefaultModel: f.DefaultModel,
		TitleProvider: f.TitleProvider, TitleModel: f.TitleModel,
		ImageFolder: f.ImageFolder, RemoteImages: f.RemoteImages,
		StepLimit: f.StepLimit, Compact: f.Compact, CompactAt: max(0, f.CompactAt), Zoom: f.Zoom, FontSize: f.FontSize, CodeSize: min(max(0, f.CodeSize), 72),
		ParallelAgents: f.ParallelAgents, Quiet: f.Quiet, CommandEnv: []string{}, Keys: map[string][]string{},
	}
	if p.Density = f.Density; p.Density != Compact {
		p.Density = Comfortable
	}
	if p.Language = f.Language; !isLanguage(p.Language) {
		p.Language = language.System
	}
	if isFont(f.Font) {
		p.Font = f.Font
	}
	if isFont(f.CodeFont) {
		p.CodeFont = f.CodeFont
	}
	for action, keys := range f.Keys {
		if checkKeys(action, keys) == nil {
			p.Keys[action] = append([]string{}, keys...)
		}
	}
	for _, name := range f.CommandEnv {
		if envName.MatchString(name) && !slices.Contains(p.CommandEnv, name) {
			p.CommandEnv = append(p.CommandEnv, name)
		}
	}
	if p.Theme != "light" && p.Theme != "dark" {
		p.Theme = "system"
	}
	if p.ImageFolder != "temp" {
		p.ImageFolder = "notebook"
	}
	if p.Compact != CompactAsk {
		p.Compact = CompactAuto
	}
	if p.StepLimit <= 0 {
		p.StepLimit = 50
	}
	if p.ParallelAgents <= 0 {
		p.ParallelAgents = usualAgents
	}
	p.ParallelAgents = min(p.ParallelAgents, maxAgents)
	if p.Zoom <= 0 {
		p.Zoom = 100
	}
	p.Zoom = min(max(p.Zoom, 30), 300)
	return p
}

// ChangePreferences changes what differs between two versions of the preferences in the file, and
// nothing else: what another window or program changed in the meantime stays. Default values are
// written only if the key exists already.
func (s *Store) ChangePreferences(from, to Preferences) error {
	return s.edit(func(root *yaml.Node) error {
		s.mu.Lock()
		p := s.preferences()
		s.mu.Unlock()
		p = changed(p, from, to)
		if err := check(p); err != nil {
			return err
		}
		m := ensure(root, "preferences", yaml.MappingNode)
		field := func(key string, value any, usual bool) { put(m, key, value, usual && child(m, key) == nil) }
		field("theme", p.Theme, p.Theme == "system" || p.Theme == "")
		put(m, "defaultProvider", p.DefaultProvider, p.DefaultProvider == "")
		put(m, "defaultModel", p.DefaultModel, p.DefaultModel == "")
		put(m, "titleProvider", p.TitleProvider, p.TitleProvider == "")
		put(m, "titleModel", p.TitleModel, p.TitleModel == "")
		field("imageFolder", p.ImageFolder, p.ImageFolder == "notebook" || p.ImageFolder == "")
		field("remoteImages", p.RemoteImages, !p.RemoteImages)
		field("stepLimit", p.StepLimit, p.StepLimit == 50 || p.StepLimit == 0)
		field("compact", p.Compact, p.Compact == CompactAuto || p.Compact == "")
		field("compactAt", p.CompactAt, p.CompactAt == 0)
		field("zoom", p.Zoom, p.Zoom == 100 || p.Zoom == 0)
		field("fontSize", p.FontSize, p.FontSize == 0)
		field("codeSize", p.CodeSize, p.CodeSize == 0)
		field("density", p.Density, p.Density == Comfortable || p.Density == "")
		field("language", p.Language, p.Language == language.System || p.Language == "")
		field("font", p.Font, p.Font == "")
		field("codeFont", p.CodeFont, p.CodeFont == "")
		field("parallelAgents", p.ParallelAgents, p.ParallelAgents == usualAgents || p.ParallelAgents == 0)
		field("quiet", p.Quiet, !p.Quiet)
		put(m, "commandEnv", p.CommandEnv, len(p.CommandEnv) == 0)
		put(m, "keys", p.Keys, len(p.Keys) == 0)
		if len(m.Content) == 0 {
			remove(root, "preferences")
		}
		return nil
	})
}

// check reports a value that a preference cannot have.
func check(p Preferences) error {
	switch {
	case p.Theme != "" && p.Theme != "system" && p.Theme != "light" && p.Theme != "dark":
		return fault.New(fault.Invalid, "the theme is system, light or dark, not %q", p.Theme)
	case p.ImageFolder != "" && p.ImageFolder != "temp" && p.ImageFolder != "notebook":
		return fault.New(fault.Invalid, "the folder of images is temp or notebook, not %q", p.ImageFolder)
	case (p.TitleProvider == "") != (p.TitleModel == ""):
		return fault.New(fault.Invalid, "the model that names agents needs a provider and a model")
	case p.StepLimit < 0 || p.StepLimit > 10000:
		return fault.New(fault.Invalid, "the step limit is between 1 and 10000, not %d", p.StepLimit)
	case p.Compact != "" && p.Compact != CompactAuto && p.Compact != CompactAsk:
		return fault.New(fault.Invalid, "long conversations are compacted auto or ask, not %q", p.Compact)
	case p.CompactAt < 0 || p.CompactAt > maxTokens || p.CompactAt > 0 && p.CompactAt < minCompactAt:
		return fault.New(fault.Invalid, "conversations are compacted from %d to %d tokens, not %d", minCompactAt, maxTokens, p.CompactAt)
	case p.ParallelAgents < 0 || p.ParallelAgents > maxAgents:
		return fault.New(fault.Invalid, "between 1 and %d agents run at once, not %d", maxAgents, p.ParallelAgents)
	case p.Zoom != 0 && (p.Zoom < 30 || p.Zoom > 300):
		return fault.New(fault.Invalid, "the zoom is between 30 and 300 percent, not %d", p.Zoom)
	case p.FontSize != 0 && (p.FontSize < 6 || p.FontSize > 72):
		return fault.New(fault.Invalid, "the font size is between 6 and 72 pixels, not %d", p.FontSize)
	case p.CodeSize != 0 && (p.CodeSize < 6 || p.CodeSize > 72):
		return fault.New(fault.Invalid, "the size of code is between 6 and 72 pixels, not %d", p.CodeSize)
	case p.Density != "" && p.Density != Comfortable && p.Density != Compact:
		return fault.New(fault.Invalid, "the density is comfortable or compact, not %q", p.Density)
	case p.Language != "" && !isLanguage(p.Language):
		return fault.New(fault.Invalid, "the language is system, en or zh-CN, not %q", p.Language)
	case !isFont(p.Font) || !isFont(p.CodeFont):
		return fault.New(fault.Invalid, "a font is called by its name, such as Noto Sans: letters, digits, spaces, hyphens and dots")
	}
	for _, name := range p.CommandEnv {
		if !envName.MatchString(name) || looksLikeKey(name) {
			return fault.New(fault.Invalid, "commands are given variables by their names, such as SSH_AUTH_SOCK, not by their values")
		}
	}
	for action, keys := range p.Keys {
		if err := checkKeys(action, keys); err != nil {
			return fault.New(fault.Invalid, "%v", err)
		}
	}
	return nil
}

// fontName matches names of fonts that a page can use without quoting.
var fontName = lazyregexp.New(`^[\p{L}\p{N}][\p{L}\p{N} .\-]{0,63}$`)

func isFont(name string) bool { return name == "" || fontName.MatchString(name) }

// isLanguage reports whether a text is a choice of the interface's language.
func isLanguage(tag string) bool {
	return tag == language.System || tag == language.English || tag == language.Chinese
}
