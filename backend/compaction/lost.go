package compaction

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
)

// Loss is something in the covered part that is missing from the summary. It is found by comparing
// the texts: no model is asked.
type Loss struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Cell string `json:"cell"`           // where it occurs last
	Note string `json:"note,omitempty"` // of a command: its status; of a number: the following words
	From Origin `json:"from"`
}

// Origin is the source of a loss.
type Origin int

// The origins, most important first.
const (
	Person Origin = iota
	Agent
	Call   // in the arguments of a tool call
	Result // in a tool's result
)

// noteRunes is how long a note is at most.
const noteRunes = 40

// Lost lists what is in the covered messages but not in the summary, by kind, and within a kind by
// origin and then in the order of the conversation.
func Lost(covered []Message, summary string) []Loss {
	l := lostList{said: wordsOf(summary), text: plain(summary), at: map[key]int{}}
	for _, m := range covered {
		l.read(m)
	}
	l.list = slices.DeleteFunc(l.list, func(x Loss) bool { return x.Text == "" })
	slices.SortStableFunc(l.list, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(order(a.Kind), order(b.Kind)), cmp.Compare(a.From, b.From))
	})
	return l.list
}

var kinds = []Kind{Todo, Command, Words, Path, Address, Number, Name}

func order(k Kind) int { return slices.Index(kinds, k) }

type key struct {
	kind Kind
	text string
}

type lostList struct {
	said  map[string]bool // words of the summary, and their parts
	text  string          // of the summary, plain
	list  []Loss
	at    map[key]int
	calls map[string]chat.ToolCall // commands that have no result yet
}

func (l *lostList) read(m Message) {
	text := m.Content.String()
	if m.Summary {
		l.words(m.Cell, text, Agent)
		l.todos(m.Cell, text, Agent)
		l.sentences(m.Cell, SectionOf(text, SectionWords))
		return
	}
	switch m.Role {
	case chat.User:
		l.words(m.Cell, text, Person)
		l.todos(m.Cell, text, Person)
		l.sentences(m.Cell, text)
	case chat.Assistant:
		l.words(m.Cell, text, Agent)
		l.todos(m.Cell, text, Agent)
		for _, c := range m.ToolCalls {
			l.words(m.Cell, argumentsOf(c), Call)
			if c.Function.Name == shell {
				if l.calls == nil {
					l.calls = map[string]chat.ToolCall{}
				}
				l.calls[c.ID] = c
			}
		}
	case chat.Tool:
		l.command(m)
		l.words(m.Cell, text, Result)
	}
}

// shell is the name of the tool that runs commands.
const shell = "shell"

