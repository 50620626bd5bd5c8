package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// fileLimit is the largest settings file that is read, in bytes.
const fileLimit = 4 << 20

// content is the settings file as the program understands it.
type content struct {
	Providers   []fileProvider `yaml:"providers"`
	Preferences filePrefs      `yaml:"preferences"`
	Servers     map[string]any `yaml:"mcpServers"` // see Servers.List

	Agents map[string]ACPAgent `yaml:"agentServers"`
}

type fileProvider struct {
	ID      string      `yaml:"id"`
	Name    string      `yaml:"name"`
	BaseURL string      `yaml:"baseUrl"`
	Wire    Wire        `yaml:"wire"`
	Key     string      `yaml:"key"` // "keyring", "session" or nothing: never the key itself
	KeyEnv  string      `yaml:"keyEnv"`
	Models  []fileModel `yaml:"models"`
}

// fileModel is a model in the file; the rest comes from the table of known models.
type fileModel struct {
	ID            string   `yaml:"id"`
	Name          *string  `yaml:"name"`
	ContextTokens *int     `yaml:"contextTokens"`
	Images        *bool    `yaml:"images"`
	Documents     *bool    `yaml:"documents"`
	Tools         *bool    `yaml:"tools"`
	Reasoning     *bool    `yaml:"reasoning"`
	InputPrice    *float64 `yaml:"inputPrice"`
	CachedPrice   *float64 `yaml:"cachedPrice"`
	OutputPrice   *float64 `yaml:"outputPrice"`
	MaxOutput     *int     `yaml:"maxOutput"`
	Temperature   *float64 `yaml:"temperature"`
	Effort        *string  `yaml:"effort"`
	Cache         *string  `yaml:"cache"`
}

// UnmarshalYAML also takes a bare name: `models: [gpt-5, gpt-5-mini]`.
func (m *fileModel) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&m.ID)
	}
	type plain fileModel
	return n.Decode((*plain)(m))
}

