package approval

import (
	"os/exec"
	"testing"
)

// A shell reads the line as the words that it was made of.
func TestLineOf(t *testing.T) {
	words := []string{"printf", "%s|", "a b", "it's", "$HOME", "*", "", "x;y", "über", "`id`"}
	line, err := LineOf(words, map[string]string{"B": "two words", "A": "1"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("bash", "-c", line).Output()
	if want := "a b|it's|$HOME|*||x;y|über|`id`|"; err != nil || string(out) != want {
		t.Errorf("%s: %q, %v; want %q", line, out, err, want)
	}
	if line, err := LineOf([]string{"x"}, map[string]string{"A=1 rm": ""}); err == nil {
		t.Errorf("a variable of any name was taken: %s", line)
	}
}

// No rule is offered for all calls of an agent's tool that may do anything.
func TestNoRuleForUnboundedCalls(t *testing.T) {
	for tool, offers := range map[string]bool{"acp_fetch": true, "acp_other": false, "acp_execute": false} {
		r := NewRequest(Call{Tool: tool, Arguments: `{"title":"x"}`, Workspace: t.TempDir()}, About{})
		if got := len(r.Suggestions) > 0; got != offers {
			t.Errorf("%s: %v", tool, r.Suggestions)
		}
	}
}
