// Package frontmatter splits the YAML block off the head of a Markdown file (SPEC 3.5). Nothing in
// it is evaluated: the caller takes the fields that it knows from the nodes: package assemble for
// documents, package kind for kinds of agents.
package frontmatter

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/lazyregexp"
)

// limit bounds the YAML that is parsed, in bytes.
const limit = 64 << 10

// Split returns the fields of a Markdown text's front matter, a mapping, and the text after it.
// Only a block between two lines of `---` whose YAML is a mapping, or empty, is front matter; for
// any other text fields is nil and body is all of it. The error says why a block that looks like
// front matter is not; its line counts from the head of the text.
func Split(text string) (fields *yaml.Node, body string, err error) {
	start, ok := afterFence(strings.TrimPrefix(text, "\uFEFF"))
	if !ok {
		return nil, text, nil
	}
	block := start
	for {
		rest, closed := afterFence(block)
		if closed {
			body = rest
			break
		}
		nl := strings.IndexByte(block, '\n')
		if nl < 0 || len(start)-len(block) > limit {
			return nil, text, nil
		}
		block = block[nl+1:]
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(start[:len(start)-len(block)]), &doc); err != nil {
		return nil, text, &Error{err.Error()}
	}
	if len(doc.Content) == 0 { // nothing, or comments
		return &yaml.Node{Kind: yaml.MappingNode}, body, nil
	}
	top := doc.Content[0]
	switch {
	case top.Kind == yaml.MappingNode:
		return top, body, nil
	case top.Kind == yaml.ScalarNode && top.Tag == "!!null":
		return &yaml.Node{Kind: yaml.MappingNode}, body, nil
	}
	return nil, text, nil // a text between two horizontal rules
}

// Error is the reason why a block is not YAML.
type Error struct{ text string }

var errorLine = lazyregexp.New(`^(?:yaml: )?(?:line (\d+): )?`)

// Error is the message of the YAML parser.
func (e *Error) Error() string { return e.text }

// Line is where the parser found the error, or shortly before, counted from the head of the text; 1
// if it does not say.
func (e *Error) Line() int {
	n, err := strconv.Atoi(errorLine.FindStringSubmatch(e.text)[1])
	if err != nil {
		return 1
	}
	return n + 1
}

// Reason is the error without the place.
func (e *Error) Reason() string { return errorLine.ReplaceAllString(e.text, "") }

// Line is the line of a node, counted from the head of the text.
func Line(n *yaml.Node) int { return n.Line + 1 }

// Text returns the value of a node that is a text.
func Text(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Value, n.Kind == yaml.ScalarNode && n.Tag == "!!str"
}

// afterFence returns the text after a first line of exactly three dashes.
func afterFence(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "---")
	if !ok {
		return "", false
	}
	line, rest, _ := strings.Cut(rest, "\n")
	return rest, strings.TrimRight(line, " \t\r") == ""
}
