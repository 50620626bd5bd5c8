package language

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	english := fstest.MapFS{"a.md": {Data: []byte("a")}, "b/c.csv": {Data: []byte("c")}}
	chinese := fstest.MapFS{"a.md": {Data: []byte("甲")}}
	choice := English
	tree := Files(english, chinese, func() string { return choice })
	for _, c := range []struct{ choice, name, want string }{
		{English, "a.md", "a"}, {Chinese, "a.md", "甲"}, {Chinese, "b/c.csv", "c"}, {English, "b/c.csv", "c"},
	} {
		choice = c.choice
		if got, err := fs.ReadFile(tree, c.name); err != nil || string(got) != c.want {
			t.Errorf("%s in %s: %q, %v", c.name, c.choice, got, err)
		}
	}
	if _, err := tree.Open("none"); err == nil {
		t.Error("a file that is not there was opened")
	}
	if got := Trees(tree); len(got) != 2 || len(Trees(english)) != 1 || Trees(nil) != nil {
		t.Errorf("got %v", got)
	}
	if got := Files(english, nil, nil); !slices.Equal(names(t, got), names(t, english)) {
		t.Error("without another language it is not the English tree")
	}
}

func names(t *testing.T, tree fs.FS) (all []string) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
