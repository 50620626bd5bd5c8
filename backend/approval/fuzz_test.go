package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// FuzzCovered looks for a command that a grant of git log allows although it holds a simple command
// of another program. It uses its own walk over the syntax.
func FuzzCovered(f *testing.F) {
	for _, c := range allowedByGitLog {
		f.Add(c)
	}
	for _, c := range asksDespiteGitLog {
		f.Add(c)
	}
	p, where := grants(f, "git log*")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewRequest(Call{Tool: "shell", Notebook: "n", Workspace: where.Workspace, Roots: where.Roots, Arguments: `{"command":` + jsonText(text) + `}`}, About{})
		if r.Command == nil || r.Suggestions == nil {
			t.Fatal("no request was made")
		}
		if v := Simulate(p, "", text, "", where); v.Outcome != Allow {
			return
		}
		if program := stray(text, 0); program != "" {
			t.Fatalf("%q is let through and runs %q", text, program)
		}
	})
}

// stray finds a simple command in a text that is not git log and none of the
// builtins and wrappers that may be around it.
func stray(text string, depth int) (found string) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return "a text that is no command"
	}
	around := setOf(": true false exit break continue return shift echo pwd cd set test [ timeout nice ionice nohup setsid stdbuf time command builtin exec env xargs")
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.ProcSubst, *syntax.LetClause, *syntax.ArithmCmd:
			found = "a construct that hides programs"
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			var words []string
			for _, a := range n.Args {
				words = append(words, bare(a))
			}
			for len(words) > 0 && around[words[0]] {
				if setOf("timeout nice ionice nohup setsid stdbuf time command builtin exec env xargs")[words[0]] {
					// After the wrapper the command begins at git, or is another program.
					i := 1
					for i < len(words) && words[i] != "git" && words[i] != "sh" && words[i] != "bash" && words[i] != "dash" && !around[words[i]] {
						i++
					}
					if i == len(words) && words[0] != "command" && words[0] != "xargs" {
						found = strings.Join(words, " ")
						return false
					}
					words = words[i:]
					continue
				}
				return true
			}
			switch {
			case len(words) == 0:
			case words[0] == "sh" || words[0] == "bash" || words[0] == "dash":
				if depth > maxNested {
					found = "too deep"
				} else if s := stray(words[min(2, len(words)-1)], depth+1); s != "" {
					found = s
				}
			case words[0] != "git":
				found = words[0]
			}
		}
		return found == ""
	})
	return found
}

func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
