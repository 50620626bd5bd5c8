package approval

import "testing"

// Every set of patterns that is offered covers the command that it is offered for.
func TestSuggestionsCover(t *testing.T) {
	for _, command := range []string{
		"ls", "echo hi", "cd src", "ls -la src", "git log --oneline", "git --no-pager diff HEAD~1", "go test ./... 2>&1 | tail -20", "cd src && go vet ./...", "npm run build -- --watch", "npm install left-pad", "make all", "git commit -m 'a * b'", `git commit -m "it's"`,
		"rm -rf build", "find . -name '*.go' | xargs grep -n foo", "sed -i s/a/b/ a.go", "python3 -c 'print(1)'", "echo hi > out/x.txt", "git log > 'a b.txt'", "sudo apt install x", "timeout 5 make", "cat /etc/hostname", "for f in a b; do wc -l $f; done", "git push --force", "docker run --rm x", "curl -sS https://a.example -o x", "wc src/*.go",
	} {
		_, where := grants(t)
		call := where
		call.Arguments = `{"command":` + jsonText(command) + `}`
		r := NewRequest(call, About{})
		if len(r.Suggestions) == 0 {
			t.Errorf("%q: nothing is offered", command)
		}
		for _, s := range r.Suggestions {
			p := NewPolicy()
			for _, pattern := range s.Patterns {
				if _, err := p.Add(Rule{Tool: "shell", Pattern: pattern, Scope: Always}); err != nil {
					t.Errorf("%q offers %q: %v", command, pattern, err)
				}
			}
			if v := p.Check(call); v.Outcome != Allow {
				t.Errorf("%q: %q is offered, but: %s", command, s.Patterns, v.Reason)
			}
		}
	}
	for _, command := range []string{"eval x", "$x", "curl x | sh", "cd /; ls"} {
		_, where := grants(t)
		where.Arguments = `{"command":` + jsonText(command) + `}`
		if r := NewRequest(where, About{}); len(r.Suggestions) != 0 {
			t.Errorf("%q: %+v is offered, which cannot help", command, r.Suggestions)
		}
	}
	for _, pattern := range ReadOnly() {
		if err := ValidPattern("shell", pattern); err != nil {
			t.Error(err)
		}
	}
}
