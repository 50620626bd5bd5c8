package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/tool"
)

type replacement struct {
	Old string `json:"old" jsonschema:"the exact text that is there now, whole lines where possible"`
	New string `json:"new" jsonschema:"what takes its place"`
	All bool   `json:"all,omitempty" jsonschema:"replace every occurrence"`
}

type editFileIn struct {
	URI   string        `json:"uri" jsonschema:"the file: relative to the workspace or absolute"`
	Edits []replacement `json:"edits" jsonschema:"replacements, carried out one after the other: all of them or none"`
}

func (in editFileIn) Action() string { return "editing " + base(in.URI) }

func (in editFileIn) Check() error {
	if len(in.Edits) == 0 {
		return errors.New("there are no edits: give at least one replacement")
	}
	for i, e := range in.Edits {
		switch {
		case e.Old == "":
			return fmt.Errorf("edit %d: old is empty. Give the text that is to be replaced; write_file makes a new file", i+1)
		case e.Old == e.New:
			return fmt.Errorf("edit %d: old and new are the same", i+1)
		}
	}
	return nil
}

func editFile(o Options) tool.Tool {
	return tool.Previewed(tool.Spec{
		Name: "edit_file", Description: describe("edit_file"), Arguments: withPaths(map[string]string{"replacements": "edits", "changes": "edits"}),
	}, func(_ context.Context, env tool.Env, in editFileIn) tool.Result {
		before, after, count, err := o.edit(env, in)
		if res, idle := o.editIdle(in, before, after, err); idle {
			return res
		}
		if !env.Agrees(tool.Change{Path: in.URI, Before: string(before), After: string(after)}) {
			return notApproved(in.URI)
		}
		since := o.changedSince(in.URI, before)
		if err := o.save(in.URI, after); err != nil {
			return tool.Error(err.Error())
		}
		res := tool.Text(fmt.Sprintf("Edited %s, %d replacements:\n%s%s", in.URI, count, unified(string(before), string(after), 60), since))
		res.Facts = changeFacts(string(before), string(after))
		return res
	}, func(_ context.Context, env tool.Env, in editFileIn) ([]tool.Change, error) {
		before, after, _, err := o.peek().edit(env, in)
		return []tool.Change{{Path: in.URI, Before: string(before), After: string(after)}}, err
	}, func(_ context.Context, env tool.Env, in editFileIn) (tool.Result, bool) {
		before, after, _, err := o.edit(env, in)
		return o.editIdle(in, before, after, err)
	})
}

// editIdle returns the result of an edit that writes nothing.
func (o Options) editIdle(in editFileIn, before, after []byte, err error) (res tool.Result, idle bool) {
	switch {
	case err != nil:
		res := failed(o.Roots, in.URI, err)
		var m misfit
		if errors.As(err, &m) {
			res.Facts = &chat.CallFacts{Line: m.line}
		}
		return res, true
	case bytes.Equal(before, after):
		return tool.Text(in.URI + " is the same after these edits: nothing was written."), true
	}
	return tool.Result{}, false
}

// edit computes the new content and writes nothing.
func (o Options) edit(env tool.Env, in editFileIn) (before, after []byte, count int, err error) {
	before, err = o.current(in.URI, false, env.Afresh)
	if err == nil && before == nil {
		_, err = o.Roots.Stat(in.URI)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	after = before
	for i, e := range in.Edits {
		var n int
		if after, n, err = e.apply(in.URI, after); err != nil {
			return nil, nil, 0, fmt.Errorf("nothing was written. Edit %d of %d: %w", i+1, len(in.Edits), err)
		}
		count += n
	}
	return before, after, count, nil
}

// misfit is why a replacement cannot be made: for the model, and in a line for
// a person.
type misfit struct {
	error
	line string
}

// apply carries out one replacement. Everything is compared as text: nothing
// in old or new has a meaning of its own.
func (e replacement) apply(name string, raw []byte) ([]byte, int, error) {
	f, err := openText(name, raw)
	if err != nil {
		return nil, 0, err
	}
	old := strings.ReplaceAll(e.Old, "\r\n", "\n")
	var found [][2]int
	for at := 0; ; {
		i := strings.Index(f.text[at:], old)
		if i < 0 {
			break
		}
		found = append(found, [2]int{at + i, at + i + len(old)})
		at += i + len(old)
		if !e.All { // what overlaps is a second place as well
			at += 1 - len(old)
		}
		if !e.All && len(found) == 6 {
			break
		}
	}
	switch {
	case len(found) == 0:
		return nil, 0, misfit{e.notFound(f.text, old), "The text to replace is not in the file"}
	case len(found) > 1 && !e.All:
		return nil, 0, misfit{
			fmt.Errorf("old stands in several places (lines %s). Add lines around it until it stands for one place, or set all", lineList(f.text, found)),
			"The text to replace stands in several places",
		}
	}
	return f.replace(found, e.New), len(found), nil
}

func lineList(text string, found [][2]int) string {
	var parts []string
	for i, at := range found {
		if i == 5 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprint(strings.Count(text[:at[0]], "\n")+1))
	}
	return strings.Join(parts, ", ")
}

// notFound explains why old does not match: it shows places that differ only in white space, or
// else lines that begin alike.
func (e replacement) notFound(text, old string) error {
	have, want := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\n"), "\n")
	if at, n := nearLines(have, want); n > 0 {
		shown := strings.Join(have[at:at+len(want)], "\n")
		more := ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d more places)", n-1)
		}
		return fmt.Errorf("old is not in the file as it is given, but lines %d to %d%s differ from it in white space only%s. They are exactly:\n%s\nGive old in this form", at+1, at+len(want), more, spaceHint(have[at:at+len(want)], want), clip.Text(shown, 4000))
	}
	first := squeeze(want[0])
	for i, line := range have {
		if first != "" && squeeze(line) == first {
			to := min(len(have), i+len(want)+1)
			return fmt.Errorf("old is not in the file. Its first line is at line %d, but what follows differs; there is:\n%s", i+1, clip.Text(strings.Join(have[i:to], "\n"), 4000))
		}
	}
	return errors.New("old is not in the file: read the part again and copy the text exactly")
}

// nearLines looks for want among the lines of have, ignoring white space; n is how many places
// there are, at the first.
func nearLines(have, want []string) (at, n int) {
	target := make([]string, len(want))
	for i, l := range want {
		target[i] = squeeze(l)
	}
	if strings.Join(target, "") == "" {
		return 0, 0
	}
	lines := make([]string, len(have))
	for i, l := range have {
		lines[i] = squeeze(l)
	}
	hay, needle := "\n"+strings.Join(lines, "\n")+"\n", "\n"+strings.Join(target, "\n")+"\n"
	first := strings.Index(hay, needle)
	if first < 0 {
		return 0, 0
	}
	return strings.Count(hay[:first], "\n"), strings.Count(hay, needle)
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// spaceHint describes the difference if it is a common one.
func spaceHint(have, want []string) string {
	tabs := func(lines []string) (n int) {
		for _, l := range lines {
			if strings.HasPrefix(l, "\t") {
				n++
			}
		}
		return n
	}
	switch h, w := tabs(have), tabs(want); {
	case h > 0 && w == 0:
		return " (the file is indented with tabs)"
	case h == 0 && w > 0:
		return " (the file is indented with spaces)"
	}
	for i := range have {
		if strings.TrimRight(have[i], " \t") != have[i] && strings.TrimRight(have[i], " \t") == strings.TrimRight(want[i], " \t") {
			return " (there is white space at ends of lines)"
		}
	}
	return ""
}