// argumentsOf gives the arguments of a call as text, without the escapes of JSON.
func argumentsOf(c chat.ToolCall) string {
	var values map[string]any
	if json.Unmarshal([]byte(c.Function.Arguments), &values) != nil {
		return c.Function.Arguments
	}
	var b strings.Builder
	for _, v := range values {
		if s, ok := v.(string); ok {
			b.WriteString(s)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// command records a command that failed, and forgets one that succeeded later.
func (l *lostList) command(m Message) {
	c, ok := l.calls[m.ToolCallID]
	if !ok {
		return
	}
	delete(l.calls, m.ToolCallID)
	var args struct {
		Command string `json:"command"`
	}
	if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil || args.Command == "" {
		return
	}
	text := strings.TrimSpace(args.Command)
	if !m.Failed {
		l.forget(Command, text)
		return
	}
	if strings.Contains(l.text, plain(text)) {
		return
	}
	note := ""
	if m.Exit != 0 {
		note = "exit " + itoa(m.Exit)
	}
	l.add(Loss{Command, text, m.Cell, note, Call})
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// words notes the paths, addresses, numbers and names of a text.
func (l *lostList) words(cell, text string, from Origin) {
	eachWord(text, func(word string, at int, quoted bool) {
		kind := kindOf(word, quoted)
		if kind == "" || l.said[sameWord(kind, word)] {
			return
		}
		x := Loss{Kind: kind, Text: word, Cell: cell, From: from}
		if kind == Number {
			x.Note = follows(text[at+len(word):])
		}
		l.add(x)
	})
}

// follows returns the words after a number, in its line.
func follows(rest string) string {
	if i := strings.IndexAny(rest, "\n.;()|"); i >= 0 {
		rest = rest[:i]
	}
	return clip.Line(strings.Trim(rest, " `*_,:!?\"'"), noteRunes)
}

// sameWord is a word as it is compared: numbers without what separates thousands.
func sameWord(kind Kind, word string) string {
	if kind == Number {
		return strings.NewReplacer(",", "", "_", "").Replace(word)
	}
	return word
}

// wordsOf gives the words of a text, and the parts of them that are words too: of
// pricing/cache.go:12 also pricing/cache.go and cache.go.
func wordsOf(text string) map[string]bool {
	said := map[string]bool{}
	eachWord(text, func(word string, _ int, _ bool) {
		said[word] = true
		said[sameWord(Number, word)] = true
		if len(word) > 300 {
			return
		}
		starts := []int{0}
		for i := 0; i < len(word); i++ {
			if strings.IndexByte("/\\:.=", word[i]) < 0 {
				continue
			}
			for _, from := range starts {
				if from < i {
					said[word[from:i]] = true
				}
			}
			starts = append(starts, i+1)
		}
		for _, from := range starts {
			if from < len(word) {
				said[word[from:]] = true
			}
		}
	})
	return said
}

// todos records the open entries of lists, and forgets those that are ticked later.
func (l *lostList) todos(cell, text string, from Origin) {
	for line := range strings.Lines(text) {
		entry, done, ok := todo(line)
		switch {
		case !ok:
		case done:
			l.forget(Todo, entry)
		case !strings.Contains(l.text, plain(entry)):
			l.add(Loss{Todo, entry, cell, "", from})
		}
	}
}

// todo reads "- [ ] text", "- [x] text" and "TODO: text".
func todo(line string) (entry string, done, ok bool) {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "-*+0123456789.) ")
	switch {
	case strings.HasPrefix(rest, "[ ]"):
		entry = rest[3:]
	case strings.HasPrefix(rest, "[x]"), strings.HasPrefix(rest, "[X]"):
		entry, done = rest[3:], true
	case strings.HasPrefix(rest, "TODO:"), strings.HasPrefix(rest, "TODO "):
		entry = rest[5:]
	default:
		return "", false, false
	}
	entry = strings.TrimSpace(entry)
	return entry, done, entry != ""
}

// sentences records what the person wrote in words.
func (l *lostList) sentences(cell, text string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "> ")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if _, _, isTodo := todo(line); fenced || isTodo || strings.HasPrefix(line, "#define") {
			continue
		}
		for line != "" {
			n := sentenceEnd(line)
			sentence := strings.TrimSpace(line[:n])
			line = line[n:]
			if p := plain(sentence); saysSomething(p) && !strings.Contains(l.text, p) {
				l.add(Loss{Words, sentence, cell, "", Person})
			}
		}
	}
}

// sentenceEnd is where the first sentence of a text ends, its first line at the latest.
func sentenceEnd(text string) int {
	for i, r := range text {
		switch r {
		case '\n':
			return i
		case '。', '！', '？', '；':
			return i + len(string(r))
		case '.', '!', '?':
			if i+1 < len(text) && text[i+1] == ' ' {
				return i + 1
			}
		}
	}
	return len(text)
}

// saysSomething excludes single words: it takes two words with letters, or four characters of a
// script without spaces.
func saysSomething(plain string) bool {
	wide, words := 0, 0
	for field := range strings.FieldsSeq(plain) {
		if strings.ContainsFunc(field, unicode.IsLetter) {
			words++
		}
	}
	for _, r := range plain {
		if r >= 0x2e80 && unicode.IsLetter(r) {
			wide++
		}
	}
	return words >= 2 || wide >= 4
}

// plain is a text as sentences are compared: small letters, single spaces, no
// marks of Markdown, no stop at the end.
func plain(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == '`' || r == '*':
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimRight(b.String(), ".!?;,。！？；")
}

// add records a loss, or updates where it last occurs and its first origin.
func (l *lostList) add(x Loss) {
	k := key{x.Kind, x.Text}
	i, known := l.at[k]
	if !known {
		l.at[k] = len(l.list)
		l.list = append(l.list, x)
		return
	}
	old := &l.list[i]
	if x.From <= old.From {
		old.From, old.Note = x.From, cmp.Or(x.Note, old.Note)
		old.Cell = x.Cell
	}
}

// forget removes a recorded loss.
func (l *lostList) forget(kind Kind, text string) {
	k := key{kind, text}
	if i, known := l.at[k]; known {
		l.list[i] = Loss{}
		delete(l.at, k)
	}
}
