package skills_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/files/filestest"
	"mutsumi/backend/skills"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	filestest.Write(t, file, text)
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Skip("cannot make links: ", err)
	}
}

func head(name, more string) string {
	return "---\nname: " + name + "\n" + more + "---\n# Body\n"
}

// The cases of the reference parser (agentskills/agentskills, skills-ref/tests), each with a word
// of its problem; "" if the skill can be used.
func TestTheCasesOfTheReferenceParser(t *testing.T) {
	const d = "description: A test skill\n"
	for _, c := range []struct{ what, folder, text, problem string }{
		{"valid", "my-skill", head("my-skill", d), ""},
		{"all fields", "my-skill", head("my-skill", d+"license: MIT\nmetadata:\n  author: Test\n  version: 1.0\n"), ""},
		{"allowed tools", "my-skill", head("my-skill", d+"allowed-tools: Bash(jq:*) Bash(git:*)\n"), ""},
		{"a name of digits", "123", head("123", d), ""},
		{"in Chinese", "技能", head("技能", d), ""},
		{"in Russian", "мой-навык", head("мой-навык", d), ""},
		{"in Russian, capitals", "НАВЫК", head("НАВЫК", d), "cannot name"},
		{"capitals", "MySkill", head("MySkill", d), "cannot name"},
		{"64 characters", strings.Repeat("a", 64), head(strings.Repeat("a", 64), d), ""},
		{"65 characters", strings.Repeat("a", 65), head(strings.Repeat("a", 65), d), "longer than 64"},
		{"a hyphen first", "-my-skill", head("-my-skill", d), "cannot name"},
		{"a hyphen last", "my-skill-", head("my-skill-", d), "cannot name"},
		{"two hyphens", "my--skill", head("my--skill", d), "cannot name"},
		{"an underscore", "my_skill", head("my_skill", d), "cannot name"},
		{"another folder", "wrong-name", head("correct-name", d), "make them the same"},
		{"no front matter", "my-skill", "# No front matter here\n", "no front matter"},
		{"front matter without end", "my-skill", "---\nname: my-skill\n" + d, "no front matter"},
		{"invalid YAML", "my-skill", "---\nname: [invalid\ndescription: broken\n---\nBody\n", "not YAML"},
		{"a list", "my-skill", "---\n- just\n- a\n---\nBody\n", "no front matter"},
		{"no name", "my-skill", "---\n" + d + "---\nBody\n", "says no name"},
		{"no description", "my-skill", head("my-skill", ""), "no description"},
		{"an empty description", "my-skill", head("my-skill", "description:\n"), "no description"},
		{"1024 characters", "my-skill", head("my-skill", "description: "+strings.Repeat("技", 1024)+"\n"), ""},
		{"1025 characters", "my-skill", head("my-skill", "description: "+strings.Repeat("x", 1025)+"\n"), "longer than 1024"},
		{"compatibility", "my-skill", head("my-skill", d+"compatibility: Requires Python 3.11+\n"), ""},
		{"long compatibility", "my-skill", head("my-skill", d+"compatibility: "+strings.Repeat("x", 550)+"\n"), "compatibility is longer"},
		// What the guide for clients requires in addition.
		{"fields of other programs", "my-skill", head("my-skill", d+"model: opus\nuser-invocable: true\n"), ""},
		{"a colon without quotes", "my-skill", head("my-skill", "description: Use this when: the user's file is a PDF\n"), ""},
		{"not for models", "my-skill", head("my-skill", d+"disable-model-invocation: true\n"), "no model may use it"},
		{"said twice", "my-skill", head("my-skill", d+d), "second time"},
		{"a description that is a list", "my-skill", head("my-skill", "description: [a, b]\n"), "has to be a text"},
		{"Windows lines", "my-skill", strings.ReplaceAll(head("my-skill", d), "\n", "\r\n"), ""},
		{"not text", "my-skill", head("my-skill", d) + "\xff\xfe", "UTF-8"},
		{"64 KB", "my-skill", head("my-skill", d) + strings.Repeat("x", 64<<10), "larger than 64 KB"},
	} {
		t.Run(c.what, func(t *testing.T) {
			folder := t.TempDir()
			write(t, filepath.Join(folder, ".agents", "skills", c.folder, "SKILL.md"), c.text)
			all := skills.Scan(folder, "")
			if len(all) != 1 || all[0].Name != c.folder {
				t.Fatalf("found %+v", all)
			}
			s := all[0]
			if s.Usable() != (c.problem == "") || !strings.Contains(s.Problem, c.problem) {
				t.Fatalf("problem %q, want %q", s.Problem, c.problem)
			}
			if c.problem == "" && (s.Description == "" || s.Body != "# Body") {
				t.Errorf("description %q, body %q", s.Description, s.Body)
			}
		})
	}
}

func TestTheDescriptionIsReadWithColons(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, ".claude", "skills", "a", "SKILL.md"), head("a", "description: Use this when: the user's file is a PDF\n"))
	if s := skills.Scan(folder, ""); s[0].Description != "Use this when: the user's file is a PDF" {
		t.Fatalf("%+v", s)
	}
}

func TestSmallLettersCountWhereThereIsNoOther(t *testing.T) {
	folder, text := t.TempDir(), head("a", "description: d\n")
	write(t, filepath.Join(folder, ".claude", "skills", "a", "skill.md"), text)
	if s := skills.Scan(folder, ""); len(s) != 1 || s[0].File != "skill.md" || !s[0].Usable() {
		t.Fatalf("%+v", s)
	}
	write(t, filepath.Join(folder, ".claude", "skills", "a", "SKILL.md"), text)
	if s := skills.Scan(folder, ""); len(s) != 1 || s[0].File != "SKILL.md" {
		t.Fatalf("%+v", s)
	}
}

