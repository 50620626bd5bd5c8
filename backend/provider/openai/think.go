package openai

import "strings"

// thinkTags takes the thinking out of the text of an answer that begins with
// <think>: so it comes from servers that do not know the model's reasoning
// apart (LM Studio, llama.cpp and vLLM without a parser for it). The tags
// count only at the very beginning, and only if the server sends no reasoning
// of its own.
type thinkTags struct {
	state thinkState
	held  string // an end of the text that may be a part of a tag
}

type thinkState int

const (
	undecided thinkState = iota
	inside
	behind // a line break after the tag belongs to it
	plain
)

const openTag, closeTag = "<think>", "</think>"

// off takes tags for text from now on.
func (t *thinkTags) off() {
	if t.state == undecided {
		t.state = plain
	}
}

// split takes the next piece of the content.
func (t *thinkTags) split(s string) (text, thought string) {
	if s == "" || t.state == plain && t.held == "" {
		return s, ""
	}
	s, t.held = t.held+s, ""
	if t.state == undecided {
		begin := strings.TrimLeft(s, " \r\n\t")
		switch {
		case strings.HasPrefix(begin, openTag):
			t.state, s = inside, strings.TrimLeft(begin[len(openTag):], "\r\n")
		case strings.HasPrefix(openTag, begin):
			t.held = s
			return "", ""
		default:
			t.state = plain
		}
	}
	if t.state == inside {
		before, after, closed := strings.Cut(s, closeTag)
		if !closed {
			n := partOf(closeTag, s)
			t.held = s[len(s)-n:]
			return "", s[:len(s)-n]
		}
		t.state, thought, s = behind, before, after
	}
	if t.state == behind {
		if s = strings.TrimLeft(s, "\r\n"); s != "" {
			t.state = plain
		}
	}
	return s, thought
}

// rest returns the text held back when the answer ends.
func (t *thinkTags) rest() (text, thought string) {
	s := t.held
	t.held = ""
	if t.state == inside {
		return "", s
	}
	return s, ""
}

// partOf is the length of the longest end of s that is a beginning of tag.
func partOf(tag, s string) int {
	for n := min(len(tag)-1, len(s)); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
