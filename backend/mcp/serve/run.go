package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/catalog"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/ref"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
)

type runInput struct {
	Prompt   string `json:"prompt" jsonschema:"what the agent is to do"`
	Notebook string `json:"notebook,omitempty" jsonschema:"the agent that gets it: path of its notebook, its address or its name. Without it a new agent is made"`
	Name     string `json:"name,omitempty" jsonschema:"of a new agent: a short name"`
	Kind     string `json:"kind,omitempty" jsonschema:"of a new agent: its kind, such as chat or reviewer; chat without it"`
}

type runOutput struct {
	Notebook string    `json:"notebook" jsonschema:"path of the notebook that holds prompt and answer"`
	Cell     int       `json:"cell" jsonschema:"number of the cell, for read"`
	Outcome  string    `json:"outcome" jsonschema:"done, taskFinished, stepLimit, stopped, failed or broken"`
	Answer   string    `json:"answer"`
	Cut      bool      `json:"cut,omitempty" jsonschema:"the answer is longer: read its cell"`
	Refused  []refusal `json:"refused,omitempty" jsonschema:"tool calls that were refused because they need a person"`
	LeftOut  []string  `json:"leftOut,omitempty" jsonschema:"what the folder brings that had no effect, because it is not trusted"`
	Problem  string    `json:"problem,omitempty" jsonschema:"why the run did not end well"`
}

