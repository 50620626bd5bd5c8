package builtin_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// world is a workspace on a real disk with the tools of an agent on it.
type world struct {
	dir     string
	scratch string
	tools   *tool.Registry
}

func newWorld(t testing.TB, content map[string]string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), scratch: t.TempDir()}
	for name, text := range content {
		w.write(t, name, text)
	}
	roots, err := files.New(w.dir, []string{w.dir})
	if err != nil {
		t.Fatal(err)
	}
	w.tools = tool.NewRegistry(builtin.All(builtin.Options{Roots: roots, Child: true, Models: func() []builtin.Model {
		return []builtin.Model{{Provider: "p", ID: "big", ContextTokens: 1000, Images: true, Tools: true, Current: true}, {Provider: "q", ID: "small"}}
	}})...)
	return w
}

func (w *world) write(t testing.TB, name, text string) {
	t.Helper()
	filestest.Write(t, filepath.Join(w.dir, name), text)
}

func (w *world) read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (w *world) result(t testing.TB, name, args string) tool.Result {
	t.Helper()
	call, err := w.tools.Prepare(name, args)
	if err != nil {
		return tool.Error(err.Error())
	}
	return tool.Run(t.Context(), tool.Env{Scratch: w.scratch, Now: func() time.Time { return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC) }}, call)
}

// says fails unless the tool's result is want; an error must begin with "ERROR ".
func (w *world) says(t testing.TB, name, args, want string) {
	t.Helper()
	res := w.result(t, name, args)
	got := strings.ReplaceAll(res.Content, w.dir, "DIR")
	if res.IsError {
		got = "ERROR " + got
	}
	if got != want {
		t.Errorf("%s %s\n got: %s\nwant: %s", name, args, got, want)
	}
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/main.ts": "one\ntwo\nthree\n", "crlf.txt": "a\r\nb\r\n", "empty": "", "no_end": "a\nb",
		"long.txt": numbered(1, 5000), "wide.txt": strings.Repeat("é", 30000) + "\nrest\n", "bin": "\x7fELF\x00\x01",
		"huge.txt": strings.Repeat(strings.Repeat("x", 99)+"\n", 30000), "bom.txt": "\xEF\xBB\xBFhi\n",
	})
	w.says(t, "read_file", `{"uri":"src/main.ts"}`, "one\ntwo\nthree")
	w.says(t, "read_file", `{"path":"src/main.ts","from":2,"to":2}`, "two\n\n[Lines 2 to 2 of 3.]")
	w.says(t, "read_file", `{"uri":"src/main.ts","start_line":2}`, "two\nthree\n\n[Lines 2 to 3 of 3.]")
	w.says(t, "read_file", `{"uri":"src/main.ts","start_line":2,"end_line":99}`, "two\nthree\n\n[Lines 2 to 3 of 3.]")
	w.says(t, "read_file", `{"uri":"src/main.ts","line_numbers":true}`, "    1  one\n    2  two\n    3  three")
	w.says(t, "read_file", `{"uri":"file://`+filepath.ToSlash(w.dir)+`/crlf.txt"}`, "a\nb")
	w.says(t, "read_file", `{"uri":"empty"}`, "[The file is empty.]")
	w.says(t, "read_file", `{"uri":"no_end"}`, "a\nb")
	w.says(t, "read_file", `{"uri":"bom.txt"}`, "hi")
	w.says(t, "read_file", `{"uri":"src"}`, "ERROR src is a folder. Use ls to see what is in it.")
	w.says(t, "read_file", `{"uri":"src/main.ts","start_line":9}`, "ERROR src/main.ts has 3 lines: there is no line 9.")
	w.says(t, "read_file", `{"uri":"src/main.ts","start_line":3,"end_line":2}`, "ERROR read_file: lines 3 to 2 are not a range: start_line counts from 1 and end_line is not before it")
	w.says(t, "read_file", `{"uri":"src/main.js"}`, "ERROR src/main.js: no such file or folder. Did you mean src/main.ts?")
	w.says(t, "read_file", `{"uri":"bin"}`, "ERROR bin is a binary file (application/octet-stream, 6 B), not text.")
	if res := w.result(t, "read_file", `{"uri":"../../etc/passwd"}`); !res.IsError || strings.Contains(res.Content, "root:") {
		t.Errorf("a file outside: %+v", res)
	}

	long := w.result(t, "read_file", `{"uri":"long.txt"}`).Content
	if !strings.HasPrefix(long, "line 1\n") || !strings.HasSuffix(long, "line 2000\n\n[Lines 1 to 2000 of 5000. Read on with start_line 2001.]") {
		t.Errorf("...%s", long[len(long)-100:])
	}
	wide := w.result(t, "read_file", `{"uri":"wide.txt"}`).Content
	if !strings.HasSuffix(wide, "é\n\n[Line 1 of 2 is too long: its first 32 KB are shown.]") {
		t.Errorf("...%s", wide[len(wide)-100:])
	}
	huge := w.result(t, "read_file", `{"uri":"huge.txt","start_line":29999}`).Content
	if !strings.HasPrefix(huge, "xxx") || !strings.Contains(huge, "[Lines 29999 to 30000 of a file of 2.9 MB.") {
		t.Errorf("...%s", huge[max(0, len(huge)-150):])
	}
}

