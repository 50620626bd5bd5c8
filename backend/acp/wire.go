package acp

import "encoding/json"

// The messages of the protocol, version 1, as far as this package reads or writes them. The types
// of the SDK refuse what they do not know; these ignore it.

// protocolVersion is the version that is spoken.
const protocolVersion = 1

type initializeParams struct {
	ProtocolVersion int            `json:"protocolVersion"`
	Capabilities    map[string]any `json:"clientCapabilities"`
	Info            implementation `json:"clientInfo"`
}

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type initialized struct {
	ProtocolVersion int `json:"protocolVersion"`
	Capabilities    struct {
		LoadSession bool `json:"loadSession"`
		Prompt      struct {
			Image           bool `json:"image"`
			EmbeddedContext bool `json:"embeddedContext"`
		} `json:"promptCapabilities"`
		Session struct {
			Resume *struct{} `json:"resume"`
			Close  *struct{} `json:"close"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	AuthMethods []authMethod    `json:"authMethods"`
	Info        *implementation `json:"agentInfo"`
}

// authMethod is a way to sign in. Its type is agent (""), terminal or env_var.
type authMethod struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Type        string            `json:"type"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Vars        []struct {
		Name string `json:"name"`
	} `json:"vars"`
	Meta struct {
		Terminal *struct { // what terminal methods were before they had a type
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"terminal-auth"`
	} `json:"_meta"`
}

// sessionParams are those of session/new, session/load and session/resume.
type sessionParams struct {
	Session    string `json:"sessionId,omitempty"`
	Dir        string `json:"cwd"`
	MCPServers []int  `json:"mcpServers"` // none
}

// sessionResult is what the three return.
type sessionResult struct {
	Session string         `json:"sessionId"`
	Modes   *modeState     `json:"modes"`
	Models  *modelState    `json:"models"`
	Options []configOption `json:"configOptions"`
}

type modeState struct {
	Current string `json:"currentModeId"`
	All     []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModes"`
}

type modelState struct {
	Current string `json:"currentModelId"`
	All     []struct {
		ID          string `json:"modelId"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModels"`
}

// configOption is a select, or a boolean.
type configOption struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Category    string          `json:"category"`
	Type        string          `json:"type"`
	Current     json.RawMessage `json:"currentValue"`
	Choices     []configChoice  `json:"options"`
}

// configChoice is a choice, or a group of them.
type configChoice struct {
	Value       string         `json:"value"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Group       string         `json:"group"`
	Choices     []configChoice `json:"options"`
}

type sessionOnly struct {
	Session string `json:"sessionId"`
}

type promptParams struct {
	Session string         `json:"sessionId"`
	Prompt  []contentBlock `json:"prompt"`
}

type promptResult struct {
	StopReason string     `json:"stopReason"`
	Usage      *turnUsage `json:"usage"`
}

type turnUsage struct {
	Total       int `json:"totalTokens"`
	Input       int `json:"inputTokens"`
	Output      int `json:"outputTokens"`
	Thought     int `json:"thoughtTokens"`
	CachedRead  int `json:"cachedReadTokens"`
	CachedWrite int `json:"cachedWriteTokens"`
}

// contentBlock is text, image, audio, resource_link or resource.
type contentBlock struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MIMEType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

type resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     string `json:"blob,omitempty"`
}

// MarshalJSON implements json.Marshaler: a text block has a text, even an empty one.
func (b contentBlock) MarshalJSON() ([]byte, error) {
	if b.Type == "text" {
		return json.Marshal(map[string]string{"type": "text", "text": b.Text})
	}
	type plain contentBlock
	return json.Marshal(plain(b))
}

// sessionUpdate is any session/update. A member that is missing or null changes nothing.
type sessionUpdate struct {
	Kind      string          `json:"sessionUpdate"`
	MessageID string          `json:"messageId"`
	Content   json.RawMessage `json:"content"` // a contentBlock, or a list of callContent

	toolCallFields

	Entries  json.RawMessage `json:"entries"`
	Commands []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Input       *struct {
			Hint string `json:"hint"`
		} `json:"input"`
	} `json:"availableCommands"`
	Mode    string         `json:"currentModeId"`
	Options []configOption `json:"configOptions"`
	Meta    struct {
		Usage *turnUsage `json:"usage"` // of the model's answer that just ended, as some agents say it
	} `json:"_meta"`
	Used float64   `json:"used"`
	Size float64   `json:"size"`
	Cost *wireCost `json:"cost"`
}

// wireCost is what a session cost so far.
type wireCost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// toolCallFields are what a call says of itself, at once or bit by bit.
type toolCallFields struct {
	ID        string          `json:"toolCallId"`
	Title     *string         `json:"title"`
	CallKind  *string         `json:"kind"`
	Status    *string         `json:"status"`
	Locations *[]wireLocation `json:"locations"`
	RawInput  json.RawMessage `json:"rawInput"`
	RawOutput json.RawMessage `json:"rawOutput"`
}

type wireLocation struct {
	Path string   `json:"path"`
	Line *float64 `json:"line"`
}

// callContent is content, diff or terminal.
type callContent struct {
	Type     string       `json:"type"`
	Content  contentBlock `json:"content"`
	Path     string       `json:"path"`
	OldText  *string      `json:"oldText"`
	NewText  string       `json:"newText"`
	Terminal string       `json:"terminalId"`
}

// planEntry is a step of a plan.
type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority,omitempty"`
	Status   string `json:"status,omitempty"`
}

type permissionParams struct {
	Session string `json:"sessionId"`
	Call    struct {
		toolCallFields
		Content json.RawMessage `json:"content"`
	} `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// fileParams are those of fs/read_text_file and fs/write_text_file.
type fileParams struct {
	Session string  `json:"sessionId"`
	Path    string  `json:"path"`
	Line    float64 `json:"line"`
	Limit   float64 `json:"limit"`
	Content string  `json:"content"`
}

// terminalParams are those of all terminal/ requests.
type terminalParams struct {
	Session  string   `json:"sessionId"`
	Terminal string   `json:"terminalId"`
	Command  string   `json:"command"`
	Args     []string `json:"args"`
	Env      []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Dir   string   `json:"cwd"`
	Limit *float64 `json:"outputByteLimit"`
}

type exitStatus struct {
	Code   *int    `json:"exitCode"`
	Signal *string `json:"signal"`
}
