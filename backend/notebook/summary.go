package notebook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/process"
)

// Summary is what can be known about a notebook without opening it.
type Summary struct {
	UUID       string
	Name       string
	ParentID   string
	CreatedAt  string
	ModifiedMs int64
	Finished   bool   // its task is finished (SPEC 1.6)
	Failed     bool   // the last run failed or broke
	EndedMs    int64  // when the last run ended on its own, in Unix milliseconds; 0: it did not
	Problem    string // not empty: the file is not a notebook
	Prompts    int    // number of prompt cells; -1: not counted, the file is large

	Kind        string      // agentType
	AnsweredBy  string      // id of the agent that answers it over ACP; "": a model does
	Interrupted bool        // the last run has no end: it is still running, or the program ended
	Process     *process.ID // that runs it, or did; nil: not known
	Tally       *Tally      // nil: not known before the file is opened
	Allowed     string      // allowed_uris as JSON; "": it has none
	Origin      Origin      // the notebook it was made from
}

// smallFile is up to where a file is simply parsed for its summary.
const smallFile = 1 << 20

// ReadSummary reads a file's entry in a list of notebooks. Of a large file it reads only the
// metadata at the beginning and the last messages at the end, so damage in the middle goes unseen
// until the file is opened. A file that is not a notebook is not an error: Problem says what is
// wrong. Errors: NotFound, Denied, disk errors.
func ReadSummary(path string) (Summary, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", filepath.Base(path), diskFault(err))
	}
	h := Summary{ModifiedMs: info.ModTime().UnixMilli(), Prompts: -1}
	if info.Mode().IsRegular() && info.Size() > smallFile {
		if ok, err := h.readEnds(path, info.Size()); ok || err != nil {
			return h, err
		}
	}
	data, _, err := read(path)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		h.Problem = f.Message
		return h, nil
	}
	if err != nil {
		return Summary{}, fmt.Errorf("read %s: %w", filepath.Base(path), diskFault(err))
	}
	d, err := Parse(data)
	if err != nil {
		h.Problem = err.Error()
		if p := (&parser{scanner: scanner{b: data}}); p.metadataOnly() {
			h.fill(&metadata{members: p.meta})
		}
		return h, nil
	}
	h.fill(&d.meta)
	h.end(d.cells.list)
	h.Tally = d.Tally()
	h.Prompts = 0
	for _, c := range d.cells.list {
		if c.role() == chat.User {
			h.Prompts++
		}
	}
	return h, nil
}

func (h *Summary) fill(m *metadata) {
	h.UUID, h.Name = m.string("uuid"), m.string("name")
	h.ParentID, h.CreatedAt = m.string("parent_agent_id"), m.string("created_at")
	h.Finished = string(m.get("is_task_finished")) == "true"
	h.Kind, h.Tally = m.string("agentType"), m.tally()
	if m.string("provider") == ACP {
		h.AnsweredBy = m.string("model")
	}
	h.Allowed, h.Origin = string(m.get("allowed_uris")), m.origin()
}

func (h *Summary) end(cells []*cell) {
	last := lastRun(cells)
	h.Finished = h.Finished || last.finished
	h.Failed, h.EndedMs = last.outcome == Failed || last.outcome == Broken, last.endedMs
	h.Interrupted = last.outcome == outcomeRunning || last.outcome == Interrupted
	h.Process = last.process
}

// ended is the result of the last prompt that ran.
type ended struct {
	outcome  Outcome
	endedMs  int64
	process  *process.ID
	finished bool   // task_finish was called
	text     string // the answer's text
}

// lastRun looks at the last cell with an answer or a run. Prompts below it that never ran are
// ignored.
func lastRun(cells []*cell) ended {
	for _, c := range slices.Backward(cells) {
		var e ended
		var info *RunInfo
		if c.prompt != nil {
			info = readRun(c.prompt)
		}
		if info == nil && len(c.answer) == 0 {
			continue
		}
		if info != nil {
			e.outcome, e.endedMs, e.process = info.Outcome, info.EndedMs(), info.process
		}
		e.text, e.finished = finishOf(c.answer)
		return e
	}
	return ended{}
}

// readEnds fills the summary from the two ends of a large file; ok is false when
// that is not enough, because the file is laid out in another way.
func (h *Summary) readEnds(path string, size int64) (ok bool, err error) {
	f, _, err := OpenRegular(path)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", filepath.Base(path), diskFault(err))
	}
	defer f.Close()
	part := func(from, n int64) []byte {
		b := make([]byte, n)
		got, readErr := f.ReadAt(b, from)
		if readErr != nil && readErr != io.EOF {
			err = fmt.Errorf("read %s: %w", filepath.Base(path), diskFault(readErr))
		}
		return b[:got]
	}
	for n := int64(16 << 10); ; n *= 4 {
		if n > size/2 {
			return false, err
		}
		p := &parser{scanner: scanner{b: part(0, n)}}
		if err != nil {
			return false, err
		}
		if p.metadataOnly() {
			h.fill(&metadata{members: p.meta})
			break
		}
		if p.i < len(p.b) {
			return false, nil
		}
	}
	for n := int64(64 << 10); ; n *= 4 {
		if n > size/2 {
			return false, err
		}
		tail := part(size-n, n)
		if err != nil {
			return false, err
		}
		if cells, enough, ok := lastCells(tail); !ok {
			return false, nil
		} else if enough {
			h.end(cells)
			return true, nil
		}
	}
}

// metadataOnly reads the metadata if they come first, up to the branches.
func (p *parser) metadataOnly() bool {
	p.i = len(p.b) - len(bytes.TrimPrefix(p.b, byteOrderMark))
	p.space()
	if p.peek() != '{' {
		return false
	}
	done := false
	p.object(func(key []byte) bool {
		if !keyIs(key, "metadata") || p.peek() != '{' {
			return false
		}
		done = p.object(func(key []byte) bool {
			if keyIs(key, branchesKey) {
				done = true
				return false
			}
			return p.metaMember(key)
		}) || done
		return false
	})
	return done
}

// lastCells reads cells from the end of a file in our own layout, back to the last one that ran. A
// line that opens a message has exactly this form, and no text can contain a raw line break.
func lastCells(tail []byte) (cells []*cell, enough, ok bool) {
	tail, ok = bytes.CutSuffix(tail, []byte("\n    }\n  ]\n}"))
	if !ok {
		return nil, false, false
	}
	tail = append(tail, "\n    }"...)
	var messages []*message
	answered := false
	for {
		at := bytes.LastIndex(tail, []byte("\n    {\n"))
		if at < 0 {
			return nil, false, true
		}
		s := scanner{b: tail[at+5:], depth: messageDepth}
		if !s.object(nil) || s.i != len(s.b) {
			return nil, false, false
		}
		m := newMessage(s.b)
		if m.role == "" { // the list at the end is not that of the messages
			return nil, false, false
		}
		messages = append(messages, m)
		answered = answered || !m.startsCell(true)
		if m.startsCell(true) && (answered || readRun(m) != nil) {
			slices.Reverse(messages)
			return group(messages), true, true
		}
		tail = bytes.TrimSuffix(tail[:at], []byte(","))
	}
}