func TestReadFileShowsImages(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"shot.dat": b.String()}) // by content, not by name
	res := w.result(t, "read_file", `{"uri":"shot.dat"}`)
	if len(res.Images) != 1 || !strings.HasPrefix(res.Images[0].ImageURL.URL, "data:image/png;base64,") {
		t.Fatalf("%+v", res)
	}
	if want := fmt.Sprintf("[shot.dat is an image: png, 40x30, %d B]", b.Len()); res.Content != want {
		t.Errorf("got %s, want %s", res.Content, want)
	}
}

func TestOutputPastTheLimitCanBeRead(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": strings.Repeat(strings.Repeat("x", 300)+"\n", 150)})
	res := w.result(t, "grep", `{"keyword":"x"}`)
	_, after, ok := strings.Cut(res.Content, "All of it is in ")
	file, _, _ := strings.Cut(after, ": read it")
	if !ok {
		t.Fatalf("...%s", res.Content[len(res.Content)-200:])
	}
	again := w.result(t, "read_file", fmt.Sprintf(`{"uri":%q,"start_line":150,"end_line":150}`, file))
	if again.IsError || !strings.HasPrefix(again.Content, "149:xxx") {
		t.Errorf("%s", again.Content)
	}
	other := filepath.Join(w.scratch, "..", "elsewhere")
	if res := w.result(t, "read_file", fmt.Sprintf(`{"uri":%q}`, other)); !res.IsError {
		t.Errorf("next to the scratch folder: %+v", res)
	}
}

// sameFacts checks the facts about a result that a person sees.
func sameFacts(t *testing.T, res tool.Result, want chat.CallFacts) {
	t.Helper()
	if res.Facts == nil || !reflect.DeepEqual(*res.Facts, want) {
		t.Errorf("facts %+v of %.80q, not %+v", res.Facts, res.Content, want)
	}
}

