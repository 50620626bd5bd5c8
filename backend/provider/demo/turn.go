package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"mutsumi/backend/chat"
	"mutsumi/backend/lazyregexp"
)

// turn is the part of a conversation that decides the next answer: the last
// prompt and the tool calls made since.
type turn struct {
	prompt    string // without the ghost block, trimmed
	asked     string // prompt in lower case
	zh        bool   // the prompt is in Chinese
	images    []string
	attached  attached
	exchanges []exchange
	tools     []offered
	messages  []chat.Message
}

// exchange is a tool call with its result.
type exchange struct {
	name   string
	args   map[string]any
	result string
	images []string
}

// attached is the context that came with the prompt (SPEC 5.5).
type attached struct {
	Rules []struct {
		Name    string `json:"name"`
		Content string `json:"content"`
	} `json:"rules"`
	Files files `json:"files"`
	Tools []struct {
		Name   string          `json:"name"`
		Result json.RawMessage `json:"result"`
	} `json:"tools"`
}

// files are attached files, in order.
type files []file

type file struct{ name, content string }

func (f *files) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(strings.NewReader(string(b)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var content string
		if err := d.Decode(&content); err != nil {
			return err
		}
		*f = append(*f, file{name.(string), content})
	}
	return nil
}

func readTurn(req request) turn {
	t := turn{tools: req.Tools, messages: req.Messages}
	last := -1
	for i, m := range req.Messages {
		// A user message of only images after a tool's result shows the tool's images.
		if m.Role == chat.User && (i == 0 || req.Messages[i-1].Role != chat.Tool || strings.TrimSpace(m.Content.String()) != "") {
			last = i
		}
	}
	if last < 0 {
		return t
	}
	text := req.Messages[last].Content.String()
	if open := strings.LastIndex(text, "<content_reference>"); open >= 0 {
		if inside, _, ok := strings.Cut(text[open+len("<content_reference>"):], "</content_reference>"); ok {
			if json.Unmarshal([]byte(inside), &t.attached) == nil {
				text = text[:open]
			}
		}
	}
	t.prompt = strings.TrimSpace(text)
	t.asked = strings.ToLower(t.prompt)
	t.zh = strings.ContainsFunc(t.prompt, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	t.images = images(req.Messages[last])
	t.exchanges = exchanges(req.Messages[last+1:])
	return t
}

func images(m chat.Message) []string {
	var list []string
	for _, p := range m.Content.Parts {
		if p.Type == chat.PartImage && p.ImageURL != nil {
			list = append(list, p.ImageURL.URL)
		}
	}
	return list
}

// exchanges pairs calls with their results, in the order of the results.
func exchanges(messages []chat.Message) []exchange {
	calls := map[string]chat.Function{}
	var list []exchange
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c.Function
		}
		switch {
		case m.Role == chat.Tool:
			f, ok := calls[m.ToolCallID]
			if !ok {
				continue
			}
			e := exchange{name: f.Name, result: m.Content.String(), images: images(m)}
			_ = json.Unmarshal([]byte(f.Arguments), &e.args) // our own calls; anything else has no arguments
			list = append(list, e)
		case m.Role == chat.User && len(list) > 0:
			list[len(list)-1].images = append(list[len(list)-1].images, images(m)...)
		}
	}
	return list
}

// has reports whether a tool is offered.
func (t turn) has(tool string) bool {
	return slices.ContainsFunc(t.tools, func(o offered) bool { return o.Function.Name == tool })
}

// did counts the calls of a tool since the prompt.
func (t turn) did(tool string) int {
	n := 0
	for _, e := range t.exchanges {
		if e.name == tool {
			n++
		}
	}
	return n
}

// names of arguments by meaning: the first that a tool's schema has is used.
var argumentNames = map[string][]string{
	"path":    {"uri", "path", "file_path", "file", "dir", "directory"},
	"what":    {"keyword", "pattern", "query", "regex"},
	"nocase":  {"ignore_case", "case_insensitive"},
	"text":    {"literal"},
	"content": {"content", "text"},
	"report":  {"summary", "message", "report", "result"},
}

// call makes a call of an offered tool; arguments are named by meaning and left out if the tool has
// none with that meaning.
func (t turn) call(tool string, args map[string]any) call {
	out := map[string]any{}
	for _, o := range t.tools {
		if o.Function.Name != tool {
			continue
		}
		for meaning, v := range args {
			for _, name := range argumentNames[meaning] {
				if _, ok := o.Function.Parameters.Properties[name]; ok {
					out[name] = v
					break
				}
			}
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		b = []byte("{}")
	}
	return call{tool, string(b)}
}

// arg returns an argument of a call by its meaning, "" if it is not a string.
func (e exchange) arg(meaning string) string {
	for _, name := range argumentNames[meaning] {
		if s, ok := e.args[name].(string); ok {
			return s
		}
	}
	return ""
}

// say picks the text in the prompt's language.
func (t turn) say(en, zh string) string {
	if t.zh {
		return zh
	}
	return en
}

var fences = lazyregexp.New("`{3,}")

// fence puts text into a code block that nothing in it can close.
func fence(lang, text string) string {
	mark := "```"
	for _, f := range fences.FindAllString(text, -1) {
		if len(f) >= len(mark) {
			mark = f + "`"
		}
	}
	return mark + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + mark + "\n"
}

// inline is a text as code inside a line.
func inline(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return "`` " + s + " ``"
}

// inCell is a text as code inside a table.
func inCell(s string) string { return strings.ReplaceAll(inline(s), "|", `\|`) }
