package slashcommand

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/frontmatter"
	"mutsumi/backend/lazyregexp"
)

// head is the part of a command's front matter that counts.
type head struct{ description, hint string }

// plain matches a line of a front matter whose value has no quotes.
var plain = lazyregexp.New(`(?m)^(description|argument-hint):[ \t]+([^\s"'|>#].*?)[ \t\r]*$`)

// split returns the front matter of a command's file and the text below it. Hints such as `[file]
// [line]` and descriptions with a colon are common but not valid YAML: they are read as if they
// were quoted.
func split(text string) (head, string, error) {
	fields, body, err := frontmatter.Split(text)
	if h, ok := readHead(fields); ok && err == nil {
		return h, body, nil
	}
	quoted := plain.ReplaceAllStringFunc(text, func(line string) string {
		part := plain.FindStringSubmatch(line)
		value, err := json.Marshal(part[2])
		if err != nil {
			return line
		}
		return part[1] + ": " + string(value)
	})
	again, below, failed := frontmatter.Split(quoted)
	if failed != nil || again == nil {
		h, _ := readHead(fields)
		return h, body, err
	}
	h, _ := readHead(again)
	// The text below may have such lines too; take it from the original.
	above := strings.Count(quoted[:len(quoted)-len(below)], "\n")
	rest := text
	for range above {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return h, rest, nil
}

// readHead reads the text fields; ok is false if one is not text.
func readHead(fields *yaml.Node) (h head, ok bool) {
	if fields == nil {
		return h, true
	}
	ok = true
	for i := 0; i+1 < len(fields.Content); i += 2 {
		var to *string
		switch fields.Content[i].Value {
		case "description":
			to = &h.description
		case "argument-hint":
			to = &h.hint
		default:
			continue
		}
		value := fields.Content[i+1]
		if s, isText := frontmatter.Text(value); isText {
			*to = s
		} else if value.Kind != yaml.ScalarNode || value.Tag != "!!null" {
			ok = false
		}
	}
	return h, ok
}
