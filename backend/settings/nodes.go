package settings

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

const fileHead = `# Mutsumi's settings. Comments, order and keys that Mutsumi does not know are kept.
# Keys of providers are not in here: they are in the system's keyring, or in the
# environment variable that keyEnv names.`

func emptyDocument(comments string) *yaml.Node {
	head := strings.TrimSpace(comments)
	if head == "" || head == "{}" || head == "null" || head == "---" {
		head = fileHead
	}
	return &yaml.Node{Kind: yaml.DocumentNode, HeadComment: head, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
}

// child returns the value of a key of a mapping, or nil.
func child(m *yaml.Node, key string) *yaml.Node {
	m = resolve(m)
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return resolve(m.Content[i+1])
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// ensure returns the value of a key, which it makes if it is missing or null.
func ensure(m *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	v := child(m, key)
	if v == nil {
		v = &yaml.Node{Kind: kind}
		m.Content = append(m.Content, scalar(key), v)
	}
	if v.Kind == yaml.ScalarNode && v.Tag == "!!null" {
		*v = yaml.Node{Kind: kind, HeadComment: v.HeadComment, LineComment: v.LineComment, FootComment: v.FootComment}
	}
	if len(v.Content) == 0 {
		v.Style &^= yaml.FlowStyle // `providers: []` grows downwards
	}
	return v
}

// put sets a key to a value, or removes the key if drop is set. A value with the same meaning as
// before keeps its spelling.
func put(m *yaml.Node, key string, value any, drop bool) {
	if drop {
		remove(m, key)
		return
	}
	fresh := &yaml.Node{}
	if err := fresh.Encode(value); err != nil {
		return // only plain values come here
	}
	old := child(m, key)
	if old == nil {
		m.Content = append(m.Content, scalar(key), fresh)
		return
	}
	was := reflect.New(reflect.TypeOf(value))
	if old.Decode(was.Interface()) == nil && reflect.DeepEqual(was.Elem().Interface(), value) {
		return
	}
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if old.Kind == yaml.ScalarNode && fresh.Tag == old.Tag {
		fresh.Style = old.Style
	}
	*old = *fresh
}

func remove(m *yaml.Node, key string) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			m.Content = append(m.Content[:i], m.Content[i+2:]...)
			return
		}
	}
}

func scalar(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// byID finds the mapping with an id in a list; a bare string is its own id.
func byID(list *yaml.Node, id string) (int, *yaml.Node) {
	if list == nil {
		return -1, nil
	}
	for i, n := range list.Content {
		n = resolve(n)
		if n.Kind == yaml.ScalarNode && n.Value == id {
			return i, n
		}
		if v := child(n, "id"); v != nil && v.Value == id {
			return i, n
		}
	}
	return -1, nil
}

// blank replaces an empty line while yaml, which drops empty lines and keeps comments, processes
// the file.
const blank = "#\u241e"

// rewrite applies an edit to the text of a settings file. Lines that the edit
// does not concern stay as they are; without a change so does the whole text.
func rewrite(raw []byte, edit func(root *yaml.Node) error) (text []byte, err error) {
	// yaml panics on some damage and some comments.
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("edit settings: %v", v)
		}
	}()
	_, doc, err := parse(markBlanks(raw))
	if err != nil {
		return nil, err
	}
	before, err := write(doc)
	if err != nil {
		return nil, err
	}
	if err := edit(doc.Content[0]); err != nil {
		return nil, err
	}
	after, err := write(doc)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(before, after) {
		return raw, nil
	}
	merged := mergeLines(raw, before, after)
	var a, b any
	if yaml.Unmarshal(after, &a) == nil && yaml.Unmarshal(merged, &b) == nil && reflect.DeepEqual(a, b) {
		return merged, nil
	}
	return after, nil
}

func write(doc *yaml.Node) ([]byte, error) {
	spellNulls(doc, false)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return unmarkBlanks(b.Bytes()), nil
}

// spellNulls writes out omitted values within braces: `{a}` means the same as `{a: null}`, but yaml
// would write an empty text.
func spellNulls(n *yaml.Node, flow bool) {
	if flow && n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == "" {
		n.Value = "null"
	}
	for _, c := range n.Content {
		spellNulls(c, flow || n.Style&yaml.FlowStyle != 0)
	}
}

// markBlanks puts a comment into every empty line. If that would change the meaning of the file (an
// empty line inside a text of several lines), it returns the file unchanged.
func markBlanks(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("\n\n")) && !bytes.Contains(raw, []byte("\n\r\n")) {
		return raw
	}
	lines := strings.SplitAfter(string(raw), "\n")
	for i, line := range lines {
		if strings.HasSuffix(line, "\n") && strings.TrimSpace(line) == "" {
			indent := ""
			for _, next := range lines[i+1:] {
				if t := strings.TrimLeft(next, " "); strings.TrimSpace(t) != "" {
					indent = next[:len(next)-len(t)]
					break
				}
			}
			lines[i] = indent + blank + "\n"
		}
	}
	marked := []byte(strings.Join(lines, ""))
	var before, after any
	if yaml.Unmarshal(raw, &before) != nil || yaml.Unmarshal(marked, &after) != nil || !reflect.DeepEqual(before, after) {
		return raw
	}
	return marked
}

func unmarkBlanks(b []byte) []byte {
	if !bytes.Contains(b, []byte(blank)) {
		return b
	}
	var out strings.Builder
	empty := false
	for line := range strings.Lines(string(b)) {
		if t := strings.TrimSpace(line); t == blank {
			out.WriteByte('\n')
			empty = true
			continue
		} else if t == "" && empty {
			continue // yaml parts comments with an empty line of its own
		}
		empty = false
		out.WriteString(line)
	}
	return []byte(out.String())
}
