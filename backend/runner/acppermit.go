package runner

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/acp"
	"mutsumi/backend/agent"
	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Permit implements acp.Host. A write or a command is judged as a call of our own tool that does
// the same, by the same rules. The agent never learns an "always": the rules stay with the program.
func (h *acpHost) Permit(ctx context.Context, p acp.Permission) (option string, err error) {
	if q, is := question(p); is && h.approver != nil {
		return h.choose(ctx, p, q.Text, q.Choices)
	}
	h.Begins(p.Call)
	yes, no := optionOf(p.Options, "allow_once"), optionOf(p.Options, "reject_once", "reject_always")
	asks, err := h.asked(p)
	for _, a := range asks {
		if err == nil {
			_, err = h.decide(ctx, a.Ask)
		}
		if err == nil && a.key != "" {
			h.permit(a.key)
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		var by refused
		if errors.As(err, &by) {
			return no, nil
		}
		h.doc.setAction(clip.Line("not allowed: "+err.Error(), 120))
		return no, nil
	}
	if p.Call.Kind != "execute" {
		h.keep(p.Call)
	}
	return yes, nil
}

// optionOf returns the id of the first option of the first kind that there is; "": there is none.
func optionOf(options []acp.PermissionOption, kinds ...string) string {
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == kind {
				return o.ID
			}
		}
	}
	return ""
}

// choose has the person choose one of an agent's own options.
func (h *acpHost) choose(ctx context.Context, p acp.Permission, text string, choices []string) (option string, err error) {
	ask := agents{h.doc.runner}.Ask(h.spec)
	a, err := ask(ctx, tool.Env{CallID: p.Call.ID}, builtin.Question{Text: text, Choices: choices})
	if err != nil || a.Declined {
		return optionOf(p.Options, "reject_once", "reject_always"), err
	}
	i := slices.IndexFunc(p.Options, func(o acp.PermissionOption) bool { return o.Name == a.Text })
	if i < 0 { // the person wrote an answer of their own, which the agent does not take
		return optionOf(p.Options, "reject_once", "reject_always"), nil
	}
	return p.Options[i].ID, nil
}

// asking is one decision about a call of an agent. key is what the agent may then do through the
// program without another decision; "": nothing.
type asking struct {
	agent.Ask
	key string
}

// asked lists the decisions about a call; none: it may run.
func (h *acpHost) asked(p acp.Permission) ([]asking, error) {
	c := p.Call
	var all []asking
	add := func(name string, args map[string]any, key string) error {
		made, call, err := h.prepare(name, args)
		if err != nil {
			return err
		}
		made.ID = c.ID
		all = append(all, asking{agent.Ask{CallID: c.ID, Made: made, Call: call, Why: p.Why}, key})
		return nil
	}
	switch {
	case c.Kind == "execute" && commandOf(c) != "":
		args := map[string]any{"command": commandOf(c)}
		if dir := inputText(c, "cwd", "workdir", "working_directory", "directory", "dir_path", "dir"); dir != "" {
			args["folder"] = dir
		}
		return all, add("shell", args, h.permitKey("shell", args))
	case c.Kind == "edit" && len(c.Changes) > 0:
		for _, x := range c.Changes {
			name, args, after := h.changeCall(x)
			if err := add(name, args, h.permitKey("write_file", map[string]any{"uri": h.roots.Rel(x.Path), "content": after})); err != nil {
				return nil, err
			}
		}
		return all, nil
	case (c.Kind == "read" || c.Kind == "search") && len(c.Locations) > 0 && !slices.ContainsFunc(c.Locations, func(l acp.Location) bool { return !h.roots.Allowed(l.Path) }):
		return nil, nil // what its own tools read there needs no approval either
	}
	call := h.ownCall(c)
	return []asking{{agent.Ask{CallID: c.ID, Made: chat.ToolCall{ID: c.ID, Function: chat.Function{Name: call.Tool.Name(), Arguments: string(call.Args)}}, Call: call, Why: p.Why}, ""}}, nil
}

// changeCall returns the call of ours that makes a change, and the text of the file after it: a
// write of the whole file where the agent says all that is in it, otherwise an edit of the text
// that it replaces.
func (h *acpHost) changeCall(x acp.Change) (name string, args map[string]any, after string) {
	h.knows(x.Path)
	if now, err := h.roots.Read(x.Path, maxACPFile); err == nil && x.Before != "" && now != x.Before && strings.Contains(now, x.Before) {
		edits := []map[string]any{{"old": x.Before, "new": x.After}}
		return "edit_file", map[string]any{"uri": h.roots.Rel(x.Path), "edits": edits}, strings.Replace(now, x.Before, x.After, 1)
	}
	return "write_file", map[string]any{"uri": h.roots.Rel(x.Path), "content": x.After}, x.After
}

// commandOf returns the command that a call runs, as a line for the shell; "": it does not say.
func commandOf(c acp.ToolCall) string {
	var in map[string]any
	if json.Unmarshal(c.Input, &in) != nil {
		in = nil
	}
	for _, name := range []string{"command", "cmd", "script"} {
		switch v := in[name].(type) {
		case string:
			if strings.TrimSpace(v) != "" {
				return v
			}
		case []any:
			if line := wordsLine(v); line != "" {
				return line
			}
		}
	}
	if t := strings.TrimSpace(c.Title); len(t) > 2 && t[0] == '`' && t[len(t)-1] == '`' {
		return strings.Trim(t, "`")
	}
	return ""
}

// wordsLine returns a command that is given as words: the script itself, if they start a shell with
// one.
func wordsLine(words []any) string {
	var all []string
	for _, w := range words {
		text, ok := w.(string)
		if !ok {
			return ""
		}
		all = append(all, text)
	}
	if len(all) == 3 && (all[1] == "-c" || all[1] == "-lc") && slices.Contains([]string{"bash", "sh", "zsh"}, filepath.Base(all[0])) {
		return all[2]
	}
	line, err := approval.LineOf(all, nil)
	if err != nil {
		return ""
	}
	return line
}

// inputText returns the first member of a call's input that is a text; "": there is none.
func inputText(c acp.ToolCall, names ...string) string {
	var in map[string]any
	if json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	for _, name := range names {
		if text, ok := in[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// ownCall describes a call that no tool of ours makes, for its approval.
func (h *acpHost) ownCall(c acp.ToolCall) tool.Call {
	args := map[string]any{"title": c.Title}
	if c.Input != nil {
		args["input"] = c.Input
	}
	if paths := pathsOf(c); len(paths) == 1 {
		args["uri"] = paths[0]
	} else if len(paths) > 1 {
		args["files"] = paths
	}
	raw, err := json.Marshal(args)
	if err != nil { // its input is no JSON
		raw, _ = json.Marshal(map[string]any{"title": c.Title})
	}
	return tool.Call{Tool: acpTool("acp_" + c.Kind), Args: raw, Action: clip.Line(c.Title, 120)}
}

// acpTool is a tool of an agent, which only it can run.
type acpTool string

// Name implements tool.Tool.
func (t acpTool) Name() string { return string(t) }

// Description implements tool.Tool.
func (t acpTool) Description() string { return "" }

// Schema implements tool.Tool.
func (t acpTool) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }

// Reads implements tool.Tool.
func (t acpTool) Reads() bool { return false }

// Parse implements tool.Tool.
func (t acpTool) Parse(json.RawMessage) (tool.Call, error) {
	return tool.Call{}, errors.New("only the agent that has this tool can run it")
}
