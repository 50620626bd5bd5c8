package files

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// folder makes a workspace of names and texts; a name that ends in a slash is
// an empty folder.
func folder(t testing.TB, tree map[string]string) string {
	t.Helper()
	ws := t.TempDir()
	for name, text := range tree {
		p := filepath.Join(ws, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(p, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, []byte(text), 0o644))
	}
	return ws
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, ws string, allowed ...string) *Roots {
	t.Helper()
	if len(allowed) == 0 {
		allowed = []string{ws}
	}
	r, err := New(ws, allowed)
	must(t, err)
	return r
}

var rangeRef = regexp.MustCompile(`^(.*?):(-?\d+)(?::(-?\d+))?$`)

// readResource does what a reference does with Roots, for the vectors.
func readResource(r *Roots, ref string) (string, error) {
	if m := rangeRef.FindStringSubmatch(ref); m != nil {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		return r.ReadRange(m[1], first, last, TextLimit)
	}
	if info, err := r.Stat(ref); err == nil && info.IsDir() {
		entries, err := r.List(ref)
		return Listing(entries), err
	}
	return r.Read(ref, TextLimit)
}

func TestReadVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/read.json")
	must(t, err)
	var v struct {
		Files map[string]any
		Cases []struct {
			ID, Ref string
			Result  struct{ Content, Error *string }
		}
	}
	must(t, json.Unmarshal(raw, &v))
	tree := map[string]string{}
	for name, text := range v.Files {
		switch text := text.(type) {
		case string:
			tree[name] = text
		case map[string]any:
			b, err := base64.StdEncoding.DecodeString(text["base64"].(string))
			must(t, err)
			tree[name] = string(b)
		default:
			tree[name] = ""
		}
	}
	r := open(t, folder(t, tree))
	for _, c := range v.Cases {
		got, err := readResource(r, c.Ref)
		switch {
		case c.Result.Error != nil && !fault.Is(err, fault.NotFound):
			t.Errorf("%s: %q is %q, %v, want NotFound", c.ID, c.Ref, got, err)
		case c.Result.Content != nil && (err != nil || got != *c.Result.Content):
			t.Errorf("%s: %q is %q, %v, want %q", c.ID, c.Ref, got, err, *c.Result.Content)
		}
	}
}

func TestReadRange(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	r := open(t, folder(t, map[string]string{
		"lf":     "a\nb\nc\n",
		"crlf":   "a\r\nb\r\nc\r\n",
		"mixed":  "\r\na\nb \r\n\rc",
		"open":   "a\nb",
		"bom":    "\xEF\xBB\xBFa\nb\n",
		"latin1": "caf\xE9\nb\n",
		"long":   long + "\r\n" + long + "\nend",
		"edge":   strings.Repeat("y", 64<<10-1) + "\r\nz", // "\r\n" across the buffer's end
		"utf16":  "\xFF\xFEa\x00\n\x00b\x00\r\x00\n\x00",
		"utf16b": "\xFE\xFF\x00a\x00\n\x00b",
	}))
	cases := []struct {
		file        string
		first, last int
		want        string
	}{
		{"lf", 1, 1, "a"}, {"lf", 2, 3, "b\nc"}, {"lf", 3, 4, "c\n"}, {"lf", 4, 4, ""}, {"lf", 9, 12, ""}, {"lf", 0, 1, "a"}, {"lf", -3, 2, "a\nb"}, {"lf", -3, -1, ""},
		{"crlf", 1, 2, "a\nb"}, {"crlf", 2, 9, "b\nc\n"}, {"crlf", 3, 3, "c"},
		{"mixed", 1, 1, ""}, {"mixed", 1, 5, "\na\nb \n\rc"}, {"mixed", 4, 4, "\rc"},
		{"open", 2, 2, "b"}, {"open", 1, 7, "a\nb"},
		{"bom", 1, 1, "a"}, {"latin1", 1, 1, "caf\uFFFD"},
		{"long", 1, 1, long}, {"long", 2, 2, long}, {"long", 3, 3, "end"}, {"long", 2, 3, long + "\nend"},
		{"edge", 1, 1, strings.Repeat("y", 64<<10-1)}, {"edge", 2, 2, "z"},
		{"utf16", 2, 2, "b"}, {"utf16b", 1, 2, "a\nb"},
	}
	for _, c := range cases {
		got, err := r.ReadRange(c.file, c.first, c.last, TextLimit)
		if err != nil || got != c.want {
			t.Errorf("%s:%d:%d is %.40q, %v, want %.40q", c.file, c.first, c.last, got, err, c.want)
		}
	}
	// SPEC 3.1: a range that is not a range is an error, not "". (The vectors'
	// `n o.md:4:3` gives "" and is overruled.)
	if got, err := r.ReadRange("lf", 3, 1, TextLimit); !fault.Is(err, fault.Invalid) {
		t.Errorf("lf:3:1 is %q, %v", got, err)
	}
	if _, err := r.ReadRange("long", 1, 3, 1000); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "lines 1 to 3") {
		t.Errorf("lines over the limit: %v", err)
	}
}