func TestPlacesFilesAndDuplicates(t *testing.T) {
	folder, own := t.TempDir(), t.TempDir()
	in := func(parts ...string) string { return filepath.Join(append([]string{folder}, parts...)...) }
	text := func(name, about string) string { return head(name, "description: "+about+"\n") }
	write(t, in(".claude", "skills", "pdf", "SKILL.md"), text("pdf", "of Claude"))
	write(t, in(".mutsumi", "skills", "pdf", "SKILL.md"), text("pdf", "of Mutsumi"))
	write(t, in(".mutsumi", "skills", "pdf", "scripts", "b.py"), "b")
	write(t, in(".mutsumi", "skills", "pdf", "a.md"), "a")
	write(t, in(".mutsumi", "skills", "pdf", ".git", "HEAD"), "x")
	write(t, in(".agents", "skills", "broken", "SKILL.md"), "no head")
	write(t, in(".agents", "skills", "no-skill", "README.md"), "x")
	write(t, in(".agents", "skills", "README.md"), "x")
	write(t, filepath.Join(own, "pdf", "SKILL.md"), text("pdf", "own"))
	write(t, filepath.Join(own, "broken", "SKILL.md"), text("broken", "own"))

	show := func(counts func(skills.Skill) bool) (lines []string) {
		for _, s := range skills.Choose(skills.Scan(folder, own), counts) {
			lines = append(lines, fmt.Sprint(s.Name, " ", s.Description, " ", s.Files, " ", s.Usable()))
		}
		return lines
	}
	all := func(skills.Skill) bool { return true }
	if got, want := show(all), []string{
		"pdf of Mutsumi [a.md scripts/b.py] true", "broken  [] false", "pdf of Claude [] false", "broken own [] true", "pdf own [] false",
	}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	list := skills.Choose(skills.Scan(folder, own), all)
	if p := list[2].Problem; !strings.Contains(p, ".mutsumi/skills/pdf/SKILL.md") {
		t.Errorf("the duplicate's problem is %q", p)
	}
	// An untrusted skill of a folder never takes precedence.
	got := show(func(s skills.Skill) bool { return s.Rel == "" })
	if want := "pdf own [] true"; !slices.Contains(got, want) {
		t.Errorf("without trust: %q", got)
	}
	if got, want := skills.Files(folder), []string{
		".mutsumi/skills/pdf/SKILL.md", ".mutsumi/skills/pdf/a.md", ".mutsumi/skills/pdf/scripts/b.py", ".agents/skills/broken/SKILL.md", ".claude/skills/pdf/SKILL.md",
	}; !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	for _, f := range skills.Files(folder) {
		if name := skills.NameIn(f); name != "pdf" && name != "broken" {
			t.Errorf("%s belongs to %q", f, name)
		}
	}
}

// Links within the folder are followed, and their target is one skill. Links that lead out make a
// skill unusable, and nothing behind them is read.
func TestLinks(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "x", "SKILL.md")
	write(t, secret, head("x", "description: secret\n"))
	write(t, filepath.Join(folder, ".agents", "skills", "a", "SKILL.md"), head("a", "description: d\n"))
	link(t, filepath.Join("..", ".agents", "skills"), filepath.Join(folder, ".claude", "skills"))
	all := skills.Choose(skills.Scan(folder, ""), func(skills.Skill) bool { return true })
	if len(all) != 1 || !all[0].Usable() || all[0].Rel != ".agents/skills/a" {
		t.Errorf("a place that links to a folder inside: %+v", all)
	}

	at := filepath.Join(folder, ".mutsumi", "skills")
	link(t, filepath.Join(outside, "x"), filepath.Join(at, "x"))
	write(t, filepath.Join(at, "file", "a.md"), "a")
	link(t, secret, filepath.Join(at, "file", "SKILL.md"))
	write(t, filepath.Join(at, "part", "SKILL.md"), head("part", "description: d\n"))
	link(t, secret, filepath.Join(at, "part", "more.md"))
	for _, s := range skills.Scan(folder, "")[:3] {
		if s.Usable() || !strings.Contains(s.Problem, "leads out") || strings.Contains(s.Text+s.Description, "secret") {
			t.Errorf("%s: %q, %q", s.Name, s.Problem, s.Text)
		}
	}

	elsewhere := t.TempDir()
	link(t, outside, filepath.Join(elsewhere, ".claude", "skills"))
	if all := skills.Scan(elsewhere, ""); len(all) != 1 || all[0].Usable() || !strings.Contains(all[0].Problem, "leads out") {
		t.Errorf("a place that links to a folder outside: %+v", all)
	}
}

func TestLimits(t *testing.T) {
	folder := t.TempDir()
	at := filepath.Join(folder, ".claude", "skills")
	for i := range 201 {
		name := fmt.Sprintf("s%03d", i)
		write(t, filepath.Join(at, name, "SKILL.md"), head(name, "description: d\n"))
	}
	all := skills.Scan(folder, "")
	if n := len(all); n != 201 || !all[199].Usable() || !strings.Contains(all[200].Problem, "more than 200") {
		t.Errorf("%d skills, the last %+v", n, all[n-1])
	}

	folder = t.TempDir()
	at = filepath.Join(folder, ".claude", "skills", "many")
	write(t, filepath.Join(at, "SKILL.md"), head("many", "description: d\n"))
	for i := range 1000 {
		write(t, filepath.Join(at, "assets", fmt.Sprint(i)), "x")
	}
	if all := skills.Scan(folder, ""); len(all) != 1 || all[0].Usable() || !strings.Contains(all[0].Problem, "more than 1000 files") {
		t.Errorf("a skill with too many files: %+v", all)
	}
}
