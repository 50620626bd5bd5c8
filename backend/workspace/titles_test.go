package workspace_test

import (
	"testing"

	"mutsumi/backend/workspace"
)

func TestAnAgentIsNamedAfterItsFirstPrompt(t *testing.T) {
	d := open(t, "", "answer always\ntext Hello.")
	first, second := d.create(""), d.create("")
	if a, b := d.node(first).Name, d.node(second).Name; a != "New agent" || b != "New agent 2" {
		t.Fatalf("new agents are called %q and %q", a, b)
	}
	d.run(first, d.prompt(first, "please fix the login test. It fails."), workspace.RunCell)
	d.untilFinished(1)
	d.run(second, d.prompt(second, "Fix the login test"), workspace.RunCell)
	d.untilFinished(1)
	if a, b := d.node(first).Name, d.node(second).Name; a != "Fix the login test" || b != "Fix the login test 2" {
		t.Errorf("after their first prompts they are called %q and %q", a, b)
	}
	d.run(first, d.prompt(first, "now the logout test"), workspace.RunCell)
	d.untilFinished(1)
	if name := d.node(first).Name; name != "Fix the login test" {
		t.Errorf("a second prompt changes the name to %q", name)
	}
}

func TestANameThatAPersonGaveStays(t *testing.T) {
	d := open(t, "", "answer always\ntext Hello.")
	named, renamed := d.create("Gardener"), d.create("")
	if err := d.Rename(renamed, "Baker"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{named: "Gardener", renamed: "Baker"} {
		d.run(path, d.prompt(path, "Fix the login test"), workspace.RunCell)
		d.untilFinished(1)
		if name := d.node(path).Name; name != want {
			t.Errorf("%s is called %q, want %q", path, name, want)
		}
	}
}

func TestAPromptWithoutWordsNamesNobody(t *testing.T) {
	d := open(t, "", "answer always\ntext Hello.")
	path := d.create("")
	d.run(path, d.prompt(path, "???"), workspace.RunCell)
	d.untilFinished(1)
	if name := d.node(path).Name; name != "New agent" {
		t.Errorf("it is called %q", name)
	}
}
