package slashcommand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/slashcommand"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// SPEC 13.4: both folders have commands; those in subfolders are `dir:name`, and of two with one
// name the one in `.mutsumi` counts.
func TestTheCommandsOfAFolder(t *testing.T) {
	dir := folder(t, map[string]string{
		".mutsumi/commands/review.md":     "---\ndescription: Reviews\n---\nours",
		".claude/commands/review.md":      "theirs",
		".claude/commands/git/commit.md":  "---\r\nargument-hint: [file] [why]\r\ndescription: Commits: all\r\n---\r\n\r\ndescription: stays\r\nlast\r\n\r\n",
		".claude/commands/git/notes.txt":  "no command",
		".claude/commands/two words.md":   "cannot be typed",
		".claude/commands/empty.md":       "---\ndescription: none\n---\n",
		".mutsumi/commands/list.md":       "---\nargument-hint: [file]\n---\nx",
		".mutsumi/commands/broken.md":     "---\n: : [\n---\nx",
		".mutsumi/commands/binary.md":     "a\x00b",
		".mutsumi/commands/deep/a/b/c.md": "@[./x.md] @[../y.md:2:3] @[z.md] @[read_file{\"path\":\"./x\"}]",
	})
	var got []string
	for _, c := range slashcommand.List(dir) {
		got = append(got, strings.Join([]string{c.Name, c.Path, c.Description, c.Hint, c.Text}, "|"))
	}
	want := []string{
		"broken|.mutsumi/commands/broken.md|||---\n: : [\n---\nx",
		`deep:a:b:c|.mutsumi/commands/deep/a/b/c.md|||@[.mutsumi/commands/deep/a/b/x.md] @[.mutsumi/commands/deep/a/y.md:2:3] @[z.md] @[read_file{"path":"./x"}]`,
		"git:commit|.claude/commands/git/commit.md|Commits: all|[file] [why]|description: stays\nlast",
		"list|.mutsumi/commands/list.md||[file]|x",
		"review|.mutsumi/commands/review.md|Reviews||ours",
	}
	if strings.Join(got, "\n\n") != strings.Join(want, "\n\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n\n"), strings.Join(want, "\n\n"))
	}
	if c, err := slashcommand.Find(dir, "git:commit"); err != nil || c.Above != 5 {
		t.Errorf("%d lines above, %v", c.Above, err)
	}
	if c, err := slashcommand.Find(dir, "broken"); err != nil || !strings.Contains(c.Problem, "not YAML") {
		t.Errorf("%q, %v", c.Problem, err)
	}
	if _, err := slashcommand.Find(dir, "none"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	for _, name := range []string{"empty", "binary"} {
		if _, err := slashcommand.Find(dir, name); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(slashcommand.Paths(dir)); n != 9 {
		t.Errorf("%d files", n)
	}
}

// A file that a link brings in from outside is not a command.
func TestALinkOutOfTheFolderIsNoCommand(t *testing.T) {
	dir := folder(t, map[string]string{".claude/commands/a.md": "a"})
	secret := filepath.Join(folder(t, map[string]string{"secret.md": "secret"}), "secret.md")
	if err := os.Symlink(secret, filepath.Join(dir, ".claude/commands/b.md")); err != nil {
		t.Skip(err)
	}
	if all := slashcommand.List(dir); len(all) != 1 || all[0].Name != "a" {
		t.Errorf("%+v", all)
	}
}

func TestSplit(t *testing.T) {
	for prompt, want := range map[string]string{
		"/review": "review|", "/review a b ": "review|a b", "/git:commit\n\nall\nof it": "git:commit|all\nof it", "/审查 甲": "审查|甲",
		" /review": "", "see /review": "", "/": "", "/ x": "", "/usr/bin is full": "", "/etc, then": "", "//x": "", "": "",
	} {
		name, arguments, ok := slashcommand.Split(prompt)
		if got := name + "|" + arguments; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", prompt, got, ok)
		}
	}
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ text, arguments, want string }{
		{"a $ARGUMENTS b $ARGUMENTS", "x  y", "a x  y b x  y"},
		{"$1-$2-$3", `one "two  three"`, "one-two  three-"},
		{"$2 $1", "$2 $1", "$1 $2"},
		{"$1", "don't", "don't"},
		{"$1|$2", "'it is", "'it|is"},
		{"$1", "“a b”", "“a"},
		{"$10 $0 $ARGUMENTSX $x", "", "$10 $0 $ARGUMENTSX $x"},
		{"no place", "all of\nit", "no place\n\nall of\nit"},
		{"no place", "", "no place"},
		{"$ARGUMENTS", "", ""},
	} {
		if got := slashcommand.Fill(c.text, c.arguments); got != c.want {
			t.Errorf("%q with %q: %q, not %q", c.text, c.arguments, got, c.want)
		}
	}
}

func TestRunsShell(t *testing.T) {
	for text, want := range map[string]bool{
		"Status: !`git status`": true, "!`ls`": true, "```!\nls\n```": true,
		"no! `x`": false, "a!`x`": false, "`!x`": false, "!`": false,
	} {
		if slashcommand.RunsShell(text) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}
