package request

import (
	"encoding/json"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/documents"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/naming"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/role"
	"mutsumi/backend/settings"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/typed"
)

// Spec is the basis of a request, read from its notebook under the notebook's lock so that the
// build needs no lock. The zero value is a request of no notebook.
type Spec struct {
	Live     *documents.Live // nil: of no notebook
	Agent    notebook.MetaView
	Role     role.Role
	Endpoint settings.Endpoint
	Cell     string
	Prompt   chat.Content
	Turns    []notebook.HistoryMessage // the messages before the prompt
	Sent     []string                  // the cells that they are of
	Foreign  func(call string) bool    // reports calls of the prompt that the person did not type here; nil: none
	// TypedBefore reports which references of earlier prompts, named by cell, the person typed
	// here; nil: none.
	TypedBefore func(cell, call string) bool
	Seen        *builtin.Seen // the files that the agent has read
	Turn        func() *checkpoint.Recorder

	ByAgent      bool // another agent answers (SPEC 14): it gets only the person's part of the request
	OnlyMessages bool // the parts of the request and what to save are not needed

	// Of an answer that is continued:
	Continues    bool
	Answer       []chat.Message // its messages so far
	Started      StartedCall    // see SetStartedCall
	StartedKnown bool           // the earlier run recorded Started

	servers      *offer.Offer    // of a run: decided once for all of its requests
	coveredCalls []chat.ToolCall // of cells that a summary covers

	covered   []string // names of skills that were used in cells that a summary covers
	name      string   // the agent's name in requests if it differs; otherwise ""
	macros    json.RawMessage
	items     json.RawMessage
	off       json.RawMessage
	placement prompt.Placement
	effort    string          // of reasoning; "": the model's setting
	sent      json.RawMessage // the prompt.Sent of the run that is continued
}

// StartedCall names a call of an answer that was allowed to change something.
type StartedCall struct {
	Index int    `json:"index"` // of the message with the call, in the answer
	Call  string `json:"call"`  // the model's id for it
}

// Path returns the notebook's current path. It may be renamed while its agent works.
func (s Spec) Path() string { return s.Live.Path() }

// Placement returns the placement of the request's context.
func (s Spec) Placement() prompt.Placement { return s.placement }

// Placed returns s with its context placed elsewhere.
func (s Spec) Placed(p prompt.Placement) Spec {
	s.placement = p
	return s
}

// Effort returns how much the notebook wants its models to think; "": the setting of each model.
func (s Spec) Effort() string { return s.effort }

// Macros returns the macros that the notebook keeps.
func (s Spec) Macros() map[string]string {
	var meta prompt.Meta
	meta.ReadMeta(s.macros, nil, nil)
	return meta.MacroContext
}

// Read fills s with a cell's prompt and everything before it. cell "" means a new
// prompt at the end. calls knows which calls of the prompt were typed here.
func (s *Spec) Read(tx *documents.Tx, cell string, calls typed.Calls) (err error) {
	nb, at := tx.Notebook(), cell
	if ids := nb.CellIDs(); at == "" && len(ids) > 0 {
		at = ids[len(ids)-1]
	}
	if at != "" {
		if s.Turns, err = nb.HistoryMessages(at, prompt.KeySent); err != nil {
			return err
		}
		if s.Sent, err = nb.Summaries().SentBefore(at); err != nil {
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
	s.coveredCalls = nb.Summaries().CoveredCalls(cell)
	s.covered = skillsIn(s.coveredCalls)
	s.Live, s.Cell, s.Foreign = tx.Live(), cell, calls.ForeignIn(cell, stored)
	s.TypedBefore = calls.Snapshot()
	s.Agent, s.name = tx.Agent(), naming.InRequests(nb)
	s.macros, s.items, s.off = nb.Raw(prompt.KeyMacros), nb.Raw(prompt.KeyItems), nb.Raw(prompt.KeyOff)
	if raw := nb.Raw(prompt.KeyPlacement); raw != nil {
		json.Unmarshal(raw, &s.placement) // an invalid value means the default
	}
	s.effort = prompt.ReadEffort(nb.Raw(prompt.KeyEffort))
	return nil
}

// ReadAnswer makes s continue the answer of a cell: it reads the answer, and which of
// its calls began.
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

// textsOf returns the texts of a content, without its images.
func textsOf(c chat.Content) []string {
	if c.Parts == nil {
		return []string{c.String()}
	}
	var out []string
	for _, p := range c.Parts {
		out = append(out, p.Text)
	}
	return out
}

// keyStartedCall is the key in the prompt of a running answer for the last started call that
// changes something. After a crash it distinguishes a call that may have taken effect from one that
// was only requested.
const keyStartedCall = "started_call"

// SetStartedCall records in the notebook the last started call that changes something in a cell's
// running answer; nil removes the record.
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

// startedCall returns the record of SetStartedCall, otherwise the zero value.
func startedCall(tx *documents.Tx, cell string) (call StartedCall) {
	raw, err := tx.Notebook().PromptMeta(cell, keyStartedCall)
	if err != nil || raw == nil || json.Unmarshal(raw, &call) != nil {
		return StartedCall{}
	}
	return call
}
