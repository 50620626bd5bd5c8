package kind

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/clip"
	"mutsumi/backend/frontmatter"
	"mutsumi/backend/lazyregexp"
)

// Limits for a kind's file.
const (
	maxDescription = 400 // characters
	maxModel       = 200 // bytes
	maxList        = 100 // entries
)

// isName matches names of kinds: nothing that looks like another name.
var isName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// fold is how names of kinds are compared.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// parse reads the text of a kind's file, named file for people. Problem describes what is wrong
// with it; such a kind can only be shown.
func parse(file, text string) Kind {
	k := Kind{Name: clip.Line(stem(file), 60), Tools: []string{"read"}}
	p := parser{file: strings.Join(strings.Fields(file), " "), kind: &k}
	p.read(text)
	k.normalize()
	return k
}

// stem is the name that a file has without saying one.
func stem(file string) string {
	base := path.Base(file)
	return fold(strings.TrimSuffix(base, path.Ext(base)))
}

type parser struct {
	file string
	kind *Kind
}

// wrong notes the first problem: where, what, and the way out.
func (p *parser) wrong(line int, format string, args ...any) {
	if p.kind.Problem == "" {
		p.kind.Problem = fmt.Sprintf("%s, line %d: %s", p.file, line, fmt.Sprintf(format, args...))
	}
}

func (p *parser) read(text string) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		p.wrong(1, "it is not text in UTF-8: save it as that")
		return
	}
	fields, body, err := frontmatter.Split(text)
	var bad *frontmatter.Error
	switch {
	case errors.As(err, &bad):
		p.wrong(bad.Line(), "the front matter is not YAML: %s", bad.Reason())
		return
	case fields == nil:
		p.wrong(1, "it has no front matter: begin it with a line ---, then name and tools, then a line ---")
		return
	}
	p.kind.Role = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	seen := map[string]bool{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key, value := fields.Content[i], fields.Content[i+1]
		if seen[key.Value] {
			p.wrong(frontmatter.Line(key), "%s stands here a second time: keep one of them", clip.Line(key.Value, 60))
		}
		seen[key.Value] = true
		p.field(key.Value, value)
	}
	if !isName.MatchString(p.kind.Name) {
		p.wrong(1, "%q cannot name a kind of agents: give it a name of small letters, digits, - and _, 40 at most", clip.Line(p.kind.Name, 60))
	}
}

// field reads one field and ignores unknown ones.
func (p *parser) field(key string, value *yaml.Node) {
	k := p.kind
	switch key {
	case "name":
		if s, ok := p.text(key, value); ok && s != "" {
			if k.Name = clip.Line(fold(s), 60); !isName.MatchString(k.Name) {
				p.wrong(frontmatter.Line(value), "%q cannot name a kind of agents: use small letters, digits, - and _, 40 at most", clip.Line(s, 60))
			}
		}
	case "description":
		if s, ok := p.text(key, value); ok {
			k.Description = s
			if utf8.RuneCountInString(s) > maxDescription {
				k.Description = ""
				p.wrong(frontmatter.Line(value), "the description is longer than %d characters: shorten it, the role below has room", maxDescription)
			}
		}
	case "model":
		if s, ok := p.text(key, value); ok {
			k.Model = s
			if len(s) > maxModel {
				k.Model = ""
				p.wrong(frontmatter.Line(value), "the model is longer than %d bytes: name it as the settings do, provider/model", maxModel)
			}
		}
	case "tools":
		var lines []int
		k.Tools, lines = p.listWithLines(key, value)
		for i, name := range k.Tools {
			if !isTool(name) {
				p.wrong(lines[i], "there is no tool %q: there are the groups %s, tools by their names, and mcp:SERVER or mcp:SERVER/TOOL of MCP servers, with a - before what is left out", clip.Line(name, 60), strings.Join(groupNames, ", "))
			}
		}
	case "rules":
		for _, name := range p.list(key, value) {
			if !strings.EqualFold(path.Ext(name), ".md") {
				name += ".md"
			}
			k.Rules = append(k.Rules, name)
		}
	case "children":
		for _, name := range p.list(key, value) {
			if name = fold(name); !isName.MatchString(name) {
				p.wrong(frontmatter.Line(value), "%q cannot be a kind that it starts: use names of kinds", clip.Line(name, 60))
			}
			k.Children = append(k.Children, name)
		}
	}
}

// text reads a text as one line; no text counts as "".
func (p *parser) text(key string, n *yaml.Node) (string, bool) {
	if empty(n) {
		return "", true
	}
	s, ok := frontmatter.Text(n)
	if !ok {
		p.wrong(frontmatter.Line(n), "%s is not a text: write it in quotes", key)
	}
	return strings.Join(strings.Fields(s), " "), ok
}

// list takes a list of texts, or one text with commas; each once, never nil.
func (p *parser) list(key string, n *yaml.Node) []string {
	out, _ := p.listWithLines(key, n)
	return out
}

// listWithLines is list that also returns the line of each entry.
func (p *parser) listWithLines(key string, n *yaml.Node) (out []string, lines []int) {
	out = []string{}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	items := n.Content
	switch {
	case empty(n):
		return out, nil
	case n.Kind == yaml.ScalarNode:
		for _, s := range strings.Split(n.Value, ",") {
			items = append(items, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: n.Line})
		}
	case n.Kind != yaml.SequenceNode:
		p.wrong(frontmatter.Line(n), "%s is not a list: write [a, b]", key)
		return out, nil
	}
	if len(items) > maxList {
		p.wrong(frontmatter.Line(n), "%s has more than %d entries: name groups, or fewer", key, maxList)
		return out, nil
	}
	for _, item := range items {
		s, ok := frontmatter.Text(item)
		if s = strings.TrimSpace(s); !ok || s == "" || strings.ContainsAny(s, "\n\r") {
			p.wrong(frontmatter.Line(item), "%s holds an entry that is not a name: write [a, b]", key)
		} else if !slices.Contains(out, s) {
			out, lines = append(out, s), append(lines, frontmatter.Line(item))
		}
	}
	return out, lines
}

func empty(n *yaml.Node) bool {
	return n.Kind == 0 || n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}
