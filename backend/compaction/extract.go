package compaction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// The limits of an extract, in runes and entries.
const (
	goalRunes    = 600
	answerRunes  = 300
	stateRunes   = 1200
	maxDecisions = 40
	maxFiles     = 200
)

// Extract makes a summary without a model, of sentences and facts from the covered messages: the
// first prompt, the first sentence of each answer, the files that calls named, the last answer, and
// the open entries of lists. It claims nothing else. WordsOf returns the person's own words.
func Extract(covered []Message) []Section {
	var decisions []string
	var state string
	goal := ""
	files := fileList{}
	todos := lostList{at: map[key]int{}}
	for _, m := range covered {
		text := strings.TrimSpace(m.Content.String())
		if m.Summary {
			goal = cmp.Or(goal, SectionOf(text, "Goal"))
			if before := SectionOf(text, "Decisions"); before != "" {
				decisions = append(decisions, strings.Split(before, "\n")...)
			}
			files.listed(SectionOf(text, "Files"))
			todos.todos(m.Cell, SectionOf(text, "Next"), Agent)
			continue
		}
		switch m.Role {
		case chat.User:
			todos.todos(m.Cell, text, Person)
			if goal == "" {
				goal = clip.Text(text, goalRunes)
			}
		case chat.Assistant:
			todos.todos(m.Cell, text, Agent)
			if text != "" {
				state = text
				decisions = append(decisions, "- "+clip.Line(text[:sentenceEnd(text)], answerRunes))
			}
			for _, c := range m.ToolCalls {
				files.called(c)
			}
		}
	}
	if n := len(decisions) - maxDecisions; n > 0 {
		decisions = slices.Concat(decisions[:maxDecisions/2], []string{fmt.Sprintf("- (%d more)", n)}, decisions[len(decisions)-maxDecisions/2:])
	}
	var next []string
	for _, t := range todos.list {
		if t.Text != "" {
			next = append(next, "- [ ] "+t.Text)
		}
	}
	return []Section{
		{"Goal", goal}, {"Decisions", strings.Join(decisions, "\n")}, {"Files", files.String()},
		{"State", clip.Text(state, stateRunes)}, {"Next", strings.Join(next, "\n")},
	}
}

// fileList is the list of files that calls used.
type fileList struct {
	order []string
	did   map[string]string // changed, otherwise read
}

// called adds a call that names a file.
func (l *fileList) called(c chat.ToolCall) {
	var args struct {
		URI  string `json:"uri"`
		Path string `json:"path"`
	}
	if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil {
		return
	}
	file := args.URI
	if file == "" {
		file = args.Path
	}
	does := map[string]string{"read_file": "read", "write_file": "written", "edit_file": "changed"}[c.Function.Name]
	if file == "" || does == "" {
		return
	}
	l.add(file, does)
}

// listed adds the lines of an earlier String.
func (l *fileList) listed(lines string) {
	for line := range strings.Lines(lines) {
		file, does, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- `"), "` (")
		if ok {
			l.add(file, strings.TrimSuffix(does, ")"))
		}
	}
}

func (l *fileList) add(file, does string) {
	if l.did == nil {
		l.did = map[string]string{}
	}
	if l.did[file] == "" {
		l.order = append(l.order, file)
	}
	if l.did[file] == "" || does != "read" {
		l.did[file] = does
	}
}

func (l *fileList) String() string {
	var lines []string
	for i, f := range l.order {
		if i == maxFiles {
			lines = append(lines, fmt.Sprintf("- (%d more)", len(l.order)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- `%s` (%s)", f, l.did[f]))
	}
	return strings.Join(lines, "\n")
}

// WordsOf returns the person's prompts verbatim, oldest first, as many of the newest as fit in
// limit tokens. count counts the tokens of a text.
func WordsOf(covered []Message, limit int, count func(string) int) Section {
	var kept []string
	left, all, said := limit, 0, 0
	for _, m := range slices.Backward(covered) {
		text := strings.TrimSpace(m.Content.String())
		if m.Role != chat.User || text == "" {
			continue
		}
		if m.Summary {
			if text = SectionOf(text, SectionWords); text != "" && count(text) <= left {
				left -= count(text)
				kept = append(kept, text)
			} else if text != "" {
				all++
				left = 0
			}
			continue
		}
		all++
		n := count(text)
		if n > left {
			left = 0 // no older one either: there would be a hole
			continue
		}
		left -= n
		said++
		kept = append(kept, "> "+strings.ReplaceAll(text, "\n", "\n> "))
	}
	slices.Reverse(kept)
	if n := all - said; n > 0 {
		kept = slices.Insert(kept, 0, fmt.Sprintf("(%d earlier prompts are left out)", n))
	}
	return Section{SectionWords, strings.Join(kept, "\n\n")}
}
