package preview

import (
	"mutsumi/backend/inspect"
	"mutsumi/backend/promptcache"
)

// Context is the content of a cell's next request, for the meter and the lists of the inspector.
// The build for sending computes it.
type Context struct {
	Path      string       `json:"path"`
	Cell      string       `json:"cell"`
	Tokens    int          `json:"tokens"`
	Window    int          `json:"window"` // tokens that the model takes; 0: unknown
	Estimated bool         `json:"estimated"`
	Cost      float64      `json:"cost"` // dollars for the input; 0: no price known
	Kinds     []KindTokens `json:"kinds"`
	Rules     []Part       `json:"rules"`
	Skills    []Part       `json:"skills"`
	Files     []Part       `json:"files"`
	Tools     []Part       `json:"tools"`   // definitions of the tools that are offered
	Offered   Offered      `json:"offered"` // the same, and what else there is of MCP servers
	Results   []Part       `json:"results"` // of tools that ran beforehand
	Images    []Part       `json:"images"`
	Resources []Part       `json:"resources"` // of MCP servers
	Documents []Part       `json:"documents"` // PDF documents, including omitted ones
	Macros    []Macro      `json:"macros"`
	Warnings  []Warning    `json:"warnings"`
	Allowed   []string     `json:"allowed"` // places that the agent may touch: relative in the folder, otherwise absolute
	Asked     []string     `json:"asked"`   // places outside the folder that the notebook asks for: they do nothing until the person allows them
	Missing   []string     `json:"missing"` // places of the notebook that are not there
	Placement string       `json:"placement"`
	Effort    string       `json:"effort"`  // of reasoning, that the notebook asks for: minimal, low, medium, high; "": the settings'
	Efforts   bool         `json:"efforts"` // the model reasons, so that an effort can be chosen
	Trusted   bool         `json:"trusted"`
	// ProgramRules: the rules are the program's, since the folder has none of its own.
	ProgramRules bool `json:"programRules"`
}

// KindTokens is a section of the meter: tools (their definitions), system,
// role, skills, history, prompt, rules, files, results (of tools that ran beforehand),
// images, documents, frame (around the four before it), in this order.
type KindTokens struct {
	Kind   string `json:"kind"`
	Tokens int    `json:"tokens"`
}

// Part is a rule, file, tool result, image or document of the next request.
type Part struct {
	ID        string `json:"id"` // what Switch and Forget take
	Source    string `json:"source"`
	Tokens    int    `json:"tokens"`
	Estimated bool   `json:"estimated"`
	Cell      string `json:"cell,omitempty"` // the cell whose prompt refers to it
	Note      string `json:"note,omitempty"` // gone, scaled down, not trusted, ...
	State     string `json:"state"`          // new, changed (since it was sent last), same, off, inert
	Version   int    `json:"version"`        // with the placement versioned; otherwise 0
	// Given: it is an image without a link, such as those of MCP servers. Picture is then a small
	// version as a data URI, made only from the sent data; "": there is none.
	Given   bool   `json:"given,omitempty"`
	Picture string `json:"picture,omitempty"`
}

// Macro is a macro of the notebook.
type Macro struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // notebook, prompt
}

// Warning is something a person should know about the next request.
type Warning struct {
	File string `json:"file,omitempty"` // "" is the prompt
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
	Cell string `json:"cell,omitempty"`
	// Folder is the folder to allow where a reference leads out of the allowed
	// ones.
	Folder string `json:"folder,omitempty"`
	// Part is the id of the rule or file that it belongs to; "": none.
	Part string `json:"part,omitempty"`
	// Outside reports that the reference leads out of the allowed folders. Another
	// warning of the same part may have the Folder.
	Outside bool `json:"outside,omitempty"`
}

// Preview is every message of the next request, segment by segment (POST /api/preview), and the
// differences from the last one sent.
type Preview struct {
	Path    string  `json:"path"`
	Cell    string  `json:"cell"`
	Request int     `json:"request"` // its number in this notebook, from 1
	Tokens  int     `json:"tokens"`
	Window  int     `json:"window"`
	Cost    float64 `json:"cost"`
	Model   string  `json:"model"`
	Bytes   int     `json:"bytes"`  // of the whole body
	SHA256  string  `json:"sha256"` // of the same
	// Parameters and messages are everything that is sent; the first message, of the role "tools",
	// holds the definitions of tools.
	Parameters []Parameter   `json:"parameters"`
	Messages   []Message     `json:"messages"`
	Removed    []Segment     `json:"removed"` // segments of the last request that this one lacks
	Warnings   []Warning     `json:"warnings"`
	Cache      inspect.Cache `json:"cache"`
	Expected   Expected      `json:"expected"`
}

// Expected is the part of a request that the server is expected to read from its cache (SPEC 12.3).
type Expected struct {
	Kind    promptcache.Kind `json:"kind"`    // the server's kind of cache
	Tokens  int              `json:"tokens"`  // that it should read; 0: none, or it is not known
	Expired bool             `json:"expired"` // the last request is too long ago
	AgoMs   int64            `json:"agoMs"`   // how long ago that was sent, in milliseconds; 0: not known
	Least   int              `json:"least"`   // tokens below which it caches nothing
}

// Parameter is a member of the request other than tools and messages.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// Message is a message as it will be sent.
type Message struct {
	Role     string    `json:"role"` // of the API, or "tools"
	Name     string    `json:"name,omitempty"`
	CallID   string    `json:"callId,omitempty"` // of a result: its call
	Parts    bool      `json:"parts"`            // its content is a list, not a string
	Cell     string    `json:"cell,omitempty"`
	Number   int       `json:"number"` // of its cell, from 1; 0: no cell
	Tokens   int       `json:"tokens"`
	Segments []Segment `json:"segments"`
}

// Segment is a piece of a message with its source.
type Segment struct {
	ID        string             `json:"id"`
	Kind      string             `json:"kind"` // system, role, history, prompt, image, document, skill, rule, file, tool, frame, definition
	Source    string             `json:"source"`
	Cell      string             `json:"cell,omitempty"`
	Place     string             `json:"place"` // "" in the content; reasoning; calls and tools: its text is JSON
	Piece     int                `json:"piece"` // of the content's list, or of the calls
	Text      string             `json:"text"`  // at most 64 KB; of an image or a document: nothing
	Cut       bool               `json:"cut"`   // there is more
	Tokens    int                `json:"tokens"`
	Estimated bool               `json:"estimated"`
	Note      string             `json:"note,omitempty"`
	State     string             `json:"state"` // same, changed, new: against the last request
	Added     int                `json:"added"` // lines, when changed
	Deleted   int                `json:"deleted"`
	Diff      []inspect.DiffLine `json:"diff"`              // when changed: the lines around the changes
	Given     bool               `json:"given,omitempty"`   // an image that no link leads to
	Picture   string             `json:"picture,omitempty"` // of a given image, see Part
}
