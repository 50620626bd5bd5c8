package prompt

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
	"mutsumi/backend/rules"
)

// collectRules assembles the rules that take effect (SPEC 5.2). Macros that they define apply to
// later texts, and are not saved (SPEC 2.6).
func (b *build) collectRules() {
	if len(b.in.Rules) == 0 {
		return
	}
	if !b.in.Trusted {
		for _, r := range b.in.Rules {
			b.left = append(b.left, &entry{kind: KindRule, key: r.Name, note: noteTrust, state: StateInert})
		}
		b.warn(Warning{Text: "this folder is not trusted: its rules were left out"})
		return
	}
	for _, r := range b.in.Rules {
		b.addRule(r, "it is too long: only its first 32 KB are sent")
	}
}

// addRule assembles a rule, unless it has no effect. cut is the note for a shortened rule.
func (b *build) addRule(r rules.Rule, cut string) {
	e := &entry{kind: KindRule, key: r.Name, note: r.Note}
	if r.Held || b.in.Held[r.Name] {
		e.note, e.state = noteHeld, StateInert
		b.left = append(b.left, e)
		b.warn(Warning{File: r.Name, Text: "this rule came or changed since the folder was trusted: it was left out"})
		return
	}
	if b.isOff(e) {
		return
	}
	doc, err := b.rule(r)
	if err != nil {
		b.warn(Warning{File: b.roots.Rel(r.Path), Text: "read rule: " + err.Error()})
		return
	}
	b.warnAll(doc.Warnings, "")
	if r.Cut {
		b.warn(Warning{File: r.Name, Text: cut})
	}
	e.content = doc.Content
	if strings.TrimSpace(e.content) != "" {
		b.rules.put(e)
	}
}

// rule assembles a rule. The program reads its file whatever the agent may touch; links must not
// lead out of its folder.
func (b *build) rule(r rules.Rule) (assemble.Document, error) {
	if r.Path == "" || r.Cut {
		return b.asm.Inline(b.ctx, assemble.Text{Text: r.Text, File: r.Path}), nil
	}
	door, err := files.New(b.in.Workspace, []string{filepath.Dir(r.Path)})
	if err != nil {
		return assemble.Document{}, err
	}
	return b.asm.InlineFile(b.ctx, door, r.Path)
}

// ahead has the files read that the pinned items and the prompt will lead to, while the
// build does something else.
func (b *build) ahead(prompts []string) {
	var inners []string
	add := func(inner string) {
		if !b.off[(&entry{kind: KindFile, key: strings.TrimSpace(inner)}).id()] {
			inners = append(inners, inner)
		}
	}
	for _, item := range b.in.Meta.ContextItems {
		if item.Cell == "" && item.Key != "" && item.Type == string(assemble.File) {
			add(item.Key)
		}
	}
	for _, text := range prompts {
		for _, r := range ref.Find(text) {
			if _, _, resource := r.Resource(); !resource && !r.IsTool() && !strings.Contains(r.Inner, "{{") {
				add(r.Inner)
			}
		}
	}
	b.asm.Ahead(inners)
}

// collectPinned follows the pinned context items.
func (b *build) collectPinned() {
	for _, item := range b.in.Meta.ContextItems {
		switch {
		case item.Cell != "" || item.Key == "":
		case item.Type == string(assemble.File):
			if !b.isOff(&entry{kind: KindFile, key: item.Key}) {
				b.reference(item.Key, "", true)
			}
		case item.Type == string(assemble.Tool):
			b.put(&entry{kind: KindTool, key: item.Key, args: compact(item.Metadata), content: item.Content})
		}
	}
}

// reference follows one reference to a file or folder, once for a build.
func (b *build) reference(inner, cell string, earlier bool) {
	if e, ok := b.files.get((&entry{kind: KindFile, key: strings.TrimSpace(inner)}).id()); ok {
		e.cell = cell
		return
	}
	item, warnings := b.asm.Reference(b.ctx, inner)
	b.warnAll(warnings, cell)
	b.put(entryOf(item, cell, earlier))
}

// put files an entry, or leaves it out if it is switched off.
func (b *build) put(e *entry) {
	if b.isOff(e) {
		return
	}
	if e.kind == KindTool {
		b.tools.put(e)
	} else {
		b.files.put(e)
	}
}

// isOff reports whether the person switched the entry off, and notes it once.
func (b *build) isOff(e *entry) bool {
	id := e.id()
	if !b.off[id] {
		return false
	}
	if !b.noted[id] {
		b.noted[id] = true
		e.note, e.state = noteOff, StateOff
		b.left = append(b.left, e)
	}
	return true
}

