package sample_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mutsumi/backend/language"
	"mutsumi/backend/sample"
)

// trees returns the program's own sample: the English files, and those that are in Chinese.
func trees(t *testing.T) (english, chinese fs.FS) {
	t.Helper()
	assets := os.DirFS("../../assets")
	english, err := fs.Sub(assets, "sample")
	if err != nil {
		t.Fatal(err)
	}
	if chinese, err = fs.Sub(assets, "zh-CN/sample"); err != nil {
		t.Fatal(err)
	}
	return english, chinese
}

// TestMake copies the program's own sample, in English and in Chinese.
func TestMake(t *testing.T) {
	english, chinese := trees(t)
	for _, tag := range []string{language.English, language.Chinese} {
		folder := filepath.Join(t.TempDir(), "data", "sample")
		tree := language.Files(english, chinese, func() string { return tag })
		if err := sample.Make(tree, folder); err != nil {
			t.Fatal(err)
		}
		for name, from := range map[string]string{"README.md": tag, ".mutsumi/welcome.mtm": tag, "src/today.py": language.English, "charts/rainfall.png": language.English} {
			place := "../../assets/sample/"
			if from == language.Chinese {
				place = "../../assets/zh-CN/sample/"
			}
			want, err := os.ReadFile(filepath.FromSlash(place + name))
			got, gotErr := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
			if err != nil || gotErr != nil || string(got) != string(want) {
				t.Errorf("%s in %s: %v, %v", name, tag, err, gotErr)
			}
		}
		// The person's changes stay.
		if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := sample.Make(tree, folder); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(folder, "README.md")); err != nil || string(got) != "mine" {
			t.Errorf("README.md is %q, %v", got, err)
		}
	}
}

// TestChineseIsWhole has each rule and each text of the sample in both languages.
func TestChineseIsWhole(t *testing.T) {
	for _, names := range []string{"rules/*.md", "sample/*.md", "sample/notes/*.md", "sample/.mutsumi/*.mtm"} {
		paths, err := filepath.Glob("../../assets/" + names)
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			rel, err := filepath.Rel("../../assets", path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join("../../assets/zh-CN", rel)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTour puts a deleted tour back, finds a renamed one, and follows the language until the tour
// was begun; what the person changed stays.
func TestTour(t *testing.T) {
	english, chinese := trees(t)
	tag := language.English
	tree := language.Files(english, chinese, func() string { return tag })
	folder := filepath.Join(t.TempDir(), "sample")
	file := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	take := func(want string) {
		t.Helper()
		if got, err := sample.Tour(tree, folder); err != nil || got != file(want) {
			t.Errorf("the tour is %s, %v, want %s", got, err, want)
		}
	}
	is := func(name string, from fs.FS) {
		t.Helper()
		got, err := os.ReadFile(file(name))
		want, wantErr := fs.ReadFile(from, name)
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Errorf("%s is %q, %v, %v", name, got, err, wantErr)
		}
	}
	const welcome = ".mutsumi/welcome.mtm"

	take(welcome)
	is(welcome, english)
	write("notes/season.md", "mine")
	tag = language.Chinese
	take(welcome)
	is(welcome, chinese)
	is("README.md", chinese)
	if got, err := os.ReadFile(file("notes/season.md")); err != nil || string(got) != "mine" {
		t.Errorf("the person's notes are %q, %v", got, err)
	}

	// Begun, and renamed: it stays as it is.
	begun, err := os.ReadFile(file(welcome))
	if err != nil {
		t.Fatal(err)
	}
	write(".mutsumi/mine.mtm", string(begun)+"\n")
	if err := os.Remove(file(welcome)); err != nil {
		t.Fatal(err)
	}
	tag = language.English
	take(".mutsumi/mine.mtm")
	is("README.md", chinese)
	if _, err := os.Stat(file(welcome)); err == nil {
		t.Error("there are two notebooks of the tour")
	}

	// Deleted, with a file that it is about.
	for _, name := range []string{".mutsumi/mine.mtm", "charts/rainfall.png"} {
		if err := os.Remove(file(name)); err != nil {
			t.Fatal(err)
		}
	}
	take(welcome)
	is(welcome, english)
	is("README.md", english)
	is("charts/rainfall.png", english)

	// A file in the place of the folder is not the sample.
	if err := sample.Make(tree, file("README.md")); err == nil {
		t.Error("a file counts as the sample's folder")
	}
}

// TestTourAtOnce takes the tour in several windows at the same moment, first of all and after it was
// deleted: each gets it whole.
func TestTourAtOnce(t *testing.T) {
	english, chinese := trees(t)
	tree := language.Files(english, chinese, func() string { return language.English })
	want, err := fs.ReadFile(english, ".mutsumi/welcome.mtm")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		data := t.TempDir()
		folder := filepath.Join(data, "sample")
		for range 2 {
			var windows sync.WaitGroup
			for range 4 {
				windows.Go(func() {
					at, err := sample.Tour(tree, folder)
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := os.ReadFile(at); err != nil || string(got) != string(want) {
						t.Errorf("the tour at %s has %d bytes, %v, want %d", at, len(got), err, len(want))
					}
				})
			}
			windows.Wait()
			if err := os.RemoveAll(filepath.Join(folder, ".mutsumi")); err != nil {
				t.Fatal(err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(data, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%v is left over, %v", left, err)
		}
	}
}
