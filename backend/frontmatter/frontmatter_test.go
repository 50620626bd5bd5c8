package frontmatter_test

import (
	"errors"
	"testing"

	"mutsumi/backend/frontmatter"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text, body string
		fields     int // -1: none
		line       int // of the error
	}{
		{"---\nname: a\n---\nrole", "role", 2, 0},
		{"\uFEFF---\r\nname: a\r\n---\r\nrole", "role", 2, 0},
		{"---\n---\nrole", "role", 0, 0},
		{"---\n# only a comment\n---\nrole", "role", 0, 0},
		{"---\nname: a\nrole", "---\nname: a\nrole", -1, 0},
		{"---\n- a\n---\nrole", "---\n- a\n---\nrole", -1, 0},
		{"no front matter", "no front matter", -1, 0},
		{"---\nname: a\nmodel: [b\n---\nrole", "---\nname: a\nmodel: [b\n---\nrole", -1, 4},
	} {
		fields, body, err := frontmatter.Split(c.text)
		have, line := -1, 0
		if fields != nil {
			have = len(fields.Content)
		}
		var bad *frontmatter.Error
		if errors.As(err, &bad) {
			line = bad.Line()
			if bad.Reason() == "" {
				t.Errorf("%q: no reason in %q", c.text, bad)
			}
		}
		if body != c.body || have != c.fields || (line > 0) != (c.line > 0) || c.line > 0 && (line < c.line-2 || line > c.line) {
			t.Errorf("%q: body %q, %d fields, %v at line %d", c.text, body, have, err, line)
		}
	}
}

func TestLine(t *testing.T) {
	fields, _, err := frontmatter.Split("---\n\nname: a\n---\n")
	if err != nil || frontmatter.Line(fields.Content[0]) != 3 {
		t.Fatalf("%v, line %d", err, frontmatter.Line(fields.Content[0]))
	}
}
