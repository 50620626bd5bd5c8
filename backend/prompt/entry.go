package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mutsumi/backend/assemble"
)

// entry is a rule, a file or the result of a tool, on its way into the block.
type entry struct {
	kind    Kind
	key     string          // a rule's name, a reference as it was written, a tool's name
	args    json.RawMessage // of a tool
	content string
	cell    string // the prompt it came from, "" if from none
	note    string
	sum     string // SHA-256 of content
	version int    // with the placement Versioned, from 1
	state   State
}

// id names the entry in ContextOff.
func (e *entry) id() string {
	if e.kind == KindTool {
		return string(KindTool) + ":" + e.key + string(e.args)
	}
	return string(e.kind) + ":" + e.key
}

// entrySet collects entries of one kind: each once, in order of first reference, with its latest
// content (SPEC 5.3).
type entrySet struct {
	list []*entry
	byID map[string]int
}

// put adds an entry or replaces the one of the same id in its place.
func (s *entrySet) put(e *entry) {
	id := e.id()
	if i, ok := s.byID[id]; ok {
		s.list[i] = e
		return
	}
	if s.byID == nil {
		s.byID = map[string]int{}
	}
	s.byID[id] = len(s.list)
	s.list = append(s.list, e)
}

// has reports whether there is an entry of that id, and returns it.
func (s *entrySet) get(id string) (*entry, bool) {
	i, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	return s.list[i], true
}

// sum is the SHA-256 of a text, processed in pieces so as not to copy it whole.
func sum(s string) string {
	h := sha256.New()
	var piece [4096]byte
	for len(s) > 0 {
		n := copy(piece[:], s)
		h.Write(piece[:n])
		s = s[n:]
	}
	return hex.EncodeToString(h.Sum(nil))
}

const (
	noteGone    = "gone"
	noteProblem = "could not be read"
	noteFailed  = "failed"
	noteNotRun  = "runs when the prompt is sent"
	noteOff     = "switched off in this notebook"
	noteTrust   = "does nothing: this folder is not trusted"
	noteHeld    = "does nothing: it came or changed since you trusted this folder"
	noteNow     = "the result of that time was not kept: this is one of now"
	noteEnded   = "taken back: an earlier message holds it"
	noteNotRead = "read when the prompt is sent: its server does not run"
	noteLost    = "the result of that time was not kept"
)

// entryOf makes an entry of a reference's content. earlier: it is in an earlier prompt, so that a
// missing file counts as removed.
func entryOf(item assemble.Item, cell string, earlier bool) *entry {
	e := &entry{kind: KindFile, key: item.Key, args: item.Metadata, content: item.Content, cell: cell}
	if item.Type == assemble.Tool {
		e.kind = KindTool
		switch {
		case item.Problem != "":
			e.note = noteFailed
		case item.Content == assemble.NotRun:
			e.note = noteNotRun
		}
		return e
	}
	switch {
	case item.Gone && earlier:
		e.note = noteGone
		e.content = "> Error including " + item.Key + ": the file is gone; an earlier message refers to it"
	case item.Problem != "":
		e.note = noteProblem
	}
	return e
}
