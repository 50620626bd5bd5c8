package builtin_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/tool"
)

func TestWriteFile(t *testing.T) {
	w := newWorld(t, map[string]string{"old.txt": "a\nb\n", "crlf.txt": "a\r\nb\r\n", "bom.txt": "\xEF\xBB\xBFa\n"})
	w.says(t, "write_file", `{"uri":"new/deep/x.txt","content":"one\ntwo\n"}`, "Created new/deep/x.txt, 2 lines.")
	if got := w.read(t, "new/deep/x.txt"); got != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	w.says(t, "write_file", `{"uri":"old.txt","content":"x"}`, "ERROR old.txt exists (4 B) and you have not read it: read it first, then change what is needed with edit_file")
	w.result(t, "read_file", `{"uri":"old.txt"}`)
	w.says(t, "write_file", `{"uri":"old.txt","content":"a\nc\n"}`, "Replaced old.txt:\n@@ -1,2 +1,2 @@\n a\n-b\n+c")
	w.says(t, "write_file", `{"uri":"old.txt","content":"a\nc\n"}`, "old.txt has this content already: nothing was written.")
	w.says(t, "write_file", `{"uri":"new","content":"x"}`, "ERROR new is a folder, not a file")
	for _, name := range []string{"crlf.txt", "bom.txt"} {
		w.result(t, "read_file", fmt.Sprintf(`{"uri":%q}`, name))
		w.result(t, "write_file", fmt.Sprintf(`{"uri":%q,"content":"x\ny\n"}`, name))
	}
	if got := w.read(t, "crlf.txt"); got != "x\r\ny\r\n" {
		t.Errorf("line ends were not kept: %q", got)
	}
	if got := w.read(t, "bom.txt"); got != "\xEF\xBB\xBFx\ny\n" {
		t.Errorf("the byte order mark was not kept: %q", got)
	}
	if res := w.result(t, "write_file", `{"uri":"../out.txt","content":"x"}`); !res.IsError {
		t.Errorf("outside: %+v", res)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(w.dir), "out.txt")); err == nil {
		t.Error("a file was written outside the workspace")
	}
}

// A file that somebody else changed is not overwritten; the agent gets the
// difference, and may continue from there.
func TestStaleWrites(t *testing.T) {
	for _, c := range []struct{ tool, args string }{
		{"write_file", `{"uri":"a.txt","content":"mine\n"}`},
		{"edit_file", `{"uri":"a.txt","edits":[{"old":"one","new":"mine"}]}`},
	} {
		w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
		w.result(t, "read_file", `{"uri":"a.txt"}`)
		w.write(t, "a.txt", "one\nTWO\n")
		res := w.result(t, c.tool, c.args)
		if !res.IsError || !strings.Contains(res.Content, "a.txt changed on disk since you read it: nothing was written. What changed:\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n") {
			t.Errorf("%s: %+v", c.tool, res)
		}
		if got := w.read(t, "a.txt"); got != "one\nTWO\n" {
			t.Errorf("%s overwrote: %q", c.tool, got)
		}
		if res := w.result(t, c.tool, c.args); res.IsError {
			t.Errorf("%s, knowing the difference: %+v", c.tool, res)
		}
	}
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	w.result(t, "write_file", `{"uri":"b.txt","content":"1\n"}`)
	if res := w.result(t, "write_file", `{"uri":"b.txt","content":"2\n"}`); res.IsError {
		t.Errorf("the agent knows what it wrote itself: %+v", res)
	}
}