// refusal is a call that was refused because it needed a person.
type refusal struct {
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// canChange reports whether agents are offered tools that change something.
func (s *server) canChange() bool { return s.Policy == request.EveryTool }

// run adds a prompt to a notebook, runs it and returns when the run has ended.
func (s *server) run(ctx context.Context, r *mcp.CallToolRequest, in runInput) (*mcp.CallToolResult, runOutput, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if strings.TrimSpace(in.Prompt) == "" {
		return nil, runOutput{}, errors.New("the prompt is empty")
	}
	path, err := s.notebookFor(in)
	if err != nil {
		return nil, runOutput{}, err
	}
	end, err := s.turn(ctx, path)
	if err != nil {
		return nil, runOutput{}, err
	}
	defer end()
	if s.Model == "" {
		s.Workspace.AskEnvironment(ctx)
	}
	if err := s.Workspace.CanRun(path); err != nil { // check before anything is written
		return nil, runOutput{}, err
	}
	f := following{server: s, path: path, told: progressOf(ctx, r)}
	defer f.forget()
	if err := f.start(in.Prompt); err != nil {
		return nil, runOutput{}, err
	}
	finished := f.untilEnd(ctx)
	out, err := f.result(finished)
	if err != nil {
		return nil, runOutput{}, err
	}
	return &mcp.CallToolResult{Content: text(out.text()), IsError: out.Problem != ""}, out, nil
}

// notebookFor returns the notebook for the prompt, and makes it if need be.
func (s *server) notebookFor(in runInput) (path string, err error) {
	if in.Notebook == "" {
		return s.Workspace.Create(catalog.NewNotebook{Name: in.Name, Kind: in.Kind})
	}
	if in.Name != "" || in.Kind != "" {
		return "", errors.New("name and kind are those of a new agent: leave them out, or leave out the notebook")
	}
	n, err := s.find(in.Notebook)
	return n.File, err
}

// turn waits until no other request runs a prompt in a notebook: cancelling a run also ends what is
// queued behind it. end lets the next request in.
func (s *server) turn(ctx context.Context, path string) (end func(), err error) {
	_, meta, err := s.Workspace.Line(path)
	if err != nil {
		return nil, err
	}
	for {
		var before chan struct{}
		mine := make(chan struct{})
		s.turns.Do(func(turns *map[string]chan struct{}) {
			if before = (*turns)[meta.UUID]; before == nil {
				(*turns)[meta.UUID] = mine
			}
		})
		if before == nil {
			return func() {
				s.turns.Do(func(turns *map[string]chan struct{}) { delete(*turns, meta.UUID) })
				close(mine)
			}, nil
		}
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// following follows a run from its prompt to its end.
type following struct {
	*server
	path    string // of the notebook, which may be renamed during the run
	cell    string
	told    *progress
	comes   *event.Subscription
	refused []refusal
}

// start adds the prompt and runs it.
func (f *following) start(prompt string) error {
	f.comes = f.Workspace.Events().Subscribe(func(e event.Event) bool {
		switch e.(type) {
		case event.NotebookMoved, event.Delta, event.MessagePut, event.RunQueued, event.RunWaiting, event.RunFinished, event.TreeChanged, event.ApprovalsChanged:
			return true
		}
		return false
	})
	made, err := f.Workspace.Edit(f.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: prompt}}, "")
	if err != nil {
		return err
	}
	f.cell = made.ID
	for _, r := range ref.Find(prompt) {
		if r.IsTool() && f.Policy.Withholds(r.Tool) {
			f.refused = append(f.refused, refusal{r.Tool, "it stands in the prompt, and its call needs a person"})
		}
	}
	_, err = f.Workspace.Run(f.path, f.cell, runner.RunCell)
	return err
}

// forget ends what start began.
func (f *following) forget() {
	if f.comes != nil {
		f.comes.Close()
	}
	_ = f.Workspace.CloseNotebook(f.path) // nobody looks at it
}

// untilEnd waits for the end of the run. When ctx ends it stops the run and the agents that it
// started.
func (f *following) untilEnd(ctx context.Context) event.RunFinished {
	for {
		switch e := f.comes.Next(ctx).(type) {
		case nil:
			ctx = context.Background()
			if f.Workspace.Unqueue(f.path, f.cell) != nil { // it has already begun
				_ = f.Workspace.StopTree(f.path)
			}
		case event.NotebookMoved:
			if e.From == f.path {
				f.path = e.To
			}
		case event.TreeChanged:
			for _, n := range e.Nodes {
				if n.File == f.path {
					f.told.say(n.Action)
				}
			}
		case event.Delta:
			if e.Cell == f.cell {
				f.told.writing(e.Text)
			}
		case event.RunQueued:
			if e.Cell == f.cell {
				f.told.say("waiting for its turn")
			}
		case event.RunWaiting:
			if e.Cell == f.cell && e.UntilMs > 0 {
				f.told.say(e.Reason + ": trying again")
			}
		case event.MessagePut:
			if e.Cell == f.cell {
				f.put(e.Message)
			}
		case event.ApprovalsChanged: // follow refuses them
			for _, r := range e.Added {
				if r.Cell == f.cell {
					f.refused = append(f.refused, refusal{r.Tool, clip.OneLine(r.Action) + ": " + nobody})
				}
			}
		case event.RunFinished:
			if e.Cell == f.cell {
				return e
			}
		}
	}
}

// put notes a call that was refused because it needs a person.
func (f *following) put(m notebook.MessageView) {
	if m.Role != chat.Tool || m.Facts == nil || !f.Policy.Withholds(m.Name) {
		return
	}
	if m.Facts.End == chat.CallRefused || m.Facts.End == chat.CallRejected {
		f.refused = append(f.refused, refusal{m.Name, "its call needs a person, and nobody can be asked in this run"})
	}
}

// result is the answer to the client once the run has ended and is on disk.
func (f *following) result(end event.RunFinished) (runOutput, error) {
	saved, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	unsaved := f.Workspace.Wait(saved, f.path)
	line, _, err := f.Workspace.Line(f.path)
	if err != nil {
		return runOutput{}, err
	}
	out := runOutput{Notebook: f.path, Outcome: string(end.Outcome), Refused: f.refused, LeftOut: f.Workspace.LeftOut(f.path)}
	if at := line.Find(f.cell); at >= 0 {
		c := line.Cell(at)
		answer, rest := pieceOf(answerOf(c), 0, readBytes)
		out.Cell, out.Answer, out.Cut = c.Number, answer, rest > 0
	}
	switch {
	case end.Fault != nil:
		out.Problem = end.Fault.Error()
	case unsaved != nil:
		out.Problem = fmt.Sprintf("the answer could not be saved: %v", unsaved)
	case end.Outcome == notebook.Stopped, end.Outcome == notebook.Interrupted:
		out.Problem = "the run was stopped; what had arrived is saved"
	case end.Outcome == notebook.StepLimit:
		out.Problem = "the run reached its limit of steps; run another prompt in this notebook to go on"
	}
	return out, nil
}

// answerOf returns the model's text of a cell, without tools and thoughts, and the text with which
// it finished its task.
func answerOf(c notebook.LineCell) string {
	var parts []string
	for _, m := range c.Messages {
		text := strings.TrimSpace(m.Content.String())
		finish := m.Role == chat.Tool && m.Name == "task_finish" && !m.IsError
		if text != "" && (m.Role == chat.Assistant || finish) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// text is the result for models that get no structured content.
func (o runOutput) text() string {
	var b strings.Builder
	b.WriteString(o.Answer)
	if o.Cut {
		b.WriteString("\n\n[Cut here: read the cell for the rest.]")
	}
	if o.Problem != "" {
		fmt.Fprintf(&b, "\n\n[The run did not end well: %s]", o.Problem)
	}
	for _, r := range o.Refused {
		fmt.Fprintf(&b, "\n\n[Refused: %s (%s)]", r.Tool, r.Why)
	}
	if len(o.LeftOut) > 0 {
		fmt.Fprintf(&b, "\n\n[Left out, because the folder is not trusted: %s]", strings.Join(o.LeftOut, ", "))
	}
	fmt.Fprintf(&b, "\n\n[Notebook %s, cell %d]", o.Notebook, o.Cell)
	return strings.TrimSpace(b.String())
}
