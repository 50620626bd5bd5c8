package approval

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The offers on a command's card cover it, and no command of the same program that does something
// else.
func TestOffersCoverNothingElse(t *testing.T) {
	data, err := os.ReadFile("testdata/offers.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Command  string
		Siblings []string
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	_, where := grants(t)
	if err := os.MkdirAll(where.Workspace+"/sub/evil", 0o755); err != nil {
		t.Fatal(err)
	}
	offers, siblings := 0, 0
	for _, c := range table {
		call := where
		call.Arguments = `{"command":` + jsonText(c.Command) + `}`
		for _, s := range NewRequest(call, About{}).Suggestions {
			offers++
			p := NewPolicy()
			for _, pattern := range s.Patterns {
				if _, err := p.Add(Rule{Tool: "shell", Pattern: pattern, Scope: Always}); err != nil {
					t.Errorf("%q offers %q: %v", c.Command, pattern, err)
				}
			}
			if v := p.Check(call); v.Outcome != Allow {
				t.Errorf("%q: %q is offered, but: %s", c.Command, s.Patterns, v.Reason)
			}
			for _, sibling := range c.Siblings {
				siblings++
				if v := Simulate(p, "", sibling, "", where); v.Outcome == Allow {
					t.Errorf("%q: %q is offered, and lets %q through", c.Command, s.Patterns, sibling)
				}
			}
		}
	}
	t.Logf("%d offers for %d commands, compared with %d others", offers, len(table), siblings)
}

// A program that is in no table gets no star: its options are unknown.
func TestUnknownProgramsAreOfferedAsTheyAre(t *testing.T) {
	_, where := grants(t)
	for _, command := range []string{"frobnicate a", "./build.sh", "bat a", "delta a b", "fzf", "hyperfine ls", "npx tsc", "docker ps", "kubectl get pods", "make test", "rm -rf node_modules", "git config user.name", "git push origin main", "cp a b", "python3 -m pytest", "node a.js"} {
		call := where
		call.Arguments = `{"command":` + jsonText(command) + `}`
		offered := NewRequest(call, About{}).Suggestions
		if len(offered) != 1 || !slices.Equal(offered[0].Patterns, []string{command}) {
			t.Errorf("%q: %+v", command, offered)
		}
	}
	for command, want := range map[string]string{
		"git log -3": "git log *", "go test ./...": "go test *", "npm run build": "npm run build *", "cd src && npm test": "cd src && npm test *", "ls -la": "ls *", "cd src && git log": "git log *", "cd src && make": "cd src && make", "cat a | sort -u": "cat *|sort *",
	} {
		call := where
		call.Arguments = `{"command":` + jsonText(command) + `}`
		offered := NewRequest(call, About{}).Suggestions
		if len(offered) == 0 || strings.Join(offered[len(offered)-1].Patterns, "|") != want {
			t.Errorf("%q: %+v, want %s", command, offered, want)
		}
	}
}