func TestLs(t *testing.T) {
	w := newWorld(t, map[string]string{"b.txt": "", "a/x.go": "", "a/deep/y.go": "", ".gitignore": "*.log\n", "a/z.log": ""})
	if err := os.Mkdir(filepath.Join(w.dir, "void"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.says(t, "ls", `{"uri":"."}`, "[FILE] .gitignore\n[DIR] a\n[FILE] b.txt\n[DIR] void")
	w.says(t, "ls", `{}`, "[FILE] .gitignore\n[DIR] a\n[FILE] b.txt\n[DIR] void")
	w.says(t, "ls", `{"uri":"a"}`, "[DIR] deep\n[FILE] x.go\n[FILE] z.log")
	w.says(t, "ls", `{"path":"a","depth":2}`, "[DIR] deep\n[FILE] deep/y.go\n[FILE] x.go")
	w.says(t, "ls", `{"uri":"void"}`, "[The folder is empty.]")
	w.says(t, "ls", `{"uri":"b.txt"}`, "ERROR b.txt is a file, not a folder")
	w.says(t, "ls", `{"uri":"aa"}`, "ERROR aa: no such file or folder")
	w.says(t, "ls", `{"uri":"a","depth":9}`, "ERROR ls: depth must be from 1 to 5, not 9")
	for i := range 1100 {
		w.write(t, fmt.Sprintf("many/%04d", i), "")
	}
	for args, want := range map[string]chat.CallFacts{`{"uri":"void"}`: {Found: new(0)}, `{"uri":"a"}`: {Found: new(3)}, `{"uri":"many"}`: {Found: new(1000), More: true}} {
		sameFacts(t, w.result(t, "ls", args), want)
	}
	if got := w.result(t, "ls", `{"uri":"many"}`).Content; !strings.HasSuffix(got, "[FILE] 0999\n\n[The first 1000 entries; there are more. List a folder further down, or use glob.]") {
		t.Errorf("...%s", got[len(got)-150:])
	}
}

func TestGlob(t *testing.T) {
	w := newWorld(t, map[string]string{
		"main.go": "", "src/a.ts": "", "src/a_test.ts": "", "src/deep/b.tsx": "", "src/deep/c.go": "",
		".gitignore": "dist/\n", "dist/out.ts": "", "[odd].md": "",
	})
	w.says(t, "glob", `{"pattern":"*.go"}`, "main.go\nsrc/deep/c.go")
	w.says(t, "glob", `{"pattern":"**/*.{ts,tsx}"}`, "src/a.ts\nsrc/a_test.ts\nsrc/deep/b.tsx")
	w.says(t, "glob", `{"pattern":"src/*.ts"}`, "src/a.ts\nsrc/a_test.ts")
	w.says(t, "glob", `{"pattern":"./src/**/b.*"}`, "src/deep/b.tsx")
	w.says(t, "glob", `{"pattern":"src/*"}`, "src/a.ts\nsrc/a_test.ts") // not what is deeper
	w.says(t, "glob", `{"pattern":"*.ts","uri":"src"}`, "src/a.ts\nsrc/a_test.ts")
	w.says(t, "glob", `{"pattern":"src/a.ts"}`, "src/a.ts")
	w.says(t, "glob", `{"pattern":"`+filepath.ToSlash(w.dir)+`/src/*.ts"}`, "DIR/src/a.ts\nDIR/src/a_test.ts")
	w.says(t, "glob", `{"pattern":"\\[odd\\].md"}`, "[odd].md")
	w.says(t, "glob", `{"pattern":"*.rs"}`, "No file matches *.rs in the workspace. What .gitignore excludes is left out.")
	w.says(t, "glob", `{"pattern":"{a"}`, `ERROR glob: "{a" is not a pattern: a bracket or brace is not closed, or it is empty`)
	sameFacts(t, w.result(t, "glob", `{"pattern":"src/*.ts"}`), chat.CallFacts{Found: new(2)})
	sameFacts(t, w.result(t, "glob", `{"pattern":"*.rs"}`), chat.CallFacts{Found: new(0)})
	if res := w.result(t, "glob", `{"pattern":"../*"}`); !res.IsError {
		t.Errorf("outside: %+v", res)
	}
}

func TestGrep(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.go":    "package a\n\nfunc WithTTL() {\n\tx := 1\n}\n\nfunc Other() {\n\treturn WithTTL()\n}\n",
		"b/c.txt": "with ttl\r\nWithTTL here\r\n", "bin": "WithTTL\x00", ".gitignore": "out/\n", "out/x": "WithTTL",
		"wide.txt": strings.Repeat("a", 5000) + "NEEDLE" + strings.Repeat("b", 5000),
	})
	w.says(t, "grep", `{"keyword":"WithTTL"}`, "a.go\n3:func WithTTL() {\n8:\treturn WithTTL()\n\nb/c.txt\n2:WithTTL here\n\n[3 matching lines in 2 files.]")
	w.says(t, "grep", `{"pattern":"^func \\w+\\(\\) \\{$","include":"*.go"}`, "a.go\n3:func WithTTL() {\n7:func Other() {\n\n[2 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"here$"}`, "b/c.txt\n2:WithTTL here\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"with ?ttl","ignore_case":true,"uri":"b"}`, "b/c.txt\n1:with ttl\n2:WithTTL here\n\n[2 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"x :=","uri":"a.go","context":1}`, "a.go\n3-func WithTTL() {\n4:\tx := 1\n5-}\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"package|return","context":1}`, "a.go\n1:package a\n2-\n--\n7-func Other() {\n8:\treturn WithTTL()\n9-}\n\n[2 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"func","context":9,"uri":"a.go"}`, "a.go\n1-package a\n2-\n3:func WithTTL() {\n4-\tx := 1\n5-}\n6-\n7:func Other() {\n8-\treturn WithTTL()\n9-}\n\n[2 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"WithTTL","files_only":true}`, "a.go (2)\nb/c.txt (1)\n\n[3 matching lines in 2 files.]")
	w.says(t, "grep", `{"keyword":"WithTTL","limit":2}`, "a.go\n3:func WithTTL() {\n8:\treturn WithTTL()\n\n[The first 2 matching lines in 1 file; there are more. Narrow the keyword, the folder or include.]")
	w.says(t, "grep", `{"keyword":"WithTTL","limit":1}`, "a.go\n3:func WithTTL() {\n\n[The first 1 matching line in 1 file; there are more. Narrow the keyword, the folder or include.]")
	w.says(t, "grep", `{"keyword":"TTL() {","literal":true}`, "a.go\n3:func WithTTL() {\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"WithTTL("}`, "[\"WithTTL(\" is not a regular expression (error parsing regexp: missing closing ): `WithTTL(`): it was searched as plain text.]\n\na.go\n3:func WithTTL() {\n8:\treturn WithTTL()\n\n[2 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"absent"}`, "No line matches in the workspace (5 files searched; what .gitignore excludes and binary files are left out).")
	w.says(t, "grep", `{"keyword":""}`, "ERROR grep: keyword is empty: say what to look for")
	w.says(t, "grep", `{"keyword":"x","uri":"nowhere"}`, "ERROR nowhere: no such file or folder")
	sameFacts(t, w.result(t, "grep", `{"keyword":"WithTTL"}`), chat.CallFacts{Matches: new(3)})
	sameFacts(t, w.result(t, "grep", `{"keyword":"WithTTL","limit":2}`), chat.CallFacts{Matches: new(2), More: true})
	wide := w.result(t, "grep", `{"keyword":"NEEDLE"}`).Content
	if len(wide) > 600 || !strings.Contains(wide, "NEEDLE") || !strings.Contains(wide, "[line of 10006 bytes]") {
		t.Errorf("a wide line: %s", wide)
	}
}

// A pattern that could match over line breaks still finds lines only, and all of them.
func TestGrepMatchesLineByLine(t *testing.T) {
	w := newWorld(t, map[string]string{"a": "one\n\ntwo end\nthree\nend\n"})
	w.says(t, "grep", `{"keyword":"\\s+end"}`, "a\n3:two end\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"^$"}`, "a\n2:\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"[^x]e"}`, "a\n1:one\n3:two end\n4:three\n\n[3 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"\\Aend"}`, "a\n5:end\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"(?s)one.*"}`, "a\n1:one\n\n[1 matching line in 1 file.]")
	w.says(t, "grep", `{"keyword":"x*"}`, "a\n1:one\n2:\n3:two end\n4:three\n5:end\n\n[5 matching lines in 1 file.]")
	w.says(t, "grep", `{"keyword":"one\ntwo"}`, "No line matches in the workspace (1 file searched; what .gitignore excludes and binary files are left out).")
}

func TestProjectOutline(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": "package a\n\nfunc A() {}\n", "sub/b.md": "# B\n", "c.txt": "", "out/d.go": "package d\nfunc D() {}", ".gitignore": "out\n", "empty.py": ""})
	w.says(t, "project_outline", `{}`, "a.go\n  3: func A()\nempty.py\nsub/b.md\n  1: B")
	w.says(t, "project_outline", `{"uri":"sub"}`, "sub/b.md\n  1: B")
	w.says(t, "project_outline", `{"path":"a.go"}`, "a.go\n  3: func A()")
	w.says(t, "project_outline", `{"uri":"c.txt"}`, "ERROR c.txt is of no kind that can be outlined: use read_file or grep.")
}

func TestTheRest(t *testing.T) {
	w := newWorld(t, nil)
	w.says(t, "get_available_models", `{}`, "big (provider p, context 1000 tokens, takes images, tools) [this agent's model]\nsmall (provider q)")
	info := w.result(t, "system_info", ``).Content
	for _, want := range []string{"date: Wednesday, 2 January 2030", "time: 03:04:05 +00:00 UTC", "workspace: " + w.dir, "may be touched: " + w.dir} {
		if !strings.Contains(info, want) {
			t.Errorf("%q is not in %s", want, info)
		}
	}
	for _, name := range []string{"task_finish", "finish_task"} {
		if res := w.result(t, name, `{"message":"All done."}`); !res.Finish || res.Content != "All done." {
			t.Errorf("%s: %+v", name, res)
		}
	}
	w.says(t, "task_finish", `{"summary":" "}`, "ERROR task_finish: the summary is empty: say what was done or found, and what is open")
}

func TestEveryToolIsDescribed(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range w.tools.All() {
		if len(c.Description()) < 80 || !strings.Contains(c.Description(), "- `{") {
			t.Errorf("%s has no description with an example: %s", c.Name(), c.Description())
		}
		for line := range strings.Lines(c.Description()) {
			if example, ok := strings.CutPrefix(strings.TrimSpace(line), "- `"); ok {
				if _, err := w.tools.Prepare(c.Name(), strings.TrimSuffix(example, "`")); err != nil {
					t.Errorf("%s: its own example %s fails: %v", c.Name(), example, err)
				}
			}
		}
	}
}
