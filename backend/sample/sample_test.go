package sample_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mutsumi/backend/language"
	"mutsumi/backend/sample"
)

// TestMake copies the program's own sample, in English and in Chinese.
func TestMake(t *testing.T) {
	assets := os.DirFS("../../assets")
	english, err := fs.Sub(assets, "sample")
	if err != nil {
		t.Fatal(err)
	}
	chinese, err := fs.Sub(assets, "zh-CN/sample")
	if err != nil {
		t.Fatal(err)
	}
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
