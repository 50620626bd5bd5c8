package responses

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// Outgoing implements exchange.Protocol: thoughts in clear text are not sent back, kept ones are.
func (wire) Outgoing(req provider.Request, _ exchange.Features, server *url.URL) provider.Request {
	return exchange.WithoutReasoning(req, maker(server, req.Model))
}

// Encode implements exchange.Protocol. Stable parts come first: tools, instructions, items.
func (wire) Encode(req provider.Request, off exchange.Features, server *url.URL) (*exchange.Body, error) {
	head := jsontext.AppendString([]byte(`{"model":`), req.Model)
	head = append(head, `,"stream":true,"store":false`...)
	if off&encryptedReasoning == 0 && mayReason(req.Model) {
		head = append(head, `,"include":["reasoning.encrypted_content"]`...)
	}
	if req.MaxTokens > 0 {
		head = strconv.AppendInt(append(head, `,"max_output_tokens":`...), int64(req.MaxTokens), 10)
	}
	if req.Temperature != nil && off&temperature == 0 {
		head = strconv.AppendFloat(append(head, `,"temperature":`...), *req.Temperature, 'g', -1, 64)
	}
	if req.ReasoningEffort != "" && off&effort == 0 {
		head = jsontext.AppendString(append(head, `,"reasoning":{"effort":`...), req.ReasoningEffort)
		if off&summary == 0 {
			head = append(head, `,"summary":"auto"`...)
		}
		head = append(head, '}')
	}
	if req.CacheKey != "" && off&cacheKey == 0 {
		head = jsontext.AppendString(append(head, `,"prompt_cache_key":`...), req.CacheKey)
	}
	head, err := exchange.AppendTools(head, req.Tools, appendTool)
	if err != nil {
		return nil, err
	}
	system, messages := exchange.Instructions(req.Messages)
	if system != "" {
		head = jsontext.AppendString(append(head, `,"instructions":`...), system)
	}
	head = append(head, `,"input":[`...)
	messages = speaking(messages)
	w := writer{maker: maker(server, req.Model), phases: off&phases == 0, encrypted: off&encryptedReasoning == 0}
	write := func(dst []byte, i int) ([]byte, error) { return w.append(dst, messages[i]) }
	return exchange.NewBody(string(head), len(messages), write, `]}`), nil
}

// mayReason reports whether a model may think: OpenAI's models do, except those that refuse the
// field.
func mayReason(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, p := range []string{"gpt-3", "gpt-4", "chatgpt-4"} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return true
}

// appendTool writes a tool. Without "strict" the server would have every
// argument required.
func appendTool(dst []byte, t provider.ToolSpec) ([]byte, error) {
	return jsontext.Append(dst, struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	}{"function", t.Name, t.Description, exchange.Schema(t), false})
}

// speaking leaves out messages that have nothing to send.
func speaking(messages []chat.Message) []chat.Message {
	out := make([]chat.Message, 0, len(messages))
	for _, m := range messages {
		if m.Role == chat.Assistant && len(m.ToolCalls) == 0 && strings.TrimSpace(m.Content.String()) == "" {
			continue
		}
		out = append(out, m)
	}
	return out
}

// noOutput replaces the result of a tool that returned no text.
const noOutput = "(no output)"

// writer writes messages as input items.
type writer struct {
	maker     string
	phases    bool
	encrypted bool
}

// append writes the items of one message, with commas between them.
func (w writer) append(dst []byte, m chat.Message) ([]byte, error) {
	switch m.Role {
	case chat.Assistant:
		return w.answer(dst, m)
	case chat.Tool:
		dst = jsontext.AppendString(append(dst, `{"type":"function_call_output","call_id":`...), m.ToolCallID)
		dst = append(dst, `,"output":`...)
		if m.Content.Parts == nil {
			if m.Content.Size() == 0 {
				m.Content = chat.Text(noOutput)
			}
			return append(m.Content.AppendJSON(dst), '}'), nil
		}
		return append(appendContent(dst, m.Content, noOutput), '}'), nil
	case chat.System:
		dst = append(dst, `{"role":"developer","content":`...)
	default:
		dst = append(dst, `{"role":"user","content":`...)
	}
	if m.Content.Parts == nil {
		return append(m.Content.AppendJSON(dst), '}'), nil
	}
	return append(appendContent(dst, m.Content, ""), '}'), nil
}

// appendContent writes the parts of a content, or a text in place of none.
func appendContent(dst []byte, c chat.Content, empty string) []byte {
	dst = append(dst, '[')
	from := len(dst)
	for _, p := range c.Parts {
		switch {
		case p.ImageURL != nil:
			dst = jsontext.AppendString(append(dst, `{"type":"input_image","image_url":`...), p.ImageURL.URL)
			if p.ImageURL.Detail != "" {
				dst = jsontext.AppendString(append(dst, `,"detail":`...), p.ImageURL.Detail)
			}
			dst = append(dst, `},`...)
		case p.File != nil:
			dst = append(dst, `{"type":"input_file",`...)
			if _, _, ok := exchange.DataURI(p.File.Data); ok {
				name := p.File.Name
				if name == "" {
					name = "document"
				}
				dst = jsontext.AppendString(append(dst, `"filename":`...), name)
				dst = append(dst, `,"file_data":`...)
			} else {
				dst = append(dst, `"file_url":`...)
			}
			dst = append(jsontext.AppendString(dst, p.File.Data), `},`...)
		case p.Text != "":
			dst = append(jsontext.AppendString(append(dst, `{"type":"input_text","text":`...), p.Text), `},`...)
		}
	}
	if len(dst) == from {
		dst = append(jsontext.AppendString(append(dst, `{"type":"input_text","text":`...), empty), `},`...)
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
}

// answer writes the items of an answer, with kept ones in their places.
func (w writer) answer(dst []byte, m chat.Message) ([]byte, error) {
	var phase string // of the text that follows
	for _, p := range exchange.Pieces(m, w.maker) {
		switch {
		case p.Kept != nil:
			var k keptItem
			if json.Unmarshal(p.Kept, &k) != nil {
				continue // the file was edited
			}
			switch {
			case k.Type == "message" && w.phases:
				phase = k.Phase
			case k.Type == "reasoning" && w.encrypted:
				dst = append(append(dst, p.Kept...), ',')
			}
		case p.Call != nil:
			dst = append(appendCall(dst, *p.Call), ',')
		default:
			dst = jsontext.AppendString(append(dst, `{"role":"assistant","content":`...), p.Text)
			if phase != "" {
				dst = jsontext.AppendString(append(dst, `,"phase":`...), phase)
			}
			dst = append(dst, `},`...)
		}
	}
	return bytes.TrimSuffix(dst, []byte(",")), nil
}

// appendCall writes a call as an item.
func appendCall(dst []byte, c chat.ToolCall) []byte {
	args := c.Function.Arguments
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	dst = jsontext.AppendString(append(dst, `{"type":"function_call","call_id":`...), c.ID)
	dst = jsontext.AppendString(append(dst, `,"name":`...), c.Function.Name)
	return append(jsontext.AppendString(append(dst, `,"arguments":`...), args), '}')
}