func (m fileModel) view() ModelView {
	v := Known(m.ID)
	set(&v.Name, m.Name)
	set(&v.ContextTokens, m.ContextTokens)
	set(&v.Images, m.Images)
	set(&v.Documents, m.Documents)
	set(&v.Tools, m.Tools)
	set(&v.Reasoning, m.Reasoning)
	set(&v.InputPrice, m.InputPrice)
	set(&v.CachedPrice, m.CachedPrice)
	set(&v.OutputPrice, m.OutputPrice)
	set(&v.MaxOutput, m.MaxOutput)
	set(&v.Effort, m.Effort)
	set(&v.Cache, m.Cache)
	v.Temperature = m.Temperature
	if m.InputPrice != nil || m.CachedPrice != nil || m.OutputPrice != nil {
		v.Guessed = false
	}
	return v
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

type filePrefs struct {
	Theme           string `yaml:"theme"`
	DefaultProvider string `yaml:"defaultProvider"`
	DefaultModel    string `yaml:"defaultModel"`
	TitleProvider   string `yaml:"titleProvider"`
	TitleModel      string `yaml:"titleModel"`
	ImageFolder     string `yaml:"imageFolder"`
	RemoteImages    bool   `yaml:"remoteImages"`
	StepLimit       int    `yaml:"stepLimit"`
	Compact         string `yaml:"compact"`
	CompactAt       int    `yaml:"compactAt"`
	Zoom            int    `yaml:"zoom"`
	FontSize        int    `yaml:"fontSize"`
	CodeSize        int    `yaml:"codeSize"`
	Density         string `yaml:"density"`
	Language        string `yaml:"language"`
	Font            string `yaml:"font"`
	CodeFont        string `yaml:"codeFont"`
	ParallelAgents  int    `yaml:"parallelAgents"`
	Quiet           bool   `yaml:"quiet"`

	CommandEnv []string            `yaml:"commandEnv"`
	Keys       map[string][]string `yaml:"keys"`
}

// readSettings reads the file; a missing one is empty.
func readSettings(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err == nil && len(raw) > fileLimit {
		return nil, fmt.Errorf("it is larger than %d MB", fileLimit>>20)
	}
	return raw, err
}

// parse reads the file or reports an error, with the line. The node is for editing; it is never nil
// without an error.
func parse(raw []byte) (c content, doc *yaml.Node, err error) {
	// yaml panics on some damage.
	defer func() {
		if v := recover(); v != nil {
			c, doc, err = content{}, nil, fmt.Errorf("it cannot be understood: %v", v)
		}
	}()
	if !utf8.Valid(raw) {
		return c, nil, errors.New("it is not UTF-8 text: save it as UTF-8")
	}
	doc = &yaml.Node{}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	switch err := dec.Decode(doc); {
	case errors.Is(err, io.EOF):
		return c, emptyDocument(string(raw)), nil
	case err != nil:
		return c, nil, explain(raw, err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return c, nil, errors.New("the file holds a second document (---)")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return c, emptyDocument(string(raw)), nil
	}
	if root.Kind != yaml.MappingNode {
		return c, nil, fmt.Errorf("line %d: `providers:` and `preferences:` were expected here", root.Line)
	}
	if err := doc.Decode(&c); err != nil {
		return content{}, nil, explain(raw, err)
	}
	if err := c.check(root); err != nil {
		return content{}, nil, err
	}
	return c, doc, nil
}

// check refuses what edits could not be aimed at.
func (c content) check(root *yaml.Node) error {
	list := child(root, "providers")
	seen := map[string]bool{}
	for i, p := range c.Providers {
		line := lineIn(root, list)
		if list != nil && i < len(list.Content) {
			line = list.Content[i].Line
		}
		switch {
		case p.ID == "":
			return fmt.Errorf("line %d: this provider has no `id`", line)
		case seen[p.ID]:
			return fmt.Errorf("line %d: there is a provider with the id %s already", line, p.ID)
		case !p.Wire.known():
			return fmt.Errorf("line %d: the `wire` of provider %s is chat, responses or anthropic, not %q", line, p.ID, p.Wire)
		}
		seen[p.ID] = true
		for _, m := range p.Models {
			if m.ID == "" {
				return fmt.Errorf("line %d: a model of provider %s has no `id`", line, p.ID)
			}
			if m.Cache != nil && !cacheKind(*m.Cache) {
				return fmt.Errorf("line %d: the `cache` of the model %s is prefix, whole, marked or none, not %q", line, m.ID, *m.Cache)
			}
		}
	}
	return nil
}

// lineIn is the line of the innermost existing node, outer ones first: merged nodes have no line in
// the surrounding block.
func lineIn(nodes ...*yaml.Node) int {
	for _, n := range slices.Backward(nodes) {
		if n != nil && n.Line > 0 {
			return n.Line
		}
	}
	return 1
}

// remark describes what is odd in a file that is still usable.
func remark(root *yaml.Node, c content) string {
	list := child(root, "providers")
	if list != nil && list.Kind == yaml.SequenceNode {
		for _, p := range list.Content {
			for _, name := range []string{"apiKey", "api_key", "apikey", "token", "secret"} {
				if n := child(p, name); n != nil {
					return fmt.Sprintf("line %d: a key does not belong into this file and is not read from it. Enter it in the settings, which puts it into the system's keyring, or name an environment variable with `keyEnv`", n.Line)
				}
			}
			if n := child(p, "key"); n != nil && n.Value != "" && n.Value != "keyring" && n.Value != "session" {
				return fmt.Sprintf("line %d: `key` can only say `keyring` or `session`. A key does not belong into this file: enter it in the settings, or name an environment variable with `keyEnv`", n.Line)
			}
		}
	}
	prefs := child(root, "preferences")
	if t := c.Preferences.Theme; t != "" && t != "system" && t != "light" && t != "dark" {
		return fmt.Sprintf("line %d: `theme` is system, light or dark", lineIn(root, prefs, child(prefs, "theme")))
	}
	if f := c.Preferences.ImageFolder; f != "" && f != "temp" && f != "notebook" {
		return fmt.Sprintf("line %d: `imageFolder` is temp or notebook", lineIn(root, prefs, child(prefs, "imageFolder")))
	}
	for _, action := range slices.Sorted(maps.Keys(c.Preferences.Keys)) {
		if err := checkKeys(action, c.Preferences.Keys[action]); err != nil {
			keys := child(prefs, "keys")
			return fmt.Sprintf("line %d: %v; the usual keys hold", lineIn(root, prefs, keys, child(keys, action)), err)
		}
	}
	return ""
}
