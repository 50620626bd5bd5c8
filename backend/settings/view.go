package settings

// View is the interface's view of the settings. It contains no key, only where it is stored.
type View struct {
	Path        string         `json:"path"` // of the YAML file
	Problem     string         `json:"problem,omitempty"`
	Providers   []ProviderView `json:"providers"`
	Preferences Preferences    `json:"preferences"`
	// Default is the model for a notebook that names none; nil: there is none.
	Default *Choice `json:"default,omitempty"`
	// Offline: no provider is connected, so that only the offline guide answers.
	Offline bool `json:"offline,omitempty"`
}

// Choice is a model of a provider; Model is "" if none of its models is known.
type Choice struct {
	Provider string `json:"provider"` // id
	Model    string `json:"model"`    // id
}

// ProviderView is an endpoint with its models.
type ProviderView struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	BaseURL string      `json:"baseUrl"`
	Wire    Wire        `json:"wire,omitempty"` // "": chat
	Source  Source      `json:"source"`
	Key     KeyView     `json:"key"`
	Models  []ModelView `json:"models"`
}

// Wire is the protocol that a provider speaks (SPEC 12.1).
type Wire string

const (
	WireChat      Wire = "chat"      // OpenAI Chat Completions
	WireResponses Wire = "responses" // OpenAI Responses
	WireAnthropic Wire = "anthropic" // Anthropic Messages
)

// known reports whether there is such a protocol; "" is chat.
func (w Wire) known() bool {
	return w == "" || w == WireChat || w == WireResponses || w == WireAnthropic
}

// Source is where a provider comes from.
type Source string

const (
	FromFile        Source = "file"        // the settings file
	FromEnvironment Source = "environment" // OPENAI_API_KEY, OPENAI_BASE_URL
	FromDiscovery   Source = "discovered"  // a server found on this machine: Ollama, LM Studio, llama.cpp
	BuiltIn         Source = "builtin"     // the offline model
)

// KeyView is where a key is stored, never the key.
type KeyView struct {
	Store string `json:"store"`         // none, keyring, session (until the program ends), env
	Env   string `json:"env,omitempty"` // the variable's name
	Set   bool   `json:"set"`           // whether there is a key now
}

// ModelView is a model and its abilities.
type ModelView struct {
	ID            string  `json:"id"`
	Name          string  `json:"name,omitempty"`
	ContextTokens int     `json:"contextTokens"` // 0: unknown
	Images        bool    `json:"images"`
	Documents     bool    `json:"documents"` // PDF documents
	Tools         bool    `json:"tools"`
	Reasoning     bool    `json:"reasoning"`
	InputPrice    float64 `json:"inputPrice"` // dollars for a million tokens; 0: unknown
	CachedPrice   float64 `json:"cachedPrice"`
	OutputPrice   float64 `json:"outputPrice"`
	// Request parameters; zero values leave them to the server and are not sent.
	MaxOutput   int      `json:"maxOutput,omitempty"` // tokens of an answer
	Temperature *float64 `json:"temperature,omitempty"`
	Effort      string   `json:"effort,omitempty"` // of reasoning: minimal, low, medium, high
	Cache       string   `json:"cache,omitempty"`  // how the server caches beginnings (SPEC 12.3): prefix, whole, marked, none; "": the known default
	Guessed     bool     `json:"guessed"`          // the prices are unconfirmed ones from the table of known models
}

// ProviderInput is a provider as the person edits it.
type ProviderInput struct {
	ID      string      `json:"id"` // "" makes a new one
	Name    string      `json:"name"`
	BaseURL string      `json:"baseUrl"`
	Wire    Wire        `json:"wire,omitempty"`   // "": as it is
	KeyEnv  string      `json:"keyEnv,omitempty"` // take the key from this variable instead of the keyring
	Models  []ModelView `json:"models"`
}

// The values of Preferences.Compact.
const (
	CompactAuto = "auto"
	CompactAsk  = "ask"
)

// minCompactAt is the least Preferences.CompactAt, in tokens.
const minCompactAt = 4000

// UIState is the state in which a person left the window of one folder, restored when the folder is
// opened again. It is stored in the user's state folder, never in the workspace.
type UIState struct {
	Tabs           []string `json:"tabs"` // notebook paths; with Beside those of the left group
	Active         string   `json:"active"`
	Beside         *Beside  `json:"beside,omitempty"`  // nil: all tabs are in one group
	Preview        string   `json:"preview,omitempty"` // the tab of what will be sent: PreviewShown, PreviewOpen, or "" if there is none
	SidebarWidth   int      `json:"sidebarWidth"`      // pixels; 0: the design's
	InspectorWidth int      `json:"inspectorWidth"`    // pixels; 0: the design's
	SidebarOpen    bool     `json:"sidebarOpen"`
	// InspectorOpen is the person's choice; nil: none yet.
	InspectorOpen *bool    `json:"inspectorOpen,omitempty"`
	InternalShown bool     `json:"internalShown,omitempty"` // messages that the program added to conversations are unfolded
	Collapsed     []string `json:"collapsed"`               // uuids of folded agents in the tree
	Pinned        []string `json:"pinned"`                  // uuids of agents that are at the top
	Archived      []string `json:"archived"`                // uuids of agents that are put away
	// Read is, by uuid, the time up to which the person has seen an agent's work, in Unix
	// milliseconds; ReadAll is the time for all agents not listed.
	Read    map[string]int64 `json:"read,omitempty"`
	ReadAll int64            `json:"readAll,omitempty"`
	// Places is, by the notebook's uuid, where the person reads it; for a second view next to the
	// first one the uuid is followed by a space and a number.
	Places map[string]Place `json:"places,omitempty"`
	// Closed are the notebooks whose tabs were closed, most recent first.
	Closed []string `json:"closed,omitempty"`
	// Recent are the choices in the palette, most recent first: "command window.open", "agent .mtm
	// path", "file path", "cell path id".
	Recent []string    `json:"recent,omitempty"`
	Window WindowState `json:"window"`
	Fresh  bool        `json:"fresh,omitempty"` // the page has not kept anything of this folder yet
}

// The states of the tab of what will be sent, which belongs to the active group.
const (
	PreviewShown = "shown" // in front
	PreviewOpen  = "open"  // behind another tab
)

// Beside is the group of tabs to the right of the first one (SPEC 16.2).
type Beside struct {
	Tabs   []string `json:"tabs"`
	Active string   `json:"active"`
	Front  bool     `json:"front"` // the group is in use
	Share  int      `json:"share"` // of the room that the first group has, in percent; 0: half
}

// WindowState is the window's size; zero means the default.
type WindowState struct {
	Width     int  `json:"width"`
	Height    int  `json:"height"`
	Maximised bool `json:"maximised"`
}