// collectTurn scans an earlier prompt again (SPEC 5.3): its files as they are
// now, its tools as they were when it ran. text has its directives carried
// out; t holds the macros of that time.
func (b *build) collectTurn(turn *HistoryMessage, text string, t *macro.Table) {
	for _, r := range ref.Find(text) {
		if key := b.resourceKey(r, t); key != "" {
			b.earlierResource(turn, r, key)
			continue
		}
		if !r.IsTool() {
			b.reference(macro.Expand(r.Inner, t), turn.Cell, true)
			continue
		}
		b.earlierTool(turn, r, t)
	}
}

func (b *build) earlierTool(turn *HistoryMessage, r ref.Ref, t *macro.Table) {
	args, err := assemble.Arguments(r.Args, t)
	e := &entry{kind: KindTool, key: r.Tool, args: args, cell: turn.Cell}
	if err != nil {
		return // it failed then and would now: the message shows it as it was typed
	}
	for i := range turn.Sent.Tools {
		if run := &turn.Sent.Tools[i]; run.Name == r.Tool && bytes.Equal(compact(run.Args), args) {
			e.content = run.Result
			if run.IsError {
				e.note = noteFailed
			}
			b.put(e)
			return
		}
	}
	if b.isOff(e) {
		return
	}
	if reads, known := b.knows(r.Tool); known && reads && b.in.Trusted {
		item, warnings := b.asm.Call(b.ctx, r.Tool, args)
		b.warnAll(warnings, turn.Cell)
		e.content, e.note = item.Content, noteNow
	} else {
		e.content, e.note = "("+noteLost+"; call the tool again if it is needed)", noteLost
	}
	b.put(e)
}

func (b *build) knows(tool string) (reads, known bool) {
	if b.in.Tools == nil {
		return false, false
	}
	return b.in.Tools.Reads(tool)
}

// collectPrompt follows the references of the prompt itself and keeps the
// results of its tools.
func (b *build) collectPrompt(text string, moved bool, foreign func(call string) bool) {
	doc := b.asm.Append(b.ctx, assemble.Text{
		Text: text, Processed: true, Moved: moved, Typed: true, Foreign: foreign, FromAgent: b.in.FromAgent, Skip: b.skip,
	})
	b.warnAll(doc.Warnings, b.in.Cell)
	for _, item := range doc.Items {
		if item.Type == assemble.Resource {
			read := b.putResource(item, b.in.Cell)
			again := slices.ContainsFunc(b.res.Sent.Resources, func(r ResourceRead) bool { return r.Key == read.Key })
			if item.Content != assemble.ErrNotRead.Error() && !again {
				b.res.Sent.Resources = append(b.res.Sent.Resources, read)
			}
			continue
		}
		e := entryOf(item, b.in.Cell, false)
		if e.kind == KindTool && e.note != noteNotRun {
			b.res.Sent.Tools = append(b.res.Sent.Tools, ToolRun{Name: item.Key, Args: item.Metadata, Result: item.Content, IsError: item.Problem != ""})
		}
		b.put(e)
	}
}

// skip reports whether a reference is switched off, before it is followed.
func (b *build) skip(kind assemble.ItemType, key string, args json.RawMessage) bool {
	e := &entry{kind: KindFile, key: key, args: args, cell: b.in.Cell}
	switch kind {
	case assemble.Tool:
		e.kind = KindTool
	case assemble.Resource:
		e.kind = KindResource
	}
	return b.isOff(e)
}

// macrosOfOld returns the macros to start with when the earlier prompts are processed again, each
// adding its own: a later definition does not rewrite earlier texts. prompts are their texts in
// order, live the macros after the current prompt and the rules, before those from the notebook,
// and here the names that the current prompt defined.
func macrosOfOld(prompts []string, live *macro.Table, before map[string]string, here []string) *macro.Table {
	start := live.Map()
	for _, name := range here {
		delete(start, name)
		if v, ok := before[name]; ok {
			start[name] = v
		}
	}
	scratch := macro.New(nil)
	for _, text := range prompts {
		for _, name := range macro.Process(text, scratch, macro.Options{Prompt: true}).Defined {
			delete(start, name)
		}
	}
	return macro.New(start)
}

// texts returns the text of each piece of a content.
func texts(c chat.Content) []string {
	if c.Parts == nil {
		return []string{c.String()}
	}
	var out []string
	for _, p := range c.Parts {
		if p.Type != chat.PartImage && p.Type != chat.PartFile {
			out = append(out, p.Text)
		}
	}
	return out
}

// compact is JSON without spaces, or the text as it is if it is not JSON.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
