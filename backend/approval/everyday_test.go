package approval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// everyday are harmless commands that agents write all day, by the grants that cover them: none of
// them may start to ask. RO means ReadOnly.
var everyday = map[string][]string{
	"RO": {
		"ls", "ls -la", "ls -la src", "ls src/*.go", "ls -R src | head -50", "ls -1 | wc -l", "cat README.md", "cat src/a.go src/b.go", "cat src/*.go", "cat src/{a,b}.go", "cat -n src/a.go | head -40", "head -20 src/a.go", "head -n 50 src/a.go", "tail -n 30 out/log.txt", "tail -f out/log.txt", "wc -l src/*.go",
		"wc -l $(find src -name '*.go')", "cat $(git ls-files '*.md')", "find . -name '*.go'", "find . -type f -name '*.ts' -not -path './node_modules/*'", "find src -maxdepth 2 -type d", "find . -name '*.go' | xargs grep -l foo", "find . -name '*.go' -print0 | xargs -0 grep -n foo", "find . -name '*.go' | xargs wc -l | sort -n | tail -5", "find . -name '*.go' -exec grep -l foo {} +", "find . -name '*.go' -exec wc -l {} \\;", "find . -type f | head -100", "find . -newer src/a.go", "find . -size +100k",
		"grep -rn foo src", "grep -rn 'func main' --include='*.go' .", "grep -rnE 'foo|bar' src | head -20", "grep -c foo src/a.go", "grep -n \"a/b\" src/a.go", "grep -rn '/api/v1' src", "grep -v '^#' a.txt", "grep -rl foo src | xargs grep -n bar", "grep -i foo src/*.go || true", "grep -e /x src/a.go", "grep -A3 -B3 foo src/a.go", "rg foo", "rg -n 'foo\\(' src", "rg --files | head", "rg -t go foo src", "rg -l foo | xargs wc -l",
		"git status", "git status --short", "git log --oneline -10", "git log --oneline | head", "git log -p -- src/a.go", "git log --format='%h %s' -5", "git log --since='2 weeks ago'", "git diff", "git diff --stat", "git diff HEAD~1 -- src", "git diff main...HEAD", "git diff --name-only | xargs wc -l", "git show HEAD", "git show HEAD:src/a.go", "git show --stat HEAD~2", "git blame -L 10,20 src/a.go", "git ls-files | grep go", "git ls-files '*.go' | xargs wc -l", "git grep -n foo", "git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git branch --show-current", "git branch --list", "git branch --list 'feat/*'", "git stash list", "git remote -v", "git log -- src/*.go", "git --no-pager log -3",
		"sed -n '1,20p' src/a.go", "sed -n '/func main/,/^}/p' src/a.go", "sed -n 5p src/a.go", "sort a.txt | uniq -c | sort -rn", "sort -u a.txt", "cut -d: -f1 a.txt", "tr a-z A-Z < a.txt", "diff src/a.go src/b.go", "cmp a.txt b.txt", "du -sh src", "du -sh * | sort -h", "df -h", "stat src/a.go", "file src/a.go", "tree -L 2", "which go", "uname -a", "whoami", "id", "date", "date +%F", "date -u +%H:%M", "basename src/a.go", "dirname src/a.go", "realpath src", "sha256sum src/a.go", "sleep 1", "jq . a.json", "jq -r '.scripts | keys[]' a.json", "jq '.a[] | select(.b == \"c\")' a.json", "go version", "gofmt -l .", "gofmt -d src", "npm --version", "node --version", "python3 --version",
		"cd src && ls", "cd src && git log -3", "cd src && grep -n foo a.go", "cd src && cat a.go | head", "ls && git status", "ls; git diff --stat", "ls 2>/dev/null || echo none", "git status > /dev/null 2>&1 && echo ok", "[ -f a.txt ] && cat a.txt", "test -d src && ls src", "if [ -d src ]; then ls src; fi", "[[ -f a.txt ]] && head a.txt", "for f in src/a.go src/b.go; do head -5 $f; done", "for f in src/*.go; do wc -l \"$f\"; done", "for f in src/*.go; do echo \"== $f\"; head -3 $f; done", "for d in src out; do ls $d/; done", "for i in 1 2 3; do echo $i; sleep 1; done", "x=src; ls $x", "f=src/a.go; head -5 \"$f\" | cat", "cat \"$PWD/a.txt\"", "echo \"$(git rev-parse HEAD)\"", "echo \"$(date +%F) $(whoami)\"", "n=$(wc -l < a.txt); echo $n", "ls | while false; do echo x; done", "cat <<'EOF'\nsome text\nEOF", "cat <<EOF\nsome $x text\nEOF", "bash -c 'ls && git status'", "sh -c 'cat a.txt | head'", "timeout 10 grep -rn foo src", "time ls", "LANG=C sort a.txt", "# what is here\nls -la", "ls -la # all of it", "ls \\\n  -la \\\n  src", "git log --oneline -5 && echo '---' && git status --short", "set -e\nls\ngit status", "cat a.txt | sed -n '1,3p' | cut -c1-20", "head -c 100 a.txt | xxd | head -2 || true",
	},
	"go test*|go build*|go vet*|tail*|head*|grep*": {"go test ./...", "go test ./... 2>&1 | tail -20", "go test -run TestX -count=1 -v ./src", "go test -race ./... 2>&1 | grep -v '^ok'", "cd src && go test ./...", "go build ./...", "go build ./... && go vet ./...", "go vet ./... 2>&1 | head", "CGO_ENABLED=0 go build ./...", "GOOS=windows go vet ./...", "time go test ./src"},
	"npm run build*|npm test*|tail*":               {"npm run build", "npm run build 2>&1 | tail -5", "npm test", "npm test -- --run src/a.test.ts", "NODE_ENV=test npm test", "npm run build -- --watch", "CI=1 npm test"},
	"cd web && npm test*":                          {"cd web && npm test", "cd web && npm test -- -t foo", "cd ./web && npm test", "(cd web && npm test)", "cd web || exit 1; npm test", "cd web\nnpm test"},
	"make test|make build":                         {"make test", "make build", "make build && make test", "timeout 600 make test", "make test > /dev/null"},
	"git add*|git commit*":                         {"git add src/a.go", "git add -A && git commit -m 'fix: it'", "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" || true", "git add src/*.go", "git add src/{a,b}.go"},
	"cargo test*|cargo build*":                     {"cargo test", "cargo build --release", "cargo test --lib -- --nocapture", "RUST_BACKTRACE=1 cargo test"},
	"pytest*|python3 -m pytest*":                   {"pytest", "pytest tests/test_a.py -k foo -x", "pytest -q tests", "python3 -m pytest -q"},
	"mkdir -p*|> out/**":                           {"mkdir -p out/a", "mkdir -p out/a out/b", "echo hi > out/x.txt", "mkdir -p out/{a,b}"},
	"*":                                            {"anything --at all", "a | b && c $(d)", "make -j4 $X", "rm *.o", "docker compose ps"},
}

func TestEverydayCommandsDoNotAsk(t *testing.T) {
	asks := map[string]bool{ // text that is known only when it runs
		"git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" || true": true, "head -c 100 a.txt | xxd | head -2 || true": true,
	}
	n := 0
	for grants, commands := range everyday {
		list := strings.Split(grants, "|")
		if grants == "RO" {
			list = ReadOnly()
		}
		p, where := grantsFor(t, list)
		for _, c := range commands {
			want := Allow
			if asks[c] {
				want = Ask
			}
			n++
			if v := Simulate(p, "", c, "", where); v.Outcome != want {
				t.Errorf("with %q, %q: %s", grants, c, v.Reason)
			}
		}
	}
	t.Logf("%d commands", n)
}

// grantsFor is grants in a folder with some files.
func grantsFor(t *testing.T, patterns []string) (*Policy, Call) {
	p, where := grants(t, patterns...)
	if err := os.Remove(filepath.Join(where.Workspace, "etc")); err != nil { // it leads out
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "a.txt", "b.txt", "a.json", "go.mod", "src/a.go", "src/b.go", "out/log.txt", "web/package.json", "tests/test_a.py"} {
		path := filepath.Join(where.Workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p, where
}
