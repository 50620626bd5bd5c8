package workspace_test

import (
	"testing"

	"mutsumi/backend/notebook"
)

// What is typed reaches the notebook before its event reaches the interface,
// which asks for the same cell before and after.
func TestAPromptOnItsWayIsCountedOnce(t *testing.T) {
	d := ruleFolder(t, true)
	path := d.create("Typed")
	look := func() (messages, tokens int) {
		p, c := d.preview(path, "abc", "What is this?"), d.context(path, "abc", "What is this?")
		return len(p.Messages), c.Tokens
	}
	messages, tokens := look()
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, ID: "abc", Text: "What is this?"}}, "test"); err != nil {
		t.Fatal(err)
	}
	if m, n := look(); m != messages || n != tokens {
		t.Errorf("%d messages of %d tokens before it came, %d of %d after", messages, tokens, m, n)
	}
}
