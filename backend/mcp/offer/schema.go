package offer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/jsontext"
)

// checkSteps bounds the work of one check: a server's schema may refer to itself or fan out.
const checkSteps = 20_000

// check says how arguments violate the schema of a tool; "": they fit. It knows what tool schemas
// are made of: types, properties, required properties, items, enums, and references within the
// schema. The server checks the rest.
func check(schema, args json.RawMessage) string {
	var root any
	if decode(schema, &root) != nil {
		return ""
	}
	var value any
	if err := decode(args, &value); err != nil {
		return "they are not JSON"
	}
	c := checker{root: root, left: checkSteps}
	return c.check(root, value, "")
}

func decode(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

type checker struct {
	root any
	left int
}

func (c *checker) check(schema, value any, at string) string {
	s, is := schema.(map[string]any)
	if c.left--; c.left < 0 || !is {
		return "" // true and false: rare, and the server checks
	}
	if to, is := s["$ref"].(string); is {
		if s, is = c.refer(to).(map[string]any); !is || c.left < 0 {
			return ""
		}
		if _, again := s["$ref"]; again {
			return c.check(s, value, at)
		}
	}
	name := "they"
	if at != "" {
		name = "`" + clip.VisibleLine(at, 100) + "`"
	}
	if types := textsOf(s["type"]); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isOf(value, t) }) {
		return fmt.Sprintf("%s must be of the type %s, not %s", name, clip.VisibleLine(strings.Join(types, " or "), 100), sort(value))
	}
	if choices, is := s["enum"].([]any); is && !slices.ContainsFunc(choices, func(x any) bool { return equal(x, value) }) {
		text, _ := jsontext.Marshal(choices) // they were JSON
		return fmt.Sprintf("%s must be one of %s", name, clip.VisibleLine(string(text), 500))
	}
	if one, has := s["const"]; has && !equal(one, value) {
		text, _ := jsontext.Marshal(one)
		return fmt.Sprintf("%s must be %s", name, clip.VisibleLine(string(text), 200))
	}
	switch v := value.(type) {
	case map[string]any:
		return c.object(s, v, at, name)
	case []any:
		for i, x := range v {
			if wrong := c.check(s["items"], x, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func (c *checker) object(s, v map[string]any, at, name string) string {
	below := func(key string) string {
		if at == "" {
			return key
		}
		return at + "." + key
	}
	for _, key := range textsOf(s["required"]) {
		if _, has := v[key]; !has {
			return "`" + clip.VisibleLine(below(key), 100) + "` is missing"
		}
	}
	properties, _ := s["properties"].(map[string]any)
	_, patterns := s["patternProperties"]
	for _, key := range slices.Sorted(maps.Keys(v)) {
		x := v[key]
		p, known := properties[key]
		switch {
		case known:
			if wrong := c.check(p, x, below(key)); wrong != "" {
				return wrong
			}
		case s["additionalProperties"] == false && !patterns:
			return fmt.Sprintf("%s have no `%s`", name, clip.VisibleLine(below(key), 100))
		}
	}
	return ""
}

// refer returns the target of a reference within the schema; nil: none.
func (c *checker) refer(to string) any {
	rest, local := strings.CutPrefix(to, "#")
	if !local {
		return nil
	}
	at := c.root
	for _, step := range strings.Split(rest, "/") {
		if step == "" {
			continue
		}
		c.left--
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		m, is := at.(map[string]any)
		if !is {
			return nil
		}
		at = m[step]
	}
	return at
}

// textsOf reads a text or a list of texts.
func textsOf(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			if s, is := x.(string); is {
				all = append(all, s)
			}
		}
	}
	return all
}

func isOf(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case json.Number:
		f, err := v.Float64()
		return kind == "number" || kind == "integer" && (err != nil || f == float64(int64(f)) || f > 1<<53 || f < -1<<53)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

// sort names the type of a value in the words of JSON Schema.
func sort(value any) string {
	for _, kind := range []string{"null", "boolean", "string", "number", "array", "object"} {
		if isOf(value, kind) {
			return kind
		}
	}
	return "another value"
}

func equal(a, b any) bool {
	if x, is := a.(json.Number); is {
		if y, is := b.(json.Number); is {
			m, errM := x.Float64()
			n, errN := y.Float64()
			return errM == nil && errN == nil && m == n
		}
	}
	x, errX := jsontext.Marshal(a)
	y, errY := jsontext.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
