package anthropic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// Tokens of an answer where the request names no limit: the API wants one.
const (
	longest = 32000
	middle  = 8192
	short   = 4096
)

// Outgoing implements exchange.Protocol: thoughts in clear text are not sent back, kept ones are.
func (wire) Outgoing(req provider.Request, _ exchange.Features, server *url.URL) provider.Request {
	return exchange.WithoutReasoning(req, maker(server, req.Model))
}

// Encode implements exchange.Protocol. Stable parts come first: tools, system message, turns. Cache
// breakpoints follow the system message and precede the last prompt; the server moves one with the
// end.
func (w wire) Encode(req provider.Request, off exchange.Features, server *url.URL) (*exchange.Body, error) {
	limit := cmp.Or(req.MaxTokens, answerRoom(off))
	t := think(req, off, limit, maker(server, req.Model))
	head := append(jsontext.AppendString([]byte(`{"model":`), req.Model), `,"max_tokens":`...)
	head = append(appendNumber(head, limit), `,"stream":true`...)
	if req.Temperature != nil && off&temperature == 0 && t == (thinking{}) {
		head = append(head, `,"temperature":`...)
		head = strconv.AppendFloat(head, *req.Temperature, 'g', -1, 64)
	}
	head = appendThinking(head, t)
	if off&automaticCache == 0 {
		head = append(append(head, ','), breakpoint...)
	}
	system, messages := exchange.Instructions(req.Messages)
	head, err := exchange.AppendTools(head, req.Tools, appendTool)
	if err != nil {
		return nil, err
	}
	if system == "" && len(req.Tools) > 0 && off&cacheBreakpoints == 0 {
		head = mark(head, `}]`)
	}
	if system != "" {
		head = append(jsontext.AppendString(append(head, `,"system":[{"type":"text","text":`...), system), '}', ']')
		if off&cacheBreakpoints == 0 {
			head = mark(head, `}]`)
		}
	}
	head = append(head, `,"messages":[`...)
	turns := makeTurns(messages, off&cacheBreakpoints == 0)
	who := maker(server, req.Model)
	write := func(dst []byte, i int) ([]byte, error) { return turns[i].append(dst, who) }
	return exchange.NewBody(string(head), len(turns), write, `]}`), nil
}

func answerRoom(off exchange.Features) int {
	switch {
	case off&middleAnswer != 0:
		return short
	case off&longAnswer != 0:
		return middle
	}
	return longest
}

// breakpoint is the member that makes the cache store everything up to its end.
const breakpoint = `"cache_control":{"type":"ephemeral"}`

// mark adds a breakpoint to the object that text ends with, before end.
func mark(text []byte, end string) []byte {
	text = bytes.TrimSuffix(text, []byte(end))
	return append(append(append(text, ','), breakpoint...), end...)
}

func appendTool(dst []byte, t provider.ToolSpec) ([]byte, error) {
	return jsontext.Append(dst, struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
	}{t.Name, t.Description, exchange.Schema(t)})
}

// turn is everything one side says before the other does: the API accepts no two turns of one side in a row.
type turn struct {
	assistant bool
	marked    bool // followed by a breakpoint
	messages  []chat.Message
}

// makeTurns groups messages. Empty ones are left out.
func makeTurns(messages []chat.Message, mayMark bool) []turn {
	var turns []turn
	prompt := -1 // the turn with the last prompt
	for _, m := range messages {
		if isEmpty(m) {
			continue
		}
		assistant := m.Role == chat.Assistant
		if n := len(turns); n == 0 || turns[n-1].assistant != assistant {
			if n == 0 && assistant {
				turns = append(turns, turn{messages: []chat.Message{{Role: chat.User, Content: chat.Text(opening)}}})
			}
			turns = append(turns, turn{assistant: assistant})
		}
		t := &turns[len(turns)-1]
		t.messages = append(t.messages, m)
		if m.Role == chat.User {
			prompt = len(turns) - 1
		}
	}
	if len(turns) == 0 {
		turns = []turn{{messages: []chat.Message{{Role: chat.User, Content: chat.Text(nothing)}}}}
	}
	if prompt > 0 && mayMark {
		turns[prompt-1].marked = true
	}
	return turns
}

// Texts for places where the API requires one and there is none.
const (
	opening  = "(The conversation begins with your answer.)"
	nothing  = "(no text)"
	noOutput = "(no output)"
)

// isEmpty reports whether a message has nothing that could be sent. A result
// always has: it is of a call.
func isEmpty(m chat.Message) bool {
	if m.Role == chat.Tool || len(m.ToolCalls) > 0 {
		return false
	}
	for _, p := range m.Content.Parts {
		if p.ImageURL != nil || p.File != nil {
			return false
		}
	}
	return strings.TrimSpace(m.Content.String()) == ""
}

