package documents

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/clip"
	"mutsumi/backend/notebook"
	"mutsumi/backend/textsearch"
)

const (
	maxMatches   = 10_000
	matchBytes   = 400 // of a match that is reported
	contextRunes = 24  // shown before and after a match
)

// Found is the result of a search in a notebook.
type Found struct {
	Seq     uint64      `json:"seq"`     // the last event that it includes
	Total   int         `json:"total"`   // matches
	Partial bool        `json:"partial"` // there are more than Total: the search stopped
	Texts   []FoundText `json:"texts"`   // those with matches, in the notebook's order
}

// FoundText is a text of a notebook with matches.
type FoundText struct {
	Cell    string            `json:"cell"`
	Kind    notebook.TextKind `json:"kind"`
	Index   int               `json:"index"`          // of the message in the cell's answer
	Call    string            `json:"call,omitempty"` // the id of the tool call
	Matches []Match           `json:"matches"`
}

// Match is one place in a text. The text around it helps to find it where the text is displayed in
// another form.
type Match struct {
	At     int    `json:"at"`     // in the text, in UTF-16 units
	Line   int    `json:"line"`   // from 0
	Text   string `json:"text"`   // the match, at most 400 bytes
	Before string `json:"before"` // up to 24 characters
	After  string `json:"after"`
}

// FindText searches the prompts, answers, thoughts, tool calls and results of a notebook
// (SPEC 15.2), with texts that are not loaded in the page. It stops after 10,000 matches.
// The error is Invalid for a query that cannot be searched for.
func (c *Calls) FindText(path string, q textsearch.Query) (Found, error) {
	pattern, err := textsearch.Compile(q)
	if err != nil {
		return Found{}, err
	}
	f := Found{Texts: []FoundText{}}
	var texts notebook.Texts
	if err := c.reg.ReadOnly(path, func(_ *Tx, nb *notebook.Document) error {
		f.Seq, texts = c.reg.out.Seq(), notebook.TextsOf(nb)
		return nil
	}); err != nil {
		return Found{}, err
	}
	texts.Each(containing(pattern.Word()), func(t notebook.Text) bool {
		x := FoundText{Cell: t.Cell, Kind: t.Kind, Index: t.Index, Call: t.Call}
		rendered := t.Kind == notebook.TextAnswer
		at, units, line := 0, 0, 0
		pattern.Each(t.Text, textsearch.Options{Rendered: rendered}, func(from, to int) bool {
			if f.Total == maxMatches {
				f.Partial = true
				return false
			}
			units += utf16Len(t.Text[at:from])
			line += strings.Count(t.Text[at:from], "\n")
			at = from
			f.Total++
			x.Matches = append(x.Matches, Match{
				At: units, Line: line, Text: clip.Bytes(t.Text[from:to], matchBytes), Before: lastRunes(t.Text[:from]), After: firstRunes(t.Text[to:]),
			})
			return true
		})
		if len(x.Matches) > 0 {
			f.Texts = append(f.Texts, x)
		}
		return !f.Partial
	})
	return f, nil
}

// containing reports of a message's JSON whether it has a word, in either case; nil for "".
func containing(word string) func(message []byte) bool {
	if word == "" {
		return nil
	}
	lower, upper := strings.ToLower(word), strings.ToUpper(word)
	// The first letter in one of its cases, then the rest.
	has := func(text []byte, first byte) bool {
		for {
			i := bytes.IndexByte(text, first)
			if i < 0 || len(text)-i < len(word) {
				return false
			}
			if equalFold(text[i+1:i+len(word)], lower[1:]) {
				return true
			}
			text = text[i+1:]
		}
	}
	return func(message []byte) bool {
		return has(message, lower[0]) || upper[0] != lower[0] && has(message, upper[0]) || bytes.Contains(message, []byte(`\u`))
	}
}

// equalFold compares ASCII letters and digits in either case with lower ones.
func equalFold(text []byte, lower string) bool {
	for i, b := range text {
		if b != lower[i] && (b|0x20 != lower[i] || b < 'A') {
			return false
		}
	}
	return true
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		if n++; r >= 0x10000 {
			n++
		}
	}
	return n
}

func lastRunes(s string) string {
	at := len(s)
	for range contextRunes {
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	return strings.ToValidUTF8(s[at:], "")
}

func firstRunes(s string) string {
	at := 0
	for range contextRunes {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return strings.ToValidUTF8(s[:at], "")
}

// Replacement is a replacement in the prompts of a notebook.
type Replacement struct {
	Query textsearch.Query `json:"query"`
	With  string           `json:"with"`
	Cell  string           `json:"cell,omitempty"` // only in this prompt, and there only the match at At; "": all
	At    int              `json:"at,omitempty"`   // in UTF-16 units
}

// Replaced is the answer to a Replacement.
type Replaced struct {
	EditResult
	Places int `json:"places"` // that were replaced
	Left   int `json:"left"`   // in prompts that run and in summaries, which stay
	End    int `json:"end"`    // of a single replacement: where the new text ends, in UTF-16 units
}

// ReplaceText replaces text in the prompts of a notebook, as one undo step. Answers stay. The error
// is Invalid for an invalid query.
func (c *Calls) ReplaceText(path string, r Replacement, origin string) (done Replaced, err error) {
	pattern, err := textsearch.Compile(r.Query)
	if err != nil {
		return Replaced{}, err
	}
	err = c.reg.With(path, func(tx *Tx, nb *notebook.Document) error {
		var edits []notebook.Edit
		edits, done.Places, done.Left = notebook.TextsOf(nb).Replacements(func(cell, text string) (string, int) {
			if r.Cell == "" {
				return pattern.Replace(text, r.With, -1)
			}
			if r.Cell != cell {
				return text, 0
			}
			at := byteOf(text, r.At)
			after, n := pattern.Replace(text, r.With, at)
			pattern.Each(text, textsearch.Options{}, func(from, to int) bool {
				if from == at {
					done.End = utf16Len(after) - utf16Len(text[to:])
				}
				return from < at
			})
			return after, n
		})
		if len(edits) == 0 {
			done.EditResult = EditResult{Seq: c.reg.out.Seq(), Rev: nb.Rev()}
			return nil
		}
		done.EditResult, err = tx.edit(nb, edits, origin)
		return err
	})
	return done, err
}

// byteOf returns the place in bytes of a place in UTF-16 units.
func byteOf(text string, units int) int {
	n := 0
	for i, r := range text {
		if n >= units {
			return i
		}
		if n++; r >= 0x10000 {
			n++
		}
	}
	return len(text)
}
