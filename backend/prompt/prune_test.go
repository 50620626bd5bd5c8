package prompt_test

import (
	"strings"
	"testing"

	"mutsumi/backend/prompt"
)

// Pruning removes entries that a later block replaces, forgetting removes a file from all blocks;
// the blocks look as if they had been written that way.
func TestPrune(t *testing.T) {
	c := newConversation(t, prompt.Versioned, map[string]string{".mutsumi/rules/r.md": "rule", "a.md": "A1", "b.md": "B1"})
	c.say(t, "@[a.md] @[b.md] @[echo{}]")
	c.write(t, "a.md", "A2")
	c.say(t, "go on")
	sent := []prompt.Sent{c.in.History[0].Sent, c.in.History[2].Sent}
	blocks := func(sent []prompt.Sent) string {
		var all []string
		for _, s := range sent {
			all = append(all, strings.TrimSuffix(strings.TrimPrefix(s.Block, "<content_reference>\n"), "\n</content_reference>"))
			for _, e := range s.Entries {
				if e.End > len(s.Block) || !strings.Contains(s.Block[e.Start:e.End], "content") && !strings.Contains(s.Block[e.Start:e.End], ":") {
					t.Errorf("entry %+v is not where it says", e)
				}
			}
		}
		return strings.Join(all, "\n")
	}
	want := `{"rules":[{"name":"r.md","content":"rule"}],"files":{"b.md":"B1"},"tools":[{"name":"echo","args":{},"result":"ECHO {}"}]}
{"rules":[],"files":{"a.md":"A2"},"tools":[],"versions":{"a.md":2}}`
	pruned := prompt.Prune(sent)
	if got := blocks(pruned); got != want {
		t.Errorf("pruned:\n%s\nwant\n%s", got, want)
	}
	if got := blocks(prompt.Forget(sent, "file:a.md")); got != strings.Replace(want, `{"rules":[],"files":{"a.md":"A2"},"tools":[],"versions":{"a.md":2}}`, "", 1) {
		t.Errorf("forgotten:\n%s", got)
	}
	// Later requests are based on the rest.
	c.in.History[0].Sent, c.in.History[2].Sent = pruned[0], pruned[1]
	out := c.say(t, "still there?")
	if got := blocks([]prompt.Sent{out.Sent}); got != "" {
		t.Errorf("sent again: %s", got)
	}
	if got := out.Messages[1].Content.String(); !strings.HasSuffix(got, pruned[0].Block) {
		t.Errorf("the pruned block differs from the sent one: %s", got)
	}
	checkParts(t, out)
}