func TestReadKinds(t *testing.T) {
	r := open(t, folder(t, map[string]string{
		"bin":    "\x00\x01\x02",
		"late":   strings.Repeat("a", 9000) + "\x00",
		"big":    strings.Repeat("a", 3000),
		"exact":  strings.Repeat("a", 1000),
		"utf16":  "\xFF\xFE\x2D\x4E\x87\x65",
		"dir/f":  "x",
		"empty":  "",
		"latin1": "caf\xE9",
	}))
	for file, want := range map[string]string{"utf16": "中文", "empty": "", "latin1": "caf\uFFFD", "dir/f": "x", "exact": strings.Repeat("a", 1000)} {
		if got, err := r.Read(file, 1000); err != nil || got != want {
			t.Errorf("Read(%s) is %q, %v", file, got, err)
		}
	}
	for file, word := range map[string]string{"bin": "binary", "big": "2.9 KB, more than the 1000 B", "dir": "is a folder"} {
		if _, err := r.Read(file, 1000); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), word) {
			t.Errorf("Read(%s): %v, want a fault with %q", file, err, word)
		}
	}
	if _, err := r.ReadRange("bin", 1, 1, 1000); !fault.Is(err, fault.Invalid) {
		t.Errorf("a range of a binary file: %v", err)
	}
	if _, err := r.List("exact"); !fault.Is(err, fault.Invalid) {
		t.Errorf("the listing of a file: %v", err)
	}
	if _, err := r.Read("gone", 10); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestNames(t *testing.T) {
	// Every name that the file system takes can be read, by path and by URI.
	names := []string{"a b.txt", "中文.md", "é.txt", "100%.txt", "%41.txt", "a#b?.txt", "x[1].txt", "(p).txt", "-rf", "~", "$HOME", "`id`", "a\\b", "new\nline", "tab\t", "  lead", "trail ", "dot.", "...", "..x", "😀", "'q'", "\"q\"", "file:", "a:10", "*", "nul\u2028x", strings.Repeat("n", 255)}
	ws := t.TempDir()
	for i, n := range names {
		must(t, os.WriteFile(filepath.Join(ws, n), fmt.Append(nil, i), 0o644))
	}
	r := open(t, ws)
	for i, n := range names {
		want := fmt.Sprint(i)
		spellings := []string{filepath.Join(ws, n), "./" + n, ToURI(filepath.Join(ws, n))}
		for _, p := range spellings {
			if got, err := r.Read(p, 100); err != nil || got != want {
				t.Errorf("Read(%q) is %q, %v", p, got, err)
			}
		}
		if rel := r.Rel(filepath.Join(ws, n)); rel != n {
			t.Errorf("Rel(%q) is %q", n, rel)
		}
	}
}

func TestList(t *testing.T) {
	ws := folder(t, map[string]string{"b.txt": "", "a.txt": "", ".hidden": "", "Z.md": "", "中.txt": "", "sub/": "", "empty/": ""})
	must(t, os.Symlink("sub", filepath.Join(ws, "link-in")))
	must(t, os.Symlink(t.TempDir(), filepath.Join(ws, "link-out")))
	must(t, os.Symlink("nowhere", filepath.Join(ws, "link-broken")))
	r := open(t, ws)
	got, err := r.List(".")
	must(t, err)
	want := "[FILE] .hidden\n[FILE] Z.md\n[FILE] a.txt\n[FILE] b.txt\n[DIR] empty\n[FILE] link-broken\n[DIR] link-in\n[FILE] link-out\n[DIR] sub\n[FILE] 中.txt"
	if Listing(got) != want {
		t.Errorf("the listing is\n%s\nwant\n%s", Listing(got), want)
	}
	if e, err := r.List("empty"); err != nil || Listing(e) != "" {
		t.Errorf("an empty folder is %v, %v", e, err)
	}
}

func BenchmarkRead(b *testing.B) {
	r := open(b, folder(b, map[string]string{"src/pkg/a.go": strings.Repeat("line of code\n", 400)}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Read("src/pkg/a.go", TextLimit); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadRange(b *testing.B) {
	r := open(b, folder(b, map[string]string{"a.go": strings.Repeat("line of code\n", 100_000)}))
	for b.Loop() {
		if _, err := r.ReadRange("a.go", 90_000, 90_100, TextLimit); err != nil {
			b.Fatal(err)
		}
	}
}
