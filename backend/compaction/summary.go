package compaction

import (
	"slices"
	"strings"
)

// Section is a part of a summary.
type Section struct {
	Name string // one of Sections, or a model's own name
	Text string // Markdown
}

// Sections are the names of the parts of a summary, in their order. The program
// writes Words and Pinned itself; a model the others.
var Sections = []string{"Goal", "Decisions", "Files", "State", "Next", "Your words", "Pinned"}

// The sections that the program writes.
const (
	SectionWords  = "Your words"
	SectionPinned = "Pinned"
)

// Render is the text of a summary as it is sent: each section under its name.
// Empty ones are left out.
func Render(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		text := strings.TrimSpace(s.Text)
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("## " + s.Name + "\n" + text)
	}
	return b.String()
}

// Parse reads the sections of a text as models write it: headings of any level and case, numbered
// or in bold; a fence around everything is removed. Text before the first heading is the goal.
// Sections that the program writes itself are omitted.
func Parse(text string) (sections []Section) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "```"); ok && strings.HasSuffix(rest, "```") {
		_, rest, _ = strings.Cut(rest, "\n")
		text = strings.TrimSuffix(rest, "```")
	}
	now := Section{Name: Sections[0]}
	var said strings.Builder
	end := func() {
		now.Text = strings.TrimSpace(said.String())
		said.Reset()
		i := slices.IndexFunc(sections, func(s Section) bool { return s.Name == now.Name })
		switch {
		case now.Text == "" || now.Name == SectionWords || now.Name == SectionPinned:
		case i >= 0:
			sections[i].Text += "\n" + now.Text
		default:
			sections = append(sections, now)
		}
	}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if name, ok := heading(line); ok && !fenced {
			end()
			now = Section{Name: name}
			continue
		}
		said.WriteString(line)
	}
	end()
	slices.SortStableFunc(sections, func(a, b Section) int { return place(a.Name) - place(b.Name) })
	return sections
}

// Split reads the sections of a summary as Render writes it.
func Split(summary string) (sections []Section) {
	start, at := 0, 0 // of the text of the last section; of the line
	end := func(to int) {
		switch text := strings.TrimSpace(summary[start:to]); {
		case len(sections) > 0:
			sections[len(sections)-1].Text = text
		case text != "":
			sections = []Section{{Sections[0], text}}
		}
	}
	fenced := false
	for line := range strings.Lines(summary) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if name, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			end(at)
			sections = append(sections, Section{Name: strings.TrimSpace(name)})
			start = at + len(line)
		}
		at += len(line)
	}
	end(at)
	return sections
}

// SectionOf is the text of a section of a summary, "" when it has none.
func SectionOf(summary, name string) string {
	for _, s := range Split(summary) {
		if s.Name == name {
			return s.Text
		}
	}
	return ""
}

// WithSection is a summary with another text for one of its sections, which comes
// to its place when it is new.
func WithSection(summary, name, text string) string {
	sections := Split(summary)
	if i := slices.IndexFunc(sections, func(s Section) bool { return s.Name == name }); i >= 0 {
		sections[i].Text = text
	} else {
		sections = append(sections, Section{name, text})
		slices.SortStableFunc(sections, func(a, b Section) int { return place(a.Name) - place(b.Name) })
	}
	return Render(sections)
}

func place(name string) int {
	if i := slices.Index(Sections, name); i >= 0 {
		return i
	}
	return len(Sections)
}

// heading reads the name of a section from its line.
func heading(line string) (name string, ok bool) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "#")
	if level := len(line) - len(rest); level == 0 || level > 4 || !strings.HasPrefix(rest, " ") {
		return "", false
	}
	name = strings.Trim(rest, " #*:_0123456789.)")
	for _, known := range Sections {
		if strings.EqualFold(name, known) {
			return known, true
		}
	}
	return name, name != ""
}
