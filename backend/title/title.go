// Package title makes a short name for an agent from its first prompt, or from a model's answer to
// a request for one (SPEC 11.11).
//
// It is pure text in, text out. workspace calls it when an unnamed notebook runs for the first
// time.
package title

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/ref"
)

// MaxWidth is the width of the longest title, in columns: a Han, Kana or
// Hangul character takes two.
const MaxWidth = 42

// maxRead is how many bytes of a prompt are read.
const maxRead = 16 << 10

// FromPrompt returns a title of a few words, or "" if the prompt has no words. It uses the first
// sentence of the prose. Directives, code blocks, heading marks, images and tool calls are omitted;
// a reference counts as the name of its file.
func FromPrompt(prompt string) string {
	text := prompt
	if len(text) > maxRead {
		text = strings.ToValidUTF8(text[:maxRead], "")
	}
	spare := "" // for a prompt that only names files
	for _, line := range prose(withoutTags(text, &spare)) {
		if s := sentence(line); s != "" {
			return s
		}
	}
	return cut(clean(spare))
}

// FromModel returns the title in a model's answer, or "" if there is none. It is a line of plain
// words: preceding thoughts, Markdown, quotes, and hidden or direction-changing characters are
// removed.
func FromModel(answer string) string {
	if len(answer) > maxRead {
		answer = strings.ToValidUTF8(answer[:maxRead], "")
	}
	if _, after, thought := strings.Cut(answer, "</think>"); thought {
		answer = after
	} else if strings.HasPrefix(strings.TrimSpace(answer), "<think>") {
		return "" // it thought, and came to no end
	}
	for line := range strings.Lines(answer) {
		line = titlePrefix.ReplaceAllString(strings.TrimSpace(clean(line)), "")
		line = strings.TrimFunc(withoutMarks(line), func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'“”‘’„‚«»‹›「」『』《》〈〉`*_.,;:。，；：、", r)
		})
		if hasWord(line) {
			return cut(line)
		}
	}
	return ""
}

// titlePrefix matches words that models write before a title.
var titlePrefix = lazyregexp.New(`(?i)^[*_"'“]*(?:title|titel|titre|título|标题|標題|タイトル|제목)[*_"'”]*\s*[:：]\s*`)

// withoutMarks leaves out signs that are drawn over the one before them, past
// the second of a row: they would reach over other lines.
func withoutMarks(s string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			n = 0
			return r
		}
		if n++; n > 2 {
			return -1
		}
		return r
	}, s)
}

// Unique returns title, or title followed by the first number from 2 on that
// is not taken.
func Unique(title string, taken func(string) bool) string {
	if !taken(title) {
		return title
	}
	for n := 2; ; n++ {
		if s := title + " " + strconv.Itoa(n); !taken(s) {
			return s
		}
	}
}

// withoutTags replaces references by the base names of their files and removes
// tool calls. It sets first to the name of the first file.
func withoutTags(text string, first *string) string {
	var b strings.Builder
	at := 0
	for _, r := range ref.Find(text) {
		b.WriteString(text[at:r.Start])
		at = r.End
		if r.Tool != "" {
			continue
		}
		name := path.Base(strings.ReplaceAll(r.Path, `\`, "/"))
		if name == "." || name == "/" {
			continue
		}
		if *first == "" {
			*first = name
		}
		b.WriteString(name)
	}
	b.WriteString(text[at:])
	return b.String()
}

var (
	directive = lazyregexp.New(`@\{[^}\n]*\}`)
	image     = lazyregexp.New(`!\[[^\]\n]*\]\((?:<[^>\n]*>|[^)\n]*)\)`)
	link      = lazyregexp.New(`\[([^\]\n]+)\]\((?:<[^>\n]*>|[^)\n]*)\)`)
	address   = lazyregexp.New(`https?://(?:www\.)?([^\s/?#]+)\S*`)
	tag       = lazyregexp.New(`</?[A-Za-z][^>\n]*>`)
	lineMark  = lazyregexp.New(`^(?:#{1,6}\s+|>\s*|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)+`)
	emphasis  = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "")
)

// prose returns the lines of a prompt that hold words of the person.
func prose(text string) []string {
	var lines []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		mark := line[:len(line)-len(strings.TrimLeft(line, "`~"))]
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == line {
				fence = ""
			}
			continue
		case len(mark) >= 3 && strings.Count(mark, mark[:1]) == len(mark):
			fence = mark
			continue
		case strings.HasPrefix(line, "#define "):
			continue
		}
		if line = clean(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// clean removes the Markdown of a line and joins its words by single spaces.
func clean(line string) string {
	line = directive.ReplaceAllString(line, " ")
	line = image.ReplaceAllString(line, " ")
	line = link.ReplaceAllString(line, "$1")
	line = address.ReplaceAllString(line, "$1")
	line = tag.ReplaceAllString(line, " ")
	line = emphasis.Replace(lineMark.ReplaceAllString(strings.TrimSpace(line), ""))
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) {
			return ' '
		}
		return r
	}, line)
	return strings.Join(strings.Fields(line), " ")
}

// politeness matches polite openings of a request, which name nothing.
var politeness = lazyregexp.New(`(?i)^(?:(?:hi|hello|hey)(?: there)?[,!. ]+|please[, ]+|(?:can|could|would|will) you (?:please )?|i(?:'d like| would like| want| need) you to |let's |let us |你好[，,！! ]*|请你?帮我?|麻烦你?|帮我|能不能|可以)`)

// sentence returns the first sentence of a line as a title, or "" when it has
// no letter or digit.
func sentence(line string) string {
	for {
		rest := politeness.ReplaceAllString(line, "")
		if rest == line || !hasWord(rest) {
			break
		}
		line = strings.TrimSpace(rest)
	}
	if end := sentenceEnd(line); hasWord(line[:end]) {
		line = line[:end]
	}
	if !hasWord(line) {
		return ""
	}
	return cut(strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?。，；：！？、", r) }))
}

func hasWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// sentenceEnd returns the index after the first sentence: an East Asian mark, or a Western one
// before a space or the end.
func sentenceEnd(s string) int {
	for i, r := range s {
		switch r {
		case '。', '！', '？', '；':
			return i
		case '.', '!', '?', ':', ';':
			next, _ := utf8.DecodeRuneInString(s[i+1:])
			if next == utf8.RuneError || next == ' ' {
				return i
			}
		}
	}
	return len(s)
}

// cut shortens s to MaxWidth columns, at the end of a word where that leaves
// at least half, and begins it with a capital letter.
func cut(s string) string {
	if s == "" {
		return ""
	}
	width, word := 0, 0
	for i, r := range s {
		if r == ' ' {
			word = i
		}
		if wide(r) {
			width, word = width+1, i
		}
		if width++; width > MaxWidth-1 && i+utf8.RuneLen(r) < len(s) {
			end := i
			if word > i/2 {
				end = word
			}
			s = strings.TrimRight(s[:end], " ,;:-–—(，、") + "…"
			break
		}
	}
	first, size := utf8.DecodeRuneInString(s)
	// A name such as "main.go" or "iPhone" keeps its letters.
	head, _, _ := strings.Cut(s, " ")
	if strings.ContainsAny(head, "./_") || strings.ToLower(head) != head {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF60
}
