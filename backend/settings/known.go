package settings

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

//go:embed known.yaml
var knownText []byte

// knownModel is an entry of known.yaml.
type knownModel struct {
	Match     string     `yaml:"match"`
	Context   int        `yaml:"context"`
	Images    bool       `yaml:"images"`
	Documents bool       `yaml:"documents"`
	Tools     *bool      `yaml:"tools"`
	Reasoning bool       `yaml:"reasoning"`
	Price     [3]float64 `yaml:"price"`
}

var knownTable = sync.OnceValue(func() []knownModel {
	table, err := readKnown(knownText)
	if err != nil {
		panic(err) // the file is part of the program and is tested
	}
	return table
})

func readKnown(text []byte) ([]knownModel, error) {
	var table []knownModel
	if err := yaml.Unmarshal(text, &table); err != nil {
		return nil, fmt.Errorf("read known.yaml: %w", err)
	}
	for _, k := range table {
		if _, err := path.Match(k.Match, ""); err != nil || k.Match == "" {
			return nil, fmt.Errorf("read known.yaml: %q is no pattern", k.Match)
		}
	}
	return table, nil
}

// Known returns what is known about a model by its name: context window, abilities, prices. The
// longest matching pattern of known.yaml wins. An unknown model is only assumed to support tools.
func Known(id string) ModelView {
	if v, ok := knownCache.Load(id); ok {
		return v.(ModelView)
	}
	v := known(id)
	if knownCount.Add(1) < maxKnown {
		knownCache.Store(id, v)
	}
	return v
}

// maxKnown limits the number of remembered names, which come from servers.
const maxKnown = 5000

var (
	knownCache sync.Map
	knownCount atomic.Int64
)

func known(id string) ModelView {
	v := ModelView{ID: id, Tools: true}
	name := plainName(id)
	best := -1
	for i, k := range knownTable() {
		if best >= 0 && len(k.Match) <= len(knownTable()[best].Match) {
			continue
		}
		if ok, _ := path.Match(k.Match, name); ok {
			best = i
		}
	}
	if best < 0 {
		return v
	}
	k := knownTable()[best]
	v.ContextTokens, v.Images, v.Documents, v.Reasoning = k.Context, k.Images, k.Documents, k.Reasoning
	if k.Tools != nil {
		v.Tools = *k.Tools
	}
	v.InputPrice, v.CachedPrice, v.OutputPrice = k.Price[0], k.Price[1], k.Price[2]
	v.Guessed = k.Price != [3]float64{}
	return v
}

// plainName removes additions of routers and local servers: the vendor before a slash
// ("anthropic/claude-..."), a tag after a colon ("llama3.2:3b").
func plainName(id string) string {
	id = strings.ToLower(id)
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
	}
	if i := strings.IndexByte(id, ':'); i > 0 {
		id = id[:i]
	}
	return id
}

// free is a model that runs on this machine and costs nothing.
func free(m ModelView) ModelView {
	m.InputPrice, m.CachedPrice, m.OutputPrice, m.Guessed = 0, 0, 0, false
	return m
}

// chats reports whether a name looks like a model that answers in text. Servers also list models
// for embeddings, images, speech and moderation.
func chats(id string) bool {
	name := strings.ToLower(id)
	for _, word := range []string{
		"embed", "whisper", "tts", "dall-e", "moderation", "transcribe", "realtime", "-audio", "gpt-image",
		"sora", "rerank", "davinci", "babbage", "imagen", "veo-", "bge-", "nomic-", "stable-diffusion", "flux",
	} {
		if strings.Contains(name, word) {
			return false
		}
	}
	return true
}
