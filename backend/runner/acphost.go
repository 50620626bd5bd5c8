package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/acp"
	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
	"mutsumi/backend/request"
	"mutsumi/backend/tool"
)

// acpHost does what an agent of elsewhere asks for, by our own tools and rules (SPEC 14.2): its
// writes and commands are calls of write_file and shell. It is safe for concurrent use.
type acpHost struct {
	doc      *doc
	run      *run
	spec     request.Spec
	roots    *files.Roots
	scratch  string
	tools    *tool.Registry // what the agent's kind may use
	name     string         // of the agent, for a person
	approver agent.Approver // nil: nobody decides, and only reading is allowed
	calls    lock.Guarded[acpCalls]
	changes  acpChanges
}

// acpCalls is what is known about the calls of a turn.
type acpCalls struct {
	open      []acp.ToolCall // announced, in order
	permitted []string       // writes and commands that were just approved, see permitKey
}

// maxOpenCalls is how many calls of a turn are remembered.
const maxOpenCalls = 200

// ReadFile implements acp.Host.
func (h *acpHost) ReadFile(_ context.Context, path string, line, limit int) (string, error) {
	if line <= 0 && limit <= 0 {
		text, err := h.roots.Read(path, maxACPFile)
		if err == nil {
			h.doc.seen.Read(files.Real(path), []byte(text), nowMs())
		}
		return text, err
	}
	first := max(1, line)
	last := 0
	if limit > 0 {
		last = first + limit - 1
	}
	return h.roots.ReadRange(path, first, last, maxACPFile)
}

// maxACPFile is the largest file that an agent reads through the program, in bytes.
const maxACPFile = 16 << 20

// WriteFile implements acp.Host.
func (h *acpHost) WriteFile(ctx context.Context, path, text string) error {
	h.knows(path)
	res, err := h.perform(ctx, "write_file", map[string]any{"uri": h.roots.Rel(path), "content": text}, func(c acp.ToolCall) bool { return names(c, path) })
	if err == nil && res.IsError {
		err = errors.New(res.Content)
	}
	return err
}

// knows notes that the agent knows a file as it is: it has tools of its own to read it. What other
// agents write during the run is a conflict all the same.
func (h *acpHost) knows(path string) {
	if now, err := h.roots.Read(path, maxACPFile); err == nil {
		h.doc.seen.Read(files.Real(path), []byte(now), h.run.startedMs)
	}
}

// Run implements acp.Host.
func (h *acpHost) Run(ctx context.Context, c acp.TerminalCommand) (acp.Terminal, error) {
	line, err := commandLine(c)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"command": line, "background": true}
	if c.Dir != "" {
		args["folder"] = c.Dir
	}
	res, err := h.perform(ctx, "shell", args, func(c acp.ToolCall) bool { return c.Kind == "execute" })
	if err != nil {
		return nil, err
	}
	if res.Task == "" { // it did not start
		return nil, errors.New(res.Content)
	}
	return acpTerminal{h.doc.runner.with.Commands, res.Task}, nil
}

// commandLine returns a command as a line for the shell.
func commandLine(c acp.TerminalCommand) (string, error) {
	if len(c.Args) > 0 {
		return approval.LineOf(append([]string{c.Command}, c.Args...), c.Env)
	}
	before, err := approval.Assignments(c.Env)
	return before + c.Command, err
}

// perform carries out a call of one of our tools for the agent, after its approval unless it was
// just given, and returns its result. It belongs to the last of the agent's own calls for which
// belongs holds. An error says why the call was not carried out.
func (h *acpHost) perform(ctx context.Context, name string, args map[string]any, belongs func(acp.ToolCall) bool) (res tool.Result, err error) {
	made, call, err := h.prepare(name, args)
	if err != nil {
		return res, err
	}
	of := h.last(belongs)
	made.ID = of.ID
	env := tool.Env{CallID: of.ID, Scratch: h.scratch, Afresh: true, Progress: h.run.progress.note}
	if !h.takePermit(h.permitKey(name, args)) {
		d, err := h.decide(ctx, agent.Ask{CallID: of.ID, Made: made, Call: call})
		if err != nil {
			return res, err
		}
		env.Approved = d.Approved
	}
	return tool.Run(ctx, env, call), nil
}

// prepare makes a call of one of our tools.
func (h *acpHost) prepare(name string, args map[string]any) (made chat.ToolCall, call tool.Call, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return made, call, err
	}
	call, err = h.tools.Prepare(name, string(raw))
	return chat.ToolCall{Type: "function", Function: chat.Function{Name: name, Arguments: string(raw)}}, call, err
}

