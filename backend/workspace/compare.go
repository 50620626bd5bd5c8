package workspace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/myers"

	"mutsumi/backend/prompt"
)

// place is a stretch by its message and its index there.
type place struct{ message, stretch int }

// changeOf says how a stretch differs from the last request.
type changeOf struct {
	state          string // changed, new
	diff           []DiffLine
	added, deleted int
}

type comparison struct {
	cache   CacheView
	states  map[place]changeOf // those that are not the same
	removed []PreviewStretch
}

// compare says what of a request is the same as in the last one, what is new
// or changed, and how much of its beginning a server can take from its cache.
func compare(last, this request) comparison {
	c := comparison{states: map[place]changeOf{}, removed: []PreviewStretch{}}
	c.cache = prefix(last, this)
	if last.Number == 0 {
		return c
	}
	before := map[string][]requestStretch{}
	for _, m := range last.Messages {
		for _, s := range m.Stretches {
			before[keyOf(m, s)] = append(before[keyOf(m, s)], s)
		}
	}
	for i, m := range this.Messages {
		for k, s := range m.Stretches {
			key := keyOf(m, s)
			olds := before[key]
			if len(olds) == 0 {
				c.states[place{i, k}] = changeOf{state: "new", diff: []DiffLine{}}
				continue
			}
			at := slices.IndexFunc(olds, func(o requestStretch) bool { return o.SHA256 == s.SHA256 })
			if at < 0 {
				at = len(olds) - 1 // of several versions the newest is the one that changed
			}
			old := olds[at]
			before[key] = slices.Delete(slices.Clone(olds), at, at+1)
			if old.SHA256 != s.SHA256 {
				c.states[place{i, k}] = difference(old, s)
			}
		}
	}
	for _, m := range last.Messages {
		for _, s := range m.Stretches {
			if rest := before[keyOf(m, s)]; len(rest) > 0 && s.Kind != string(prompt.KindFrame) {
				before[keyOf(m, s)] = rest[1:]
				v := rest[0].view()
				v.State = "removed"
				c.removed = append(c.removed, v)
			}
		}
	}
	return c
}

// keyOf names what a stretch is, whatever it says: rules, files and tools by
// their id, the others by the message that they stand in.
func keyOf(m requestMessage, s requestStretch) string {
	switch s.Kind {
	case string(prompt.KindRule), string(prompt.KindFile), string(prompt.KindTool), string(prompt.KindImage), string(prompt.KindFrame):
		return s.ID
	case string(prompt.KindPrompt):
		return "history:" + m.Role + ":" + m.Cell // the next request finds it in the history
	}
	return "history:" + m.Role + ":" + m.Cell
}

// prefix finds the longest beginning that is the same.
func prefix(last, this request) CacheView {
	var v CacheView
	for i, m := range this.Messages {
		v.Message, v.Stretch = i, 0
		if i >= len(last.Messages) {
			return v
		}
		old := last.Messages[i]
		for k, s := range m.Stretches {
			v.Stretch = k
			if old.Role != m.Role || k >= len(old.Stretches) || old.Stretches[k].SHA256 != s.SHA256 {
				if last.Number > 0 {
					v.BrokenBy = brokenBy(m, s, old, k)
				}
				return v
			}
			v.Tokens += s.Tokens
		}
		if len(old.Stretches) > len(m.Stretches) {
			v.Stretch = len(m.Stretches)
			v.BrokenBy = fmt.Sprintf("%s is not in it any more", old.Stretches[len(m.Stretches)].name())
			return v
		}
	}
	v.Message, v.Stretch = len(this.Messages), 0
	return v
}

func brokenBy(m requestMessage, s requestStretch, old requestMessage, k int) string {
	switch {
	case old.Role != m.Role:
		return fmt.Sprintf("a %s message stands where a %s message stood", m.Role, old.Role)
	case k >= len(old.Stretches):
		return s.name() + " is new"
	case old.Stretches[k].ID == s.ID:
		return s.name() + " changed"
	}
	return fmt.Sprintf("%s stands where %s stood", s.name(), old.Stretches[k].name())
}

// name is what a person calls a stretch.
func (s requestStretch) name() string {
	switch s.Kind {
	case string(prompt.KindSystem):
		return "the system message"
	case string(prompt.KindRole):
		return "the role " + s.Source
	case string(prompt.KindPrompt), string(prompt.KindHistory):
		return "the " + s.Source + " message"
	case string(prompt.KindFrame):
		return "the block of references"
	case string(prompt.KindRule):
		return "the rule " + s.Source
	}
	return s.Source
}

// Bounds of what is compared line by line.
const (
	diffBytes = 256 << 10
	diffLines = 400 // shown at most
)

// difference compares two versions of a stretch line by line.
func difference(old, now requestStretch) changeOf {
	c := changeOf{state: "changed", diff: []DiffLine{}}
	before, after := plain(old), plain(now)
	if old.Text == "" || len(before) > diffBytes || len(after) > diffBytes {
		return c
	}
	edits := myers.ComputeEdits(before, after)
	unified, err := udiff.ToUnifiedDiff("", "", before, edits, udiff.DefaultContextLines)
	if err != nil {
		return c
	}
	for _, h := range unified.Hunks {
		if len(c.diff) > 0 {
			c.diff = append(c.diff, DiffLine{Op: "@"})
		}
		from, to := h.FromLine, h.ToLine
		for _, l := range h.Lines {
			d := DiffLine{Op: " ", Old: from, New: to, Text: strings.TrimSuffix(l.Content, "\n")}
			switch l.Kind {
			case udiff.Delete:
				d.Op, d.New = "-", 0
				c.deleted++
				from++
			case udiff.Insert:
				d.Op, d.Old = "+", 0
				c.added++
				to++
			default:
				from++
				to++
			}
			if len(c.diff) < diffLines {
				c.diff = append(c.diff, d)
			}
		}
	}
	return c
}

// plain is the text that a stretch of the block holds in its JSON: a file's
// content, a rule, a tool's result. Any other text is as it is.
func plain(s requestStretch) string {
	text := s.Text
	if s.Kind == string(prompt.KindFile) {
		text = "{" + text + "}"
	}
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil {
		return s.Text
	}
	for _, key := range []string{"content", "result"} {
		if t, ok := v[key].(string); ok && s.Kind != string(prompt.KindFile) {
			return t
		}
	}
	for _, value := range v {
		if t, ok := value.(string); ok && s.Kind == string(prompt.KindFile) {
			return t
		}
		if inner, ok := value.(map[string]any); ok {
			if t, ok := inner["content"].(string); ok {
				return t
			}
		}
	}
	return s.Text
}