func TestEditFile(t *testing.T) {
	for _, c := range []struct{ name, before, edits, after, says string }{
		{"one place", "a\nb\nc\n", `[{"old":"b","new":"B"}]`, "a\nB\nc\n", "Edited f, 1 replacements:\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"},
		{"several, one after the other", "a\nb\n", `[{"old":"a","new":"x"},{"old":"x\nb","new":"y"}]`, "y\n", "Edited f, 2 replacements:\n@@ -1,2 +1,1 @@\n-a\n-b\n+y"},
		{"all", "aXaXa", `[{"old":"X","new":"","all":true}]`, "aaa", "Edited f, 2 replacements:\n@@ -1,1 +1,1 @@\n-aXaXa\n+aaa"},
		{"dollars and backslashes", "x", `[{"old":"x","new":"$1 $& \\1 \\n %s"}]`, `$1 $& \1 \n %s`, "Edited f, 1 replacements:\n@@ -1,1 +1,1 @@\n-x\n+$1 $& \\1 \\n %s"},
		{"not a regular expression", "a.c abc", `[{"old":"a.c","new":"x","all":true}]`, "x abc", "Edited f, 1 replacements:\n@@ -1,1 +1,1 @@\n-a.c abc\n+x abc"},
		{"CRLF is kept", "a\r\nb\r\nc\r\n", `[{"old":"a\nb\n","new":"1\n2\n3\n"}]`, "1\r\n2\r\n3\r\nc\r\n", "Edited f, 1 replacements:\n@@ -1,3 +1,4 @@\n-a\n-b\n+1\n+2\n+3\n c"},
		{"CRLF in old and new", "a\r\nb\r\n", `[{"old":"a\r\nb","new":"x\r\ny"}]`, "x\r\ny\r\n", ""},
		{"mixed ends stay where nothing changes", "a\r\nb\nc\r\nd\r\n", `[{"old":"c","new":"C\nD"}]`, "a\r\nb\nC\r\nD\r\nd\r\n", ""},
		{"a match that ends before CRLF", "a\r\nb\r\n", `[{"old":"a","new":"x"}]`, "x\r\nb\r\n", ""},
		{"byte order mark", "\xEF\xBB\xBFa\n", `[{"old":"a","new":"b"}]`, "\xEF\xBB\xBFb\n", ""},
		{"no line break at the end", "a\nb", `[{"old":"b","new":"c"}]`, "a\nc", ""},
		{"deleting", "a\nb\nc\n", `[{"old":"b\n","new":""}]`, "a\nc\n", ""},

		{"several places", "x\ny\nx\n", `[{"old":"x","new":"z"}]`, "", "ERROR nothing was written. Edit 1 of 1: old stands in several places (lines 1, 3). Add lines around it until it stands for one place, or set all"},
		{"overlapping places", "aaa", `[{"old":"aa","new":"b"}]`, "", "ERROR nothing was written. Edit 1 of 1: old stands in several places (lines 1, 1). Add lines around it until it stands for one place, or set all"},
		{"the second fails: none is done", "a\n", `[{"old":"a","new":"b"},{"old":"zzz","new":""}]`, "", "ERROR nothing was written. Edit 2 of 2: old is not in the file: read the part again and copy the text exactly"},
		{"tabs for spaces", "func a() {\n\treturn 1\n}\n", `[{"old":"    return 1","new":"    return 2"}]`, "", "ERROR nothing was written. Edit 1 of 1: old is not in the file as it is given, but lines 2 to 2 differ from it in white space only (the file is indented with tabs). They are exactly:\n\treturn 1\nGive old in this form"},
		{"white space at ends", "a  \nb\n", `[{"old":"a\nb","new":"x"}]`, "", "ERROR nothing was written. Edit 1 of 1: old is not in the file as it is given, but lines 1 to 2 differ from it in white space only (there is white space at ends of lines). They are exactly:\na  \nb\nGive old in this form"},
		{"the first line is right", "a\nb\nc\n", `[{"old":"b\nX","new":""}]`, "", "ERROR nothing was written. Edit 1 of 1: old is not in the file. Its first line is at line 2, but what follows differs; there is:\nb\nc\n"},
		{"nothing to do", "a\n", `[{"old":"a","new":"a"}]`, "", "ERROR edit_file: edit 1: old and new are the same"},
		{"empty", "a\n", `[{"old":"","new":"a"}]`, "", "ERROR edit_file: edit 1: old is empty. Give the text that is to be replaced; write_file makes a new file"},
		{"no edits", "a\n", `[]`, "", "ERROR edit_file: there are no edits: give at least one replacement"},
		{"binary", "a\x00", `[{"old":"a","new":"b"}]`, "", "ERROR nothing was written. Edit 1 of 1: f is a binary file or UTF-16: it cannot be edited as text"},
		{"Latin-1", "caf\xe9 a", `[{"old":"a","new":"b","all":true}]`, "", "ERROR nothing was written. Edit 1 of 1: f is not UTF-8 text: it cannot be edited without changing other parts of it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"f": c.before})
			args := `{"uri":"f","edits":` + c.edits + `}`
			if c.says != "" {
				w.says(t, "edit_file", args, c.says)
			} else if res := w.result(t, "edit_file", args); res.IsError {
				t.Error(res.Content)
			}
			want := c.after
			if strings.HasPrefix(c.says, "ERROR") {
				want = c.before
			}
			if got := w.read(t, "f"); got != want {
				t.Errorf("the file holds %q, want %q", got, want)
			}
		})
	}
	w := newWorld(t, map[string]string{"main.go": ""})
	w.says(t, "edit_file", `{"uri":"main.ts","edits":[{"old":"a","new":"b"}]}`, "ERROR main.ts: no such file or folder. Did you mean main.go?")
	w.says(t, "edit_file", `{"uri":"main.go","edits":[{"old":"a"}]}`, `ERROR edit_file: in edits/items: required: missing properties: ["new"]. The arguments are uri (string), edits (array).`)
}

