package prompt

import (
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
	"mutsumi/backend/slashcommand"
)

// invoked is a prompt that begins with `/name`, and its command once that was found.
type invoked struct {
	name      string
	arguments string // directives carried out
	sent      *SentCommand
}

// invocation reports whether a content begins as a command does; text is its first text,
// directives carried out, which leave the name alone.
func invocation(c chat.Content, typed, text string) *invoked {
	if c.Parts != nil && c.Parts[0].Type != chat.PartText {
		return nil
	}
	name, _, ok := slashcommand.Split(typed)
	if !ok {
		return nil
	}
	return &invoked{name: name, arguments: strings.TrimSpace(strings.TrimPrefix(text, "/"+name))}
}

// command replaces the prompt that names a command with the command's text, and returns the record
// for the notebook; nil: the prompt is plain text. Like a file's, its macros apply to this build
// only.
func (b *build) command(p *processed) *SentCommand {
	if p.invoked == nil || b.in.Command == nil {
		return nil
	}
	c, err := b.in.Command(p.name)
	if fault.Is(err, fault.NotFound) {
		return b.serverPrompt(p)
	}
	if err != nil {
		b.warn(Warning{Text: fmt.Sprintf("/%s was sent as it stands: %s", p.name, err), Cell: b.in.Cell})
		return nil
	}
	if c.Problem != "" {
		b.warn(Warning{File: c.Path, Line: 1, Text: c.Problem, Cell: b.in.Cell})
	}
	if slashcommand.RunsShell(c.Text) {
		b.warn(Warning{File: c.Path, Text: "!`…` is not carried out here: it is sent as it stands", Cell: b.in.Cell})
	}
	sent := &SentCommand{Name: c.Name, Path: c.Path, Text: c.Text}
	p.fill(sent, b.macros, func(w macro.Warning) {
		if w.Line += c.Above; strings.Contains(p.arguments, "\n") {
			w.Line = 0 // filled-in values moved the lines
		}
		b.warn(Warning{File: c.Path, Line: w.Line, Text: w.Text, Cell: b.in.Cell})
	})
	return sent
}

// commandOfOld puts the text that an earlier prompt's command had in its place, and
// returns the macros for it. In a folder that is not trusted, which may have brought the
// notebook with it, the prompt is plain text.
func (b *build) commandOfOld(turn *HistoryMessage, p *processed, t *macro.Table) *macro.Table {
	was := turn.Sent.Command
	if was == nil || p.invoked == nil || p.name != was.Name || !b.in.Trusted {
		return t
	}
	if was.Server != "" {
		p.take(was)
		return t
	}
	t = macro.New(t.Map())
	p.fill(was, t, func(macro.Warning) {})
	return t
}

// fill carries out the directives of a command's text with its arguments filled in.
func (p *processed) fill(c *SentCommand, t *macro.Table, warn func(macro.Warning)) {
	r := macro.Process(slashcommand.Fill(c.Text, p.arguments), t, macro.Options{})
	for _, w := range r.Warnings {
		warn(w)
	}
	p.sent, p.texts[0] = c, r.Text
	p.defined = append(p.defined, r.Defined...)
}

// foreign reports the calls that nobody typed: of a command's text all but those in its arguments.
// typed reports those of a prompt without a command.
func (p *processed) foreign(piece int, typed func(call string) bool) func(call string) bool {
	if piece > 0 || p.invoked == nil || p.sent == nil {
		return typed
	}
	var calls []string
	for _, r := range ref.Find(p.arguments) {
		calls = append(calls, r.Inner)
	}
	return func(call string) bool { return !slices.Contains(calls, call) || typed != nil && typed(call) }
}

// source names the origin of a prompt's text; "": it was typed.
func (p *processed) source() string {
	if p.invoked == nil || p.sent == nil {
		return ""
	}
	if p.sent.Server != "" {
		return fmt.Sprintf("/%s, from the MCP server %s", p.sent.Name, p.sent.Server)
	}
	return fmt.Sprintf("/%s, from %s", p.sent.Name, p.sent.Path)
}