// decide has a call decided, and returns once the notebook is saved so that it survives a crash. A
// call that may not run is an error.
func (h *acpHost) decide(ctx context.Context, ask agent.Ask) (agent.Decision, error) {
	if h.approver == nil {
		return agent.Decision{}, errors.New("nobody can be asked here: only reading is allowed")
	}
	d, err := h.approver.Approve(ctx, ask)
	switch {
	case err != nil:
		return d, err
	case d.Result != nil: // it would change nothing
		return d, nil
	case !d.Allow && d.Reason != "":
		return d, refused(d.Reason)
	case !d.Allow:
		return d, refused("the person rejected it")
	}
	return d, h.doc.Written(ctx)
}

// refused is the error of a call that somebody decided against.
type refused string

// Error implements error.
func (r refused) Error() string { return string(r) }

// Begins implements acp.Host.
func (h *acpHost) Begins(c acp.ToolCall) {
	h.calls.Do(func(s *acpCalls) {
		if i := slices.IndexFunc(s.open, func(o acp.ToolCall) bool { return o.ID == c.ID }); i >= 0 {
			s.open[i] = c
		} else if len(s.open) < maxOpenCalls {
			s.open = append(s.open, c)
		}
	})
	if c.Kind == "edit" || c.Kind == "delete" || c.Kind == "move" {
		h.keep(c)
	}
}

// Ends implements acp.Host.
func (h *acpHost) Ends(id string) { h.changes.end(id) }

// keep keeps the state of the files that a call is about to change, for undo.
func (h *acpHost) keep(c acp.ToolCall) {
	for _, path := range pathsOf(c) {
		if filepath.IsAbs(path) && h.roots.Allowed(path) {
			h.changes.begin(c.ID, path)
		}
	}
}

// last returns the last announced call for which belongs holds.
func (h *acpHost) last(belongs func(acp.ToolCall) bool) (found acp.ToolCall) {
	h.calls.Do(func(s *acpCalls) {
		for _, c := range s.open {
			if belongs(c) {
				found = c
			}
		}
	})
	return found
}

// pathsOf lists the files that a call names, each once.
func pathsOf(c acp.ToolCall) (all []string) {
	for _, x := range c.Changes {
		all = append(all, x.Path)
	}
	for _, l := range c.Locations {
		all = append(all, l.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func names(c acp.ToolCall, path string) bool { return slices.Contains(pathsOf(c), path) }

// permitKey identifies a write or a command with its folder, so that what was just approved is not
// asked again.
func (h *acpHost) permitKey(name string, args map[string]any) string {
	folder, _ := args["folder"].(string)
	raw, _ := json.Marshal([]any{name, args["uri"], args["content"], args["command"], files.Absolute(h.roots.Workspace(), folder)}) // of texts it does not fail
	return string(raw)
}

// permit notes that a write or a command was approved, for the next request that is the same.
func (h *acpHost) permit(key string) {
	h.calls.Do(func(s *acpCalls) {
		if len(s.permitted) < maxOpenCalls {
			s.permitted = append(s.permitted, key)
		}
	})
}

// takePermit reports whether a write or a command was approved, and takes the approval away.
func (h *acpHost) takePermit(key string) (given bool) {
	h.calls.Do(func(s *acpCalls) {
		if i := slices.Index(s.permitted, key); i >= 0 {
			given, s.permitted = true, slices.Delete(s.permitted, i, i+1)
		}
	})
	return given
}

// acpTerminal is a command that runs for an agent.
type acpTerminal struct {
	commands taskOwner
	id       string
}

// taskOwner is the part of commands.Commands that a terminal needs.
type taskOwner interface {
	Output(id string) string
	Ended(id string) <-chan struct{}
	Exit(id string) int
	Kill(id string)
}

// Output implements acp.Terminal.
func (t acpTerminal) Output() string { return t.commands.Output(t.id) }

// Done implements acp.Terminal.
func (t acpTerminal) Done() <-chan struct{} { return t.commands.Ended(t.id) }

// Kill implements acp.Terminal.
func (t acpTerminal) Kill() { t.commands.Kill(t.id) }

// Exit implements acp.Terminal.
func (t acpTerminal) Exit() (code int, signal string) {
	switch code = t.commands.Exit(t.id); {
	case code == -1:
		return -1, "SIGKILL"
	case code > 128 && code < 192:
		return code, fmt.Sprintf("signal %d", code-128)
	}
	return code, ""
}

// question returns what an agent asks if its options are more than yes and no.
func question(p acp.Permission) (q approval.Question, is bool) {
	allows := 0
	for _, o := range p.Options {
		if strings.HasPrefix(o.Kind, "allow") {
			allows++
		}
	}
	standard := slices.ContainsFunc(p.Options, func(o acp.PermissionOption) bool { return o.Kind == "allow_once" })
	if standard && p.Call.Kind != "switch_mode" && (p.Call.Kind != "other" || allows <= 2) {
		return q, false
	}
	q.Text = strings.TrimSpace(p.Call.Title + "\n\n" + p.Call.Text)
	for _, o := range p.Options {
		q.Choices = append(q.Choices, o.Name)
	}
	return q, true
}
