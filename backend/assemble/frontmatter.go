package assemble

import (
	"go.yaml.in/yaml/v3"

	"mutsumi/backend/frontmatter"
)

// frontMatter holds the relevant fields of a front matter (SPEC 3.5).
type frontMatter struct {
	Description string
	Params      []string
}

// splitFrontMatter splits a Markdown text into front matter and body. problem says why a block that
// looks like front matter is not.
func splitFrontMatter(text string) (fm frontMatter, body, problem string) {
	fields, body, err := frontmatter.Split(text)
	if err != nil {
		problem = "the front matter is not YAML and was left in the text: " + err.Error()
	}
	if fields != nil {
		fm = readFields(fields)
	}
	return fm, body, problem
}

// readFields reads fields of the right type and ignores the rest.
func readFields(m *yaml.Node) frontMatter {
	var fm frontMatter
	for i := 0; i+1 < len(m.Content); i += 2 {
		value := m.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		switch m.Content[i].Value {
		case "Description":
			if s, ok := frontmatter.Text(value); ok && fm.Description == "" {
				fm.Description = s
			}
		case "Params":
			if value.Kind != yaml.SequenceNode {
				continue
			}
			for _, n := range value.Content {
				if s, ok := frontmatter.Text(n); ok {
					fm.Params = append(fm.Params, s)
				}
			}
		}
	}
	return fm
}
