package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// What is saved in the work tree while an update is computed is not overwritten: nothing is
// written, and the next update takes it in.
func TestAnEditDuringAnUpdateIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		file string // in the work tree
		edit func(t *testing.T, path string)
	}{
		"changed":            {"b", func(t *testing.T, path string) { overwrite(t, path, "edited\n") }},
		"a line end":         {"b", func(t *testing.T, path string) { overwrite(t, path, "b\r\n") }},
		"deleted":            {"b", func(t *testing.T, path string) { remove(t, path) }},
		"added":              {"new", func(t *testing.T, path string) { overwrite(t, path, "edited\n") }},
		"to be deleted":      {"gone", func(t *testing.T, path string) { overwrite(t, path, "edited\n") }},
		"replaced by a link": {"b", func(t *testing.T, path string) { remove(t, path); link(t, "a", path) }},
		"a link":             {"link", func(t *testing.T, path string) { remove(t, path); link(t, "b", path) }},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			dir := repository(t, map[string]string{"a": "a\n", "b": "b\n", "gone": "x\n"})
			link(t, "a", filepath.Join(dir, "link"))
			p := made(t, dir)
			overwrite(t, filepath.Join(dir, "a"), "person\n")
			overwrite(t, filepath.Join(dir, "b"), "person\n")
			overwrite(t, filepath.Join(dir, "new"), "person\n")
			remove(t, filepath.Join(dir, "gone"))
			remove(t, filepath.Join(dir, "link"))
			link(t, "new", filepath.Join(dir, "link"))

			u, done, err := computeUpdate(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			if len(u.changes) != 5 {
				t.Fatalf("%+v", u.changes)
			}
			c.edit(t, filepath.Join(p.Folder, c.file))
			before := everything(t, p.Folder)
			next, _, err := u.write(context.Background())
			if !fault.Is(err, fault.Conflict) || !strings.HasPrefix(err.Error(), "Could not update the work tree: "+c.file+" ") || !strings.Contains(err.Error(), "update again") {
				t.Errorf("the error is %v", err)
			}
			if after := everything(t, p.Folder); after != before || next.Base != p.Base {
				t.Errorf("the work tree had\n%s\nand has\n%s", before, after)
			}
			if _, _, err := Update(context.Background(), p); err != nil {
				t.Errorf("the next update: %v", err)
			}
			if got := read(t, filepath.Join(p.Folder, "a")); got != "person\n" {
				t.Errorf("a is %q", got)
			}
			if strings.Contains(before, "edited") && !strings.Contains(everything(t, p.Folder), "edited") {
				t.Errorf("the edit is lost: %s", everything(t, p.Folder))
			}
		})
	}
}

// A file that git ignores in the work tree, and the folder now has, stays.
func TestAnUpdateKeepsIgnoredFiles(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"a": "a\n"})
	p := made(t, dir)
	write(t, p.Folder, map[string]string{".gitignore": "secret\n", "secret": "key\n"})
	write(t, dir, map[string]string{"secret": "person\n"})
	_, _, err := Update(context.Background(), p)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "secret is there already") || read(t, filepath.Join(p.Folder, "secret")) != "key\n" {
		t.Errorf("%v, %q", err, read(t, filepath.Join(p.Folder, "secret")))
	}
}

// Files that are on disk otherwise than git stores them are recognised as unchanged.
func TestUpdateOfFilesThatGitConverts(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"lines": "1\n2\n3\n", "id": "$Id$\n1\n2\n3\n", ".gitattributes": "lines text eol=crlf\nid ident\n"})
	p := made(t, dir)
	if lines, id := read(t, filepath.Join(p.Folder, "lines")), read(t, filepath.Join(p.Folder, "id")); lines != "1\r\n2\r\n3\r\n" || !strings.HasPrefix(id, "$Id: ") {
		t.Fatalf("git converted nothing: %q, %q", lines, id)
	}
	write(t, dir, map[string]string{"lines": "1\n2\nperson\n", "id": "$Id$\n1\n2\nperson\n"})
	if _, conflict, err := Update(context.Background(), p); err != nil || len(conflict) > 0 {
		t.Fatal(conflict, err)
	}
	if got := read(t, filepath.Join(p.Folder, "lines")) + read(t, filepath.Join(p.Folder, "id")); strings.Count(got, "person") != 2 {
		t.Errorf("%q", got)
	}
}

// everything lists the files of a work tree with their texts.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == ".git" {
			return err
		}
		target, _ := os.Readlink(path)
		all.WriteString(path + " " + target + " " + read(t, path) + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	write(t, filepath.Dir(path), map[string]string{filepath.Base(path): text})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
