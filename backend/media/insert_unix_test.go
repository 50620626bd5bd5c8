//go:build unix

package media

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mutsumi/backend/files"
)

func TestInsert(t *testing.T) {
	ws, l, data := workspace(t, "pics/a b.png", "fake.txt")
	outside := t.TempDir()
	for name, text := range map[string]string{"note.txt": "hi", "fake.png": "not an image", "empty.png": ""} {
		must(t, os.WriteFile(filepath.Join(outside, name), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(outside, "shot.png"), data, 0o644))
	must(t, os.MkdirAll(filepath.Join(ws, "src/x (1)"), 0o755))
	for _, n := range []string{"src/a.go", "src/a]b.go", "src/a[b].go", "src/a:10", "src/{x}.go"} {
		must(t, os.WriteFile(filepath.Join(ws, n), []byte("x"), 0o644))
	}
	must(t, syscall.Mkfifo(filepath.Join(outside, "pipe"), 0o644))

	for p, want := range map[string]string{
		ws + "/src/a.go":              "@[src/a.go]",
		files.ToURI(ws + "/src/a.go"): "@[src/a.go]",
		ws + "/src":                   "@[src]",
		ws + "/src/x (1)":             "@[src/x (1)]",
		ws:                            "@[.]",
		outside + "/note.txt":         "@[" + outside + "/note.txt]",
		outside + "/fake.png":         "@[" + outside + "/fake.png]",
		outside + "/empty.png":        "@[" + outside + "/empty.png]",
		ws + "/src/a[b].go":           "@[src/a[b].go]",
		ws + "/src/a]b.go":            "@[" + files.ToURI(ws+"/src/a]b.go") + "]",
		ws + "/src/a:10":              "@[" + files.ToURI(ws+"/src/a:10") + "]",
		ws + "/src/{x}.go":            "@[" + files.ToURI(ws+"/src/{x}.go") + "]",
		filepath.Dir(ws) + "/" + "nothing-" + "x": "",
		outside + "/pipe":                         "",
	} {
		text, notes := Insert(ws, TempFolder(), []string{p}, when)
		if text != want || (want == "") != (len(notes) == 1) {
			t.Errorf("Insert(%s) is %q, %v, want %q", p, text, notes, want)
		}
	}

	text, notes := Insert(ws, TempFolder(), []string{outside + "/shot.png", ws + "/src/a.go", ws + "/pics/a b.png", ws + "/fake.txt"}, when)
	pieces := Split(text)
	images := 0
	for _, p := range pieces {
		if p.Image {
			images++
			if prepared, err := l.Load(p.Target); err != nil || string(prepared.Data) != string(data) {
				t.Errorf("%s: %v", p.Target, err)
			}
		}
	}
	if images != 3 || !strings.Contains(text, ") @[src/a.go] ![image](file://") || len(notes) != 0 {
		t.Errorf("several: %q, %v", text, notes)
	}
	many := make([]string, 300)
	for i := range many {
		many[i] = ws + "/src/a.go"
	}
	text, notes = Insert(ws, TempFolder(), many, when)
	if strings.Count(text, "@[") != maxPaths || len(notes) != 1 {
		t.Errorf("too many: %d, %v", strings.Count(text, "@["), notes)
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a b.txt"), filepath.Join(dir, "中.png")
	must(t, os.WriteFile(a, nil, 0o644))
	must(t, os.WriteFile(b, nil, 0o644))
	for text, want := range map[string]string{
		a:                                 a,
		" " + a + "\n":                    a,
		`"` + a + `"`:                     a,
		files.ToURI(b):                    b,
		a + "\n" + b:                      a + "|" + b,
		a + "\r\n" + files.ToURI(b):       a + "|" + b,
		"copy\n" + files.ToURI(a):         a,
		"cut\n" + files.ToURI(a) + "\x00": a,
		dir:                               dir,
		"":                                "",
		"   \n":                           "",
		"hello":                           "",
		"a b.txt":                         "",
		a + " and more":                   "",
		a + "\nsome text":                 "",
		dir + "/gone":                     "",
		"https://example.org/a.png":       "",
		"file://host" + a:                 "",
		"copy":                            "",
		strings.Repeat(a+"\n", 5000):      "",
	} {
		got, ok := Paths(text)
		if strings.Join(got, "|") != want && ok || ok != (want != "") {
			t.Errorf("Paths(%.60q) is %q, %v, want %q", text, got, ok, want)
		}
	}
}
