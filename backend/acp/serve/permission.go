package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/approval"
	"mutsumi/backend/clip"
	"mutsumi/backend/lazyregexp"
)

// What the person can choose.
const (
	optionAllow  = "allow"
	optionAlways = "always"
	optionReject = "reject"
	optionAnswer = "answer " // a number follows
)

// decide asks the editor for a decision. stop: the person cancelled the prompt instead.
func (t *turn) decide(ctx context.Context, call acp.ToolCallUpdate, r approval.Request) (d approval.Decision, stop bool) {
	if r.Question != nil && t.forms.Load() {
		if d, err := t.form(ctx, call.ToolCallId, *r.Question); err == nil {
			return d, false
		}
	}
	if r.Question != nil && len(r.Question.Choices) == 0 {
		return approval.Decision{Reason: "the editor can only pass on a choice, no text: offer choices, or ask in your answer"}, false
	}
	var answer acp.RequestPermissionResponse
	err := t.ask(ctx, acp.ClientMethodSessionRequestPermission, acp.RequestPermissionRequest{
		SessionId: acp.SessionId(t.id), ToolCall: call, Options: choices(r),
	}, &answer)
	if err != nil {
		return approval.Decision{Reason: "the editor could not ask: " + clip.VisibleLine(err.Error(), 300)}, false
	}
	if answer.Outcome.Selected == nil {
		return approval.Decision{}, true
	}
	d = decisionOf(r, string(answer.Outcome.Selected.OptionId))
	if d.Allow && r.Question == nil {
		t.update(t.id, acp.UpdateToolCall(call.ToolCallId, acp.WithUpdateStatus(acp.ToolCallStatusInProgress)))
	}
	return d, false
}

// choices lists what the person can answer.
func choices(r approval.Request) (all []acp.PermissionOption) {
	if r.Question != nil {
		for i, c := range r.Question.Choices {
			all = append(all, acp.PermissionOption{OptionId: acp.PermissionOptionId(optionAnswer + strconv.Itoa(i)), Name: title(c), Kind: acp.PermissionOptionKindAllowOnce})
		}
		return append(all, acp.PermissionOption{OptionId: optionReject, Name: "Do not answer", Kind: acp.PermissionOptionKindRejectOnce})
	}
	all = append(all, acp.PermissionOption{OptionId: optionAllow, Name: "Allow", Kind: acp.PermissionOptionKindAllowOnce})
	if patterns := patternsOf(r); len(patterns) > 0 {
		all = append(all, acp.PermissionOption{
			OptionId: optionAlways, Kind: acp.PermissionOptionKindAllowAlways,
			Name: clip.VisibleLine("Always allow in this session: "+strings.Join(patterns, ", "), 200),
		})
	}
	return append(all, acp.PermissionOption{OptionId: optionReject, Name: "Reject", Kind: acp.PermissionOptionKindRejectOnce})
}

// patternsOf are those of the first suggestion, as the window has chosen it at first.
func patternsOf(r approval.Request) []string {
	if len(r.Suggestions) == 0 {
		return nil
	}
	return r.Suggestions[0].Patterns
}

// decisionOf is the decision of a person who chose an option. What was not offered rejects.
func decisionOf(r approval.Request, chosen string) approval.Decision {
	if r.Question != nil {
		if n, ok := strings.CutPrefix(chosen, optionAnswer); ok {
			if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(r.Question.Choices) {
				return approval.Decision{Allow: true, Answer: r.Question.Choices[i]}
			}
		}
		return approval.Decision{}
	}
	switch chosen {
	case optionAllow:
		return approval.Decision{Allow: true, Seen: r.Fingerprint, SeenMs: r.SeenMs()}
	case optionAlways:
		if patterns := patternsOf(r); len(patterns) > 0 {
			return approval.Decision{Allow: true, Seen: r.Fingerprint, SeenMs: r.SeenMs(), Scope: approval.Notebook, Patterns: patterns}
		}
	}
	return approval.Decision{}
}