// An edit keeps all other bytes, whatever the line ends.
func TestEditKeepsEveryOtherByte(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	ends := []string{"\n", "\r\n"}
	w := newWorld(t, nil)
	for round := range 100 {
		name := fmt.Sprint("f", round)
		var lines []string
		for range 1 + rnd.IntN(12) {
			lines = append(lines, fmt.Sprint(rnd.IntN(4))+ends[rnd.IntN(2)])
		}
		at := rnd.IntN(len(lines))
		unique := "é" + lines[at]
		lines[at] = unique
		before := strings.Join(lines, "")
		lines[at] = "new" + unique[len("é")+1:]
		old, _ := json.Marshal("é" + unique[len("é"):len("é")+1])
		w.write(t, name, before)
		res := w.result(t, "edit_file", fmt.Sprintf(`{"uri":%q,"edits":[{"old":%s,"new":"new"}]}`, name, old))
		if got := w.read(t, name); got != strings.Join(lines, "") || res.IsError {
			t.Fatalf("%q became %q, want %q: %s", before, got, strings.Join(lines, ""), res.Content)
		}
	}
}

func TestMkdir(t *testing.T) {
	w := newWorld(t, map[string]string{"file": ""})
	w.says(t, "mkdir", `{"uri":"a/b/c"}`, "Made a/b/c.")
	w.says(t, "mkdir", `{"path":"a/b"}`, "a/b is there already.")
	w.says(t, "mkdir", `{"uri":"file"}`, "ERROR file is a file: no folder can be made there")
	if info, err := os.Stat(filepath.Join(w.dir, "a/b/c")); err != nil || !info.IsDir() {
		t.Error(err)
	}
	if res := w.result(t, "mkdir", `{"uri":"../x"}`); !res.IsError {
		t.Errorf("outside: %+v", res)
	}
}

