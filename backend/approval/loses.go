package approval

import (
	"slices"
	"strings"
)

// gitValued are options of git itself that take the next argument.
var gitValued = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--exec-path"}

// gitLoses describes what a git command discards that git does not keep, for the person who is
// asked; "" for a command that discards nothing. It only warns: grants and findings decide what
// runs unasked.
func gitLoses(args []word) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = a.text
	}
	at := 0
	for at < len(texts) && strings.HasPrefix(texts[at], "-") {
		if slices.Contains(gitValued, texts[at]) {
			at++
		}
		at++
	}
	if at >= len(texts) {
		return ""
	}
	verb, rest := texts[at], texts[at+1:]
	has := func(names ...string) bool {
		return slices.ContainsFunc(rest, func(s string) bool {
			name, _, _ := strings.Cut(s, "=")
			return slices.ContainsFunc(names, func(n string) bool {
				if len(n) == 2 && n[0] == '-' && n[1] != '-' { // a letter, alone or among others
					return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.Contains(s[1:], n[1:])
				}
				return name == n || strings.HasPrefix(n, "--") && len(name) > 3 && strings.HasPrefix(n, name)
			})
		})
	}
	switch verb {
	case "reset":
		if has("--hard", "--merge") {
			return "git reset " + rest[0] + " throws away changes that are not committed"
		}
	case "checkout":
		if has("--", ".", "-f", "--force", "--ours", "--theirs", "--pathspec-from-file") {
			return "git checkout throws away changes of files that are not committed"
		}
	case "restore":
		if !has("--staged", "-S") || has("--worktree", "-W") {
			return "git restore throws away changes of files that are not committed"
		}
	case "switch":
		if has("-f", "--force", "--discard-changes") {
			return "git switch throws away changes that are not committed"
		}
	case "clean":
		if !has("-n", "--dry-run") {
			return "git clean deletes files that git does not know"
		}
	case "rm":
		if !has("-n", "--dry-run", "--cached") {
			return "git rm deletes files"
		}
	case "stash":
		if len(rest) > 0 && (rest[0] == "drop" || rest[0] == "clear") {
			return "git stash " + rest[0] + " throws away changes that were put aside"
		}
	case "branch":
		if has("-D") || has("-d", "--delete") && has("-f", "--force") {
			return "git branch deletes a branch, merged or not"
		}
	case "push":
		over := slices.ContainsFunc(rest, func(s string) bool { return strings.HasPrefix(s, "+") || strings.HasPrefix(s, ":") })
		if over || has("-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--prune") {
			return "git push overwrites or deletes what others may have built on"
		}
	case "reflog":
		if has("expire", "delete") {
			return "git reflog forgets commits that nothing else holds"
		}
	case "gc", "prune":
		if verb == "prune" || has("--prune") {
			return "git " + verb + " deletes commits that nothing holds any more"
		}
	case "update-ref":
		if has("-d") {
			return "git update-ref deletes a branch or tag"
		}
	case "worktree":
		if len(rest) > 0 && rest[0] == "remove" && has("-f", "--force") {
			return "git worktree remove throws away changes that are not committed"
		}
	case "filter-branch", "filter-repo":
		return "git " + verb + " rewrites the history"
	}
	return ""
}