func (t turn) append(dst []byte, maker string) ([]byte, error) {
	role := chat.User
	if t.assistant {
		role = chat.Assistant
	}
	dst = append(dst, `{"role":"`+string(role)+`","content":[`...)
	var err error
	for _, m := range t.messages {
		switch {
		case t.assistant:
			dst, err = appendAnswer(dst, m, maker)
		case m.Role == chat.Tool:
			dst = appendResult(dst, m)
		default:
			dst = appendContent(dst, m.Content)
		}
		if err != nil {
			return nil, err
		}
	}
	dst = bytes.TrimSuffix(dst, []byte(","))
	if t.marked {
		dst = mark(dst, `}`)
	}
	return append(dst, `]}`...), nil
}

// appendAnswer writes the blocks of an answer, each followed by a comma.
func appendAnswer(dst []byte, m chat.Message, maker string) ([]byte, error) {
	for _, p := range exchange.Pieces(m, maker) {
		switch {
		case p.Kept != nil:
			dst = append(append(dst, p.Kept...), ',')
		case p.Call != nil:
			var err error
			if dst, err = appendCall(dst, *p.Call); err != nil {
				return nil, err
			}
			dst = append(dst, ',')
		default:
			dst = appendText(dst, p.Text)
		}
	}
	return dst, nil
}

// appendCall writes a call as a block.
func appendCall(dst []byte, c chat.ToolCall) ([]byte, error) {
	dst = jsontext.AppendString(append(dst, `{"type":"tool_use","id":`...), c.ID)
	dst = jsontext.AppendString(append(dst, `,"name":`...), c.Function.Name)
	dst, err := appendInput(append(dst, `,"input":`...), c.Function.Arguments)
	return append(dst, '}'), err
}

// appendInput writes the arguments of a call, which have to be an object: the body
// is compact JSON throughout.
func appendInput(dst []byte, arguments string) ([]byte, error) {
	s := strings.TrimSpace(arguments)
	if s == "" {
		return append(dst, `{}`...), nil
	}
	var compact bytes.Buffer
	if strings.HasPrefix(s, "{") && json.Compact(&compact, []byte(s)) == nil {
		return append(dst, compact.Bytes()...), nil
	}
	return jsontext.Append(dst, struct {
		Text string `json:"invalid_json"`
	}{arguments})
}

func appendText(dst []byte, text string) []byte {
	return append(jsontext.AppendString(append(dst, `{"type":"text","text":`...), text), `},`...)
}

// appendContent writes the blocks of a content, each followed by a comma.
func appendContent(dst []byte, c chat.Content) []byte {
	if c.Parts == nil {
		return append(c.AppendJSON(append(dst, `{"type":"text","text":`...)), `},`...)
	}
	for _, p := range c.Parts {
		switch {
		case p.ImageURL != nil:
			dst = appendSource(append(dst, `{"type":"image","source":`...), p.ImageURL.URL)
			dst = append(dst, `},`...)
		case p.File != nil:
			dst = appendSource(append(dst, `{"type":"document","source":`...), p.File.Data)
			if p.File.Name != "" {
				dst = jsontext.AppendString(append(dst, `,"title":`...), p.File.Name)
			}
			dst = append(dst, `},`...)
		case strings.TrimSpace(p.Text) != "":
			dst = appendText(dst, p.Text)
		}
	}
	return dst
}

// appendSource writes where an image or a document comes from.
func appendSource(dst []byte, uri string) []byte {
	kind, data, ok := exchange.DataURI(uri)
	if !ok {
		return append(jsontext.AppendString(append(dst, `{"type":"url","url":`...), uri), '}')
	}
	dst = jsontext.AppendString(append(dst, `{"type":"base64","media_type":`...), kind)
	return append(jsontext.AppendString(append(dst, `,"data":`...), data), '}')
}

// appendResult writes the result of a call, followed by a comma.
func appendResult(dst []byte, m chat.Message) []byte {
	dst = jsontext.AppendString(append(dst, `{"type":"tool_result","tool_use_id":`...), m.ToolCallID)
	dst = append(dst, `,"content":[`...)
	from := len(dst)
	if strings.TrimSpace(m.Content.String()) != "" || m.Content.Parts != nil {
		dst = appendContent(dst, m.Content)
	}
	if len(dst) == from {
		dst = appendText(dst, noOutput)
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), `]},`...)
}

func appendNumber(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }
