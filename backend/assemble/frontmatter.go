package assemble

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// frontMatter is what counts of a front matter (SPEC 3.5).
type frontMatter struct {
	Description string
	Params      []string
}

// maxFrontMatter bounds the YAML that is parsed, in bytes.
const maxFrontMatter = 64 << 10

// splitFrontMatter splits a Markdown text into front matter and body. Only a
// block between two lines of `---` whose YAML is a mapping, or empty, is front
// matter; any other text comes back whole. The problem says why a block that
// looks like front matter is none.
func splitFrontMatter(text string) (fm frontMatter, body, problem string) {
	start, ok := afterFence(strings.TrimPrefix(text, "\uFEFF"))
	if !ok {
		return frontMatter{}, text, ""
	}
	block := start
	for {
		rest, closed := afterFence(block)
		if closed {
			body = rest
			break
		}
		nl := strings.IndexByte(block, '\n')
		if nl < 0 || len(start)-len(block) > maxFrontMatter {
			return frontMatter{}, text, ""
		}
		block = block[nl+1:]
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(start[:len(start)-len(block)]), &doc); err != nil {
		return frontMatter{}, text, "the front matter is not YAML and was left in the text: " + err.Error()
	}
	if len(doc.Content) == 0 { // nothing, or comments
		return frontMatter{}, body, ""
	}
	top := doc.Content[0]
	switch {
	case top.Kind == yaml.MappingNode:
		return readFields(top), body, ""
	case top.Kind == yaml.ScalarNode && top.Tag == "!!null":
		return frontMatter{}, body, ""
	}
	return frontMatter{}, text, "" // a text between two horizontal rules
}

// afterFence returns what follows a first line of exactly three dashes.
func afterFence(s string) (string, bool) {
	rest, ok := strings.CutPrefix(s, "---")
	if !ok {
		return "", false
	}
	line, rest, _ := strings.Cut(rest, "\n")
	return rest, strings.TrimRight(line, " \t\r") == ""
}

// readFields takes what has the right type; the rest contributes nothing.
func readFields(m *yaml.Node) frontMatter {
	var fm frontMatter
	for i := 0; i+1 < len(m.Content); i += 2 {
		value := m.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		switch m.Content[i].Value {
		case "Description":
			if s, ok := text(value); ok && fm.Description == "" {
				fm.Description = s
			}
		case "Params":
			if value.Kind != yaml.SequenceNode {
				continue
			}
			for _, n := range value.Content {
				if s, ok := text(n); ok {
					fm.Params = append(fm.Params, s)
				}
			}
		}
	}
	return fm
}

func text(n *yaml.Node) (string, bool) {
	return n.Value, n.Kind == yaml.ScalarNode && n.Tag == "!!str"
}