// sameToThePerson reports whether two versions of a request ask the person the same.
func sameToThePerson(a, b approval.Request) bool {
	return a.Fingerprint == b.Fingerprint && a.Arguments == b.Arguments && a.SeenMs() == b.SeenMs() && len(a.Conflicts) == len(b.Conflicts) && len(a.Changes) == len(b.Changes)
}

// about says what a person should know who decides about a request.
func about(r approval.Request) (all []acp.ToolCallContent) {
	var lines []string
	add := func(s string) {
		if s = strings.TrimSpace(clip.Visible(s)); s != "" {
			lines = append(lines, clip.Text(s, 4000))
		}
	}
	if r.Question != nil {
		add(r.Question.Text)
	} else {
		add(r.Why)
	}
	var shell struct {
		Command string `json:"command"`
	}
	if r.Command != nil && json.Unmarshal([]byte(r.Arguments), &shell) == nil && shell.Command != "" {
		command := clip.Visible(shell.Command) // whole: it is what the person allows
		fence := fenceFor(command)
		lines = append(lines, fence+"sh\n"+command+"\n"+fence)
	}
	for _, w := range r.Warnings {
		add("- " + w.Text)
	}
	for _, c := range r.Conflicts {
		add(fmt.Sprintf("- %s was written by the agent %s", c.File, c.Agent))
	}
	for _, c := range r.Changes {
		if c.Plain != "" {
			add(fmt.Sprintf("- %s: +%d -%d lines (%s)", c.Path, c.Added, c.Removed, c.Plain))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(strings.Join(lines, "\n\n")))}
}

// changesOf returns what a request would do to files, with whole texts where they can be known.
func (f *folder) changesOf(r approval.Request) (all []acp.ToolCallContent) {
	if slices.ContainsFunc(r.Changes, func(c approval.FileChange) bool { return c.More > 0 }) {
		if whole, err := f.ws.PreviewApproval(r.ID, ""); err == nil && whole.Fingerprint == r.Fingerprint {
			r = whole
		}
	}
	for _, c := range r.Changes {
		file := f.absolute(c.Path)
		if c.Plain != "" || len(c.Lines) == 0 || file == "" {
			continue
		}
		if c.New {
			_, added := sides(c.Lines)
			all = append(all, acp.ToolDiffContent(file, added))
			continue
		}
		if before, ok := smallFile(file); ok {
			if after, ok := patched(before, c.Lines); ok {
				all = append(all, acp.ToolDiffContent(file, after, before))
				continue
			}
		}
		removed, added := sides(c.Lines)
		all = append(all, acp.ToolDiffContent(file, added, removed))
	}
	return all
}

// sides returns the lines of a difference as they were, and as they become.
func sides(lines []approval.Line) (before, after string) {
	var b, a strings.Builder
	for _, l := range lines {
		switch l.Op {
		case "-":
			b.WriteString(l.Text + "\n")
		case "+":
			a.WriteString(l.Text + "\n")
		case " ":
			b.WriteString(l.Text + "\n")
			a.WriteString(l.Text + "\n")
		}
	}
	return b.String(), a.String()
}

var hunk = lazyregexp.New(`^@@ -(\d+)(?:,(\d+))? \+`)

// patched applies a difference to a text; ok is false where it does not fit.
func patched(text string, lines []approval.Line) (after string, ok bool) {
	before := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0 // the next line of before
	for _, l := range lines {
		if l.Op == "@" {
			m := hunk.FindStringSubmatch(l.Text)
			if m == nil {
				return "", false
			}
			from, _ := strconv.Atoi(m[1])
			if m[2] != "0" {
				from-- // the line before, unless there are none
			}
			if from < at || from > len(before) {
				return "", false
			}
			out.WriteString(strings.Join(before[at:from], ""))
			at = from
			continue
		}
		if l.Op == "+" {
			out.WriteString(l.Text + "\n")
			continue
		}
		if at >= len(before) || strings.TrimRight(before[at], "\r\n") != strings.TrimRight(l.Text, "\r\n") {
			return "", false
		}
		if l.Op == " " {
			out.WriteString(before[at])
		}
		at++
	}
	out.WriteString(strings.Join(before[at:], ""))
	return out.String(), true
}
