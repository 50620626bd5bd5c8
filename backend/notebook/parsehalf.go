package notebook

import "bytes"

// halvesFrom is the length of a list of messages from which parsing it in two halves at the same time
// is worthwhile.
const halvesFrom = 256 << 10

// messageBegins is how a message begins after another one in our own layout, and in one without
// white space. Neither is inside a text, which contains no line breaks, and quotes only after a
// backslash.
var messageBegins = [][]byte{[]byte("\n    {"), []byte(`,{"role"`), []byte(`,{"content"`)}

// secondHalf is a parser of the messages from the middle of a list on. It begins where a message
// seems to begin. What it read counts only if the parser of the first half arrives there between two
// messages.
type secondHalf struct {
	parser
	from, end int // of the messages that it read
	ok        bool
	done      chan struct{}
}

// list parses the list of messages.
func (p *parser) list() bool {
	second := p.startSecondHalf()
	if second == nil {
		return p.array(p.message)
	}
	defer func() { <-second.done }()
	return p.array(func() bool {
		if p.i == second.from {
			if <-second.done; second.ok {
				p.i, p.messages = second.end, append(p.messages, second.messages...)
				return true
			}
		}
		return p.message() // after an error of the second half too, so that its place is known
	})
}

// startSecondHalf begins to parse the second half of the list at the parser's place; nil: the list is
// too short, or in a layout of its own.
func (p *parser) startSecondHalf() *secondHalf {
	rest := p.b[p.i:]
	if len(rest) < halvesFrom {
		return nil
	}
	half := len(rest) / 2
	from := -1
	for _, begin := range messageBegins {
		if at := bytes.Index(rest[half:], begin); at >= 0 {
			from = p.i + half + at + bytes.IndexByte(begin, '{')
			break
		}
	}
	if from < 0 {
		return nil
	}
	h := &secondHalf{from: from, done: make(chan struct{})}
	h.scanner = scanner{b: p.b, i: from, depth: p.depth + 1}
	go func() {
		defer close(h.done)
		for h.message() {
			h.end = h.i
			if more, ok := h.next(']', ""); !more {
				h.ok = ok
				return
			}
		}
	}()
	return h
}