// A preview shows the changes, changes nothing, and teaches the agent nothing: a stale file is
// still refused afterwards.
func TestPreview(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\r\ntwo\r\n"})
	preview := func(name, args string) ([]tool.Change, error) {
		call, err := w.tools.Prepare(name, args)
		if err != nil {
			t.Fatal(err)
		}
		return call.Preview(t.Context(), tool.Env{})
	}
	edit := `{"uri":"a.txt","edits":[{"old":"one","new":"ONE"}]}`
	got, err := preview("edit_file", edit)
	if want := (tool.Change{Path: "a.txt", Before: "one\r\ntwo\r\n", After: "ONE\r\ntwo\r\n"}); err != nil || got[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = preview("write_file", `{"uri":"new/b.txt","content":"x"}`)
	if want := (tool.Change{Path: "new/b.txt", After: "x", New: true}); err != nil || got[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
	w.result(t, "read_file", `{"uri":"a.txt"}`)
	w.write(t, "a.txt", "one\nother\n")
	if _, err := preview("edit_file", edit); err == nil || !strings.Contains(err.Error(), "changed on disk") {
		t.Errorf("a stale file: %v", err)
	}
	afresh, err := w.tools.Prepare("edit_file", edit)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := afresh.Preview(t.Context(), tool.Env{Afresh: true}); err != nil || got[0].After != "ONE\nother\n" {
		t.Errorf("a stale file as it is now: %+v, %v", got, err)
	}
	if res := w.result(t, "edit_file", edit); !res.IsError || !strings.Contains(res.Content, "+other") {
		t.Errorf("the agent saw what only the person was shown: %+v", res)
	}
	if got := w.read(t, "a.txt"); got != "one\nother\n" {
		t.Errorf("a preview wrote: %q", got)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "new")); err == nil {
		t.Error("a preview made a folder")
	}
}

// A call makes exactly the changes that a person approved, or none; a file that changed since the
// agent read it is edited as the person saw it, and the agent is informed.
func TestApproved(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	w.result(t, "read_file", `{"uri":"a.txt"}`)
	run := func(env tool.Env, name, args string) tool.Result {
		call, err := w.tools.Prepare(name, args)
		if err != nil {
			t.Fatal(err)
		}
		return tool.Run(t.Context(), env, call)
	}
	edit := `{"uri":"a.txt","edits":[{"old":"two","new":"TWO"}]}`
	w.write(t, "a.txt", "zero\none\ntwo\n")
	shown := tool.Env{Afresh: true, Approved: []tool.Change{{Path: "a.txt", Before: "zero\none\ntwo\n", After: "zero\none\nTWO\n"}}}
	w.write(t, "a.txt", "other\none\ntwo\n")
	if res := run(shown, "edit_file", edit); !res.IsError || !strings.Contains(res.Content, "nothing was written") || w.read(t, "a.txt") != "other\none\ntwo\n" {
		t.Errorf("an unseen change was written: %+v", res)
	}
	w.write(t, "a.txt", "zero\none\ntwo\n")
	if res := run(shown, "edit_file", edit); res.IsError || !strings.Contains(res.Content, "+zero") || w.read(t, "a.txt") != "zero\none\nTWO\n" {
		t.Errorf("the approved change was not written: %+v", res)
	}
	if res := run(tool.Env{}, "edit_file", `{"uri":"a.txt","edits":[{"old":"TWO","new":"2"}]}`); res.IsError {
		t.Errorf("the agent does not know what it wrote: %+v", res)
	}
	fresh := tool.Env{Afresh: true, Approved: []tool.Change{{Path: "b.txt", After: "b", New: true}}}
	if res := run(fresh, "write_file", `{"uri":"b.txt","content":"c"}`); !res.IsError {
		t.Errorf("another content was written: %+v", res)
	}
	if res := run(fresh, "write_file", `{"uri":"b.txt","content":"b"}`); res.IsError || w.read(t, "b.txt") != "b" {
		t.Errorf("got %+v", res)
	}
}

// Idle returns in advance the result of a call that changes nothing, and the agent then knows what
// it was shown.
func TestIdle(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	idle := func(name, args string) (string, bool) {
		call, err := w.tools.Prepare(name, args)
		if err != nil {
			t.Fatal(err)
		}
		res, idle := tool.Idle(t.Context(), tool.Env{}, call)
		return res.Content, idle
	}
	w.result(t, "read_file", `{"uri":"a.txt"}`)
	for args, want := range map[string]string{
		`{"uri":"a.txt","edits":[{"old":"three","new":"3"}]}`:                           "old is not in the file",
		`{"uri":"a.txt","edits":[{"old":"one","new":"1"},{"old":"1\n","new":"one\n"}]}`: "nothing was written",
		`{"uri":"gone.txt","edits":[{"old":"a","new":"b"}]}`:                            "gone.txt",
	} {
		if got, idle := idle("edit_file", args); !idle || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v", args, got, idle)
		}
	}
	if got, idle := idle("mkdir", `{"uri":"."}`); !idle || !strings.Contains(got, "already") {
		t.Errorf("%q, %v", got, idle)
	}
	if got, idle := idle("write_file", `{"uri":"a.txt","content":"one\ntwo\n"}`); !idle || !strings.Contains(got, "already") {
		t.Errorf("%q, %v", got, idle)
	}
	for name, args := range map[string]string{"edit_file": `{"uri":"a.txt","edits":[{"old":"two","new":"2"}]}`, "write_file": `{"uri":"b.txt","content":""}`, "mkdir": `{"uri":"c"}`} {
		if got, idle := idle(name, args); idle {
			t.Errorf("%s %s: %q", name, args, got)
		}
	}
	w.write(t, "a.txt", "other\ntwo\n")
	edit := `{"uri":"a.txt","edits":[{"old":"two","new":"2"}]}`
	if got, idle := idle("edit_file", edit); !idle || !strings.Contains(got, "+other") {
		t.Errorf("%q, %v", got, idle)
	}
	if got, idle := idle("edit_file", edit); idle {
		t.Errorf("the agent was already informed of the change: %q", got)
	}
}

func TestAnEditThatDoesNotFitIsReportedInOneLine(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "x\ny\nx\n"})
	for edits, want := range map[string]string{
		`[{"old":"zzz","new":"a"}]`: "The text to replace is not in the file",
		`[{"old":"x","new":"a"}]`:   "The text to replace stands in several places",
	} {
		if res := w.result(t, "edit_file", `{"uri":"f","edits":`+edits+`}`); !res.IsError || res.Facts == nil || res.Facts.Line != want {
			t.Errorf("%s has the facts %+v, want %q", edits, res.Facts, want)
		}
	}
}
