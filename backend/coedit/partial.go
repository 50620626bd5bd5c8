package coedit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/fault"
	"mutsumi/backend/tool"
)

// How many lines of a change a request shows.
const (
	ShownLines = 2_000  // at first
	AllLines   = 60_000 // when the person asks for the whole change
)

// Preview returns the diff of each file that a call would change, as far as its tool knows, with at
// most maxLines lines of each, and the fingerprint of these changes. fails reports that the call
// would be rejected, given the present files.
func Preview(ctx context.Context, call tool.Call, maxLines int) (changes []approval.FileChange, print string, fails bool) {
	changes = []approval.FileChange{}
	preview, err := changesOf(ctx, call)
	if err != nil {
		return changes, "", true
	}
	for _, c := range preview {
		changes = append(changes, fileChange(c, maxLines))
	}
	return changes, fingerprint(preview), false
}

func fileChange(c tool.Change, maxLines int) approval.FileChange {
	f := approval.FileChange{Path: c.Path, New: c.New, Lines: []approval.Line{}, Hunks: []string{}}
	if f.Plain = checkpoint.Comparable([]byte(c.Before), []byte(c.After)); f.Plain != "" {
		return f
	}
	hunks, added, removed := checkpoint.Compare(c.Before, c.After)
	f.Added, f.Removed = added, removed
	for _, h := range hunks {
		f.Hunks = append(f.Hunks, h.ID)
		room := maxLines - len(f.Lines)
		if room <= 0 {
			f.More += len(h.Lines)
			continue
		}
		f.Lines = append(f.Lines, approval.Line{Op: "@", Text: fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.From, h.FromN, h.To, h.ToN)})
		for i, l := range h.Lines {
			if i >= room {
				f.More += len(h.Lines) - i
				break
			}
			f.Lines = append(f.Lines, approval.Line{Op: l[:1], Text: l[1:]})
		}
	}
	return f
}

// Without returns the arguments of write_file or edit_file for the same change without the excluded
// hunks, and a note for the model about them. Errors: Conflict if the change differs from the one
// shown, Invalid if nothing is left or the hunks cannot be separated.
func Without(ctx context.Context, tools *tool.Registry, name, arguments string, excluded []string) (rest, note string, err error) {
	whole, err := onlyChange(ctx, tools, name, arguments)
	if err != nil {
		return "", "", err
	}
	after, err := checkpoint.Without(whole.Before, whole.After, excluded)
	if err != nil {
		return "", "", err
	}
	if after == whole.Before {
		return "", "", fault.New(fault.Invalid, "no part of the change is left: reject it instead")
	}
	var args any
	switch name {
	case "write_file":
		args = map[string]any{"uri": whole.Path, "content": after}
	case "edit_file":
		args = map[string]any{"uri": whole.Path, "edits": replacements(whole.Before, after)}
	default:
		return "", "", fault.New(fault.Invalid, "a call of %s has no parts that could be left out", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return "", "", err
	}
	got, err := onlyChange(ctx, tools, name, string(raw))
	if err != nil || got.After != after {
		return "", "", fault.New(fault.Invalid, "these parts cannot be left out by themselves: edit the change instead, or reject it")
	}
	return string(raw), describeExcluded(whole.After, after), nil
}

// onlyChange returns the change of a call that changes exactly one file.
func onlyChange(ctx context.Context, tools *tool.Registry, name, arguments string) (tool.Change, error) {
	call, err := tools.Prepare(name, arguments)
	if err != nil {
		return tool.Change{}, fault.New(fault.Invalid, "the changed arguments cannot be used: %w", err)
	}
	if call.Preview == nil {
		return tool.Change{}, fault.New(fault.Invalid, "a call of %s has no parts that could be left out", name)
	}
	changes, err := changesOf(ctx, call)
	switch {
	case err != nil:
		return tool.Change{}, fault.New(fault.Conflict, "the change cannot be made any more: %w", err)
	case len(changes) != 1:
		return tool.Change{}, fault.New(fault.Invalid, "a call of %s has no parts that could be left out", name)
	}
	return changes[0], nil
}

// replacement is one edit in the arguments of edit_file.
type replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// replacements returns edits, one for each hunk in order, that turn one text into
// another. Lines around a hunk are added until its old text occurs only once.
func replacements(before, after string) []replacement {
	hunks, _, _ := checkpoint.Compare(before, after)
	a := strings.SplitAfter(before, "\n")
	b := strings.SplitAfter(after, "\n")
	var out []replacement
	text, ahead := before, 0 // the text after the edits so far, and how many lines it has grown by
	for i, h := range hunks {
		from, to := h.From-1, h.From-1+h.FromN
		newFrom, newTo := h.To-1, h.To-1+h.ToN
		if h.FromN == 0 {
			from, to = h.From, h.From
		}
		if h.ToN == 0 {
			newFrom, newTo = h.To, h.To
		}
		// Context doubles each time, so that a file of a thousand equal lines takes
		// ten attempts.
		for more := 1; ; more *= 2 {
			old := strings.Join(a[from:to], "")
			at := offset(text, from+ahead)
			if old != "" && strings.Index(text, old) == at && !strings.Contains(text[at+1:], old) {
				fresh := strings.Join(b[newFrom:newTo], "")
				out = append(out, replacement{old, fresh})
				text = text[:at] + fresh + text[at+len(old):]
				ahead += h.ToN - h.FromN
				break
			}
			first, last := 0, len(a) // the lines between its neighbours
			if i > 0 {
				first = hunks[i-1].From - 1 + hunks[i-1].FromN
			}
			if i < len(hunks)-1 {
				last = hunks[i+1].From - 1
			}
			up, down := min(more, from-first), min(more, last-to, len(b)-newTo)
			if up <= 0 && down <= 0 { // not unique between its neighbours: replace the whole text
				return []replacement{{before, after}}
			}
			up, down = max(up, 0), max(down, 0)
			from, newFrom, to, newTo = from-up, newFrom-up, to+down, newTo+down
		}
	}
	return out
}

// offset returns where a line, counted from 0, begins in a text, in bytes.
func offset(text string, line int) int {
	at := 0
	for ; line > 0; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// maxExcludedLines is how many excluded lines the note for the model contains.
const maxExcludedLines = 80

// describeExcluded returns the note for the model about the parts of a change that the
// person excluded.
func describeExcluded(wanted, got string) string {
	hunks, _, _ := checkpoint.Compare(got, wanted)
	var b strings.Builder
	b.WriteString("The person approved this change without the following part of it; the file has the rest:")
	n := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			if n++; n > maxExcludedLines {
				b.WriteString("\n...")
				return b.String()
			}
			b.WriteString("\n" + l)
		}
	}
	return b.String()
}
