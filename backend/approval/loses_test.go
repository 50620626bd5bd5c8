package approval

import (
	"slices"
	"testing"
)

// A card warns when git would discard what it does not keep, so that nobody approves it like a
// command that only reads.
func TestTheCardWarnsOfWhatGitDiscards(t *testing.T) {
	dir := t.TempDir()
	for command, lost := range map[string]bool{
		"git reset --hard":                          true,
		"git reset --hard HEAD~1":                   true,
		"git reset --har":                           true,
		"git -C sub -c a.b=c reset --merge":         true,
		"git reset HEAD a.go":                       false,
		"git reset --soft HEAD~1":                   false,
		"git checkout -- .":                         true,
		"git checkout .":                            true,
		"git checkout -qf main":                     true,
		"git checkout main":                         false,
		"git checkout -b topic":                     false,
		"git restore a.go":                          true,
		"git restore --staged a.go":                 false,
		"git restore -SW a.go":                      true,
		"git switch --discard-changes main":         true,
		"git switch main":                           false,
		"git clean -fdx":                            true,
		"git clean -n":                              false,
		"git rm a.go":                               true,
		"git rm --cached a.go":                      false,
		"git stash":                                 false,
		"git stash pop":                             false,
		"git stash drop":                            true,
		"git stash clear":                           true,
		"git branch -D topic":                       true,
		"git branch --delete --force topic":         true,
		"git branch -d topic":                       false,
		"git push":                                  false,
		"git push --force-with-lease origin main":   true,
		"git push -f":                               true,
		"git push origin +main":                     true,
		"git push origin :topic":                    true,
		"git reflog expire --expire=now --all":      true,
		"git reflog":                                false,
		"git gc --prune=now":                        true,
		"git gc":                                    false,
		"git update-ref -d refs/heads/topic":        true,
		"git worktree remove --force ../x":          true,
		"git log --oneline":                         false,
		"git diff --stat":                           false,
		"git":                                       false,
		"git -C":                                    false,
		"make test && git reset --hard origin/main": true,
	} {
		c := Call{Tool: "shell", Workspace: dir, Roots: []string{dir}, Arguments: arguments(t, map[string]string{"command": command})}
		r := NewRequest(c, About{})
		if got := slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Kind == RiskDeletes }); got != lost {
			t.Errorf("%s: warned %v, want %v (%+v)", command, got, lost, r.Warnings)
		}
	}
}
