package inspect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/linediff"
	"mutsumi/backend/prompt"
)

// At is a segment by its message and its index there.
type At struct{ Message, Segment int }

// Change is how a segment differs from the last request.
type Change struct {
	State          string // changed, new
	Diff           []DiffLine
	Added, Deleted int
}

// DiffLine is a line of a difference.
type DiffLine struct {
	Op   string `json:"op"`  // " ", "+", "-"; "@" between hunks
	Old  int    `json:"old"` // line numbers from 1; 0: not there
	New  int    `json:"new"`
	Text string `json:"text"`
}

// Cache describes how much of a request a server can take from its cache: the longest common prefix
// with the last request.
type Cache struct {
	Tokens   int    `json:"tokens"`
	Message  int    `json:"message"`  // the prefix ends before this message ...
	Segment  int    `json:"segment"`  // ... and in this segment of it
	BrokenBy string `json:"brokenBy"` // the first difference, in words; "" if there is none, or was no request
}

// Comparison is a request against the one before it.
type Comparison struct {
	Cache   Cache
	Changes map[At]Change // of the segments that are not the same
	Removed []Segment
}

// Compare returns which parts of a request are the same as in the last one, new or changed, and how
// much of its beginning a server can take from its cache.
func Compare(last, this Record) Comparison {
	c := Comparison{Changes: map[At]Change{}}
	c.Cache = prefix(last, this)
	if last.Number == 0 {
		return c
	}
	before := map[string][]Segment{}
	for _, m := range last.Messages {
		for _, s := range m.Segments {
			before[keyOf(m, s)] = append(before[keyOf(m, s)], s)
		}
	}
	for i, m := range this.Messages {
		for k, s := range m.Segments {
			key := keyOf(m, s)
			olds := before[key]
			if len(olds) == 0 {
				c.Changes[At{i, k}] = Change{State: "new", Diff: []DiffLine{}}
				continue
			}
			at := slices.IndexFunc(olds, func(o Segment) bool { return o.SHA256 == s.SHA256 })
			if at < 0 {
				at = len(olds) - 1 // compare with the newest of several versions
			}
			old := olds[at]
			before[key] = slices.Delete(slices.Clone(olds), at, at+1)
			if old.SHA256 != s.SHA256 {
				c.Changes[At{i, k}] = difference(old, s)
			}
		}
	}
	for _, m := range last.Messages {
		for _, s := range m.Segments {
			if rest := before[keyOf(m, s)]; len(rest) > 0 && s.Kind != prompt.KindFrame {
				before[keyOf(m, s)] = rest[1:]
				c.Removed = append(c.Removed, rest[0])
			}
		}
	}
	return c
}

// keyOf identifies a segment independently of its text: rules, files and tools by their id, others
// by their message.
func keyOf(m Message, s Segment) string {
	switch s.Kind {
	case prompt.KindSkill, prompt.KindRule, prompt.KindFile, prompt.KindTool, prompt.KindImage, prompt.KindDocument, prompt.KindFrame, prompt.KindDefinition:
		return s.ID
	}
	return "history:" + m.Role + ":" + m.Cell + string(s.Place) // the next request finds a prompt in the history
}

// prefix finds the longest beginning that is the same.
func prefix(last, this Record) Cache {
	var v Cache
	if last.Model != this.Model && last.Model != "" && len(this.Messages) > 0 {
		v.BrokenBy = fmt.Sprintf("the model is another one: it was %s", last.Model)
		return v
	}
	for i, m := range this.Messages {
		v.Message, v.Segment = i, 0
		if i >= len(last.Messages) {
			return v
		}
		old := last.Messages[i]
		for k, s := range m.Segments {
			v.Segment = k
			if old.Role != m.Role || k >= len(old.Segments) || old.Segments[k].SHA256 != s.SHA256 {
				if last.Number > 0 {
					v.BrokenBy = brokenBy(m, s, old, k)
				}
				return v
			}
			v.Tokens += s.Tokens
		}
		if len(old.Segments) > len(m.Segments) {
			v.Segment = len(m.Segments)
			v.BrokenBy = fmt.Sprintf("%s is not in it any more", old.Segments[len(m.Segments)].name())
			return v
		}
	}
	v.Message, v.Segment = len(this.Messages), 0
	return v
}

func brokenBy(m Message, s Segment, old Message, k int) string {
	switch {
	case old.Role == ToolsRole && m.Role != ToolsRole:
		return "no tools are offered any more"
	case m.Role == ToolsRole && old.Role != ToolsRole:
		return "tools are offered now"
	case old.Role != m.Role:
		return fmt.Sprintf("a %s message stands where a %s message stood", m.Role, old.Role)
	case k >= len(old.Segments):
		return s.name() + " is new"
	case old.Segments[k].ID == s.ID:
		return s.name() + " changed"
	}
	return fmt.Sprintf("%s stands where %s stood", s.name(), old.Segments[k].name())
}

// name is a person's name for a segment.
func (s Segment) name() string {
	switch s.Kind {
	case prompt.KindSystem:
		return "the system message"
	case prompt.KindRole:
		return "the role " + s.Source
	case prompt.KindPrompt, prompt.KindHistory:
		return "the " + s.Source + " message"
	case prompt.KindFrame:
		return "the block of references"
	case prompt.KindSkill:
		return "the skill " + s.Source
	case prompt.KindRule:
		return "the rule " + s.Source
	case prompt.KindDefinition:
		return "the tool " + s.Source
	}
	return s.Source
}

// Limits of the comparison line by line.
const (
	maxDiffBytes = 256 << 10
	maxDiffLines = 400 // shown at most
	around       = 3   // lines shown before and after a change
)

// difference compares two versions of a segment line by line.
func difference(old, now Segment) Change {
	c := Change{State: "changed", Diff: []DiffLine{}}
	before, after := plain(old), plain(now)
	if old.Text == "" || len(before) > maxDiffBytes || len(after) > maxDiffBytes {
		return c
	}
	for i, h := range linediff.Hunks(linediff.Lines(before), linediff.Lines(after), around) {
		added, deleted := linediff.Count(h.Changes)
		c.Added, c.Deleted = c.Added+added, c.Deleted+deleted
		if i > 0 && len(c.Diff) < maxDiffLines {
			c.Diff = append(c.Diff, DiffLine{Op: "@"})
		}
		for _, line := range h.Lines {
			if len(c.Diff) == maxDiffLines {
				break
			}
			l := DiffLine{Op: string(line.Sign), Text: strings.TrimSuffix(line.Text, "\n")}
			if line.Sign != '+' {
				l.Old = line.A + 1
			}
			if line.Sign != '-' {
				l.New = line.B + 1
			}
			c.Diff = append(c.Diff, l)
		}
	}
	return c
}

// plain is the text that a segment of the block holds in its JSON: a file's
// content, a rule, a tool's result. Any other text is as it is.
func plain(s Segment) string {
	text := s.Text
	if s.Kind == prompt.KindFile {
		text = "{" + text + "}"
	}
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil {
		return s.Text
	}
	for _, key := range []string{"content", "result"} {
		if t, ok := v[key].(string); ok && s.Kind != prompt.KindFile {
			return t
		}
	}
	for _, value := range v {
		if t, ok := value.(string); ok && s.Kind == prompt.KindFile {
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
