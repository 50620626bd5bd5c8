package request

import (
	"encoding/json"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/documents"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/typed"
)

// Spec is what a request is made of: what its notebook says, read under the
// notebook's lock, so that the rest can go without it. The zero value is a
// request of no notebook.
type Spec struct {
	Live     *documents.Live // nil: of no notebook
	Agent    notebook.MetaView
	Role     role.Role
	Endpoint settings.Endpoint
	Cell     string
	Prompt   chat.Content
	Turns    []notebook.HistoryMessage // before the prompt
	Foreign  func(call string) bool    // calls of the prompt that the person did not type here; nil: none
	Seen     *builtin.Seen             // what the agent has read
	Turn     func() *checkpoint.Recorder

	// Of an answer that is continued:
	Continues    bool
	Answer       []chat.Message // what came already
	Started      StartedCall    // see SetLast
	StartedKnown bool           // the run before wrote Last

	name      string // what requests call the agent, where that is not its name
	macros    json.RawMessage
	items     json.RawMessage
	off       json.RawMessage
	placement prompt.Placement
	sent      json.RawMessage // what was kept of the prompt when it ran
}

// StartedCall is a call that was allowed to change something.
type StartedCall struct {
	Index int    `json:"index"` // of the message with the call, in the answer
	Call  string `json:"call"`  // the model's id for it
}

// Path is that of the notebook now: it may be renamed while its agent works.
func (s Spec) Path() string { return s.Live.Path() }

// Placement is where the request's context goes.
func (s Spec) Placement() prompt.Placement { return s.placement }

// Macros are those that the notebook keeps.
func (s Spec) Macros() map[string]string {
	var meta prompt.Meta
	meta.ReadMeta(s.macros, nil, nil)
	return meta.MacroContext
}

// Read reads what stands before a cell's prompt, and the prompt. Cell "" means a
// prompt behind everything. calls tells which calls of the prompt were typed here.
func (s *Spec) Read(tx *documents.Tx, cell string, calls typed.Calls) (err error) {
	nb, at := tx.Notebook(), cell
	if ids := nb.CellIDs(); at == "" && len(ids) > 0 {
		at = ids[len(ids)-1]
	}
	if at != "" {
		if s.Turns, err = nb.HistoryMessages(at, prompt.KeySent); err != nil {
			return err
		}
	}
	if n := len(s.Turns) - 1; cell != "" && n >= 0 {
		s.Prompt, s.sent, s.Turns = s.Turns[n].Message.Content, s.Turns[n].Sent, s.Turns[:n]
	} else if at != "" {
		messages, err := nb.Answer(at)
		if err != nil {
			return err
		}
		for _, m := range messages {
			s.Turns = append(s.Turns, notebook.HistoryMessage{Cell: at, Message: m})
		}
	}
	stored := ""
	if cell != "" {
		stored = strings.Join(textsOf(s.Prompt), "\n")
	}
	s.Live, s.Cell, s.Foreign = tx.Live(), cell, calls.ForeignIn(cell, stored)
	s.Agent, s.name = tx.Agent(), naming.InRequests(nb)
	s.macros, s.items, s.off = nb.Raw(prompt.KeyMacros), nb.Raw(prompt.KeyItems), nb.Raw(prompt.KeyOff)
	if raw := nb.Raw(prompt.KeyPlacement); raw != nil {
		json.Unmarshal(raw, &s.placement) // another type is no placement: the default
	}
	return nil
}

// ReadAnswer reads the answer that the request continues, and which of its calls
// began.
func (s *Spec) ReadAnswer(tx *documents.Tx, cell string) (err error) {
	info, err := tx.Notebook().RunInfo(cell)
	if err != nil {
		return err
	}
	s.Continues = true
	s.Started, s.StartedKnown = startedCall(tx, cell), info != nil && info.Process() != nil
	s.Answer, err = tx.Notebook().Answer(cell)
	return err
}

// textsOf gives the texts of a content, without its images.
func textsOf(c chat.Content) []string {
	if c.Parts == nil {
		return []string{c.Text}
	}
	var out []string
	for _, p := range c.Parts {
		out = append(out, p.Text)
	}
	return out
}

// keyStartedCall is where the prompt of an answer under way keeps the call that was
// started last of those that change something. After a crash it tells a call
// that may have taken effect from one that only was asked for.
const keyStartedCall = "started_call"

// SetStartedCall writes which call of a cell's running answer was started last of those
// that change something; nil removes it.
func SetStartedCall(tx *documents.Tx, cell string, call *StartedCall) error {
	var raw json.RawMessage
	if call != nil {
		var err error
		if raw, err = json.Marshal(call); err != nil {
			return err
		}
	}
	tx.SaveSoon()
	return tx.Notebook().KeepPromptMeta(cell, keyStartedCall, raw)
}

// startedCall reads what SetLast wrote; the zero value when there is nothing.
func startedCall(tx *documents.Tx, cell string) (call StartedCall) {
	raw, err := tx.Notebook().PromptMeta(cell, keyStartedCall)
	if err != nil || raw == nil || json.Unmarshal(raw, &call) != nil {
		return StartedCall{}
	}
	return call
}
