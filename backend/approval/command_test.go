package approval

import (
	"os"
	"path/filepath"
	"testing"
)

// grants makes a policy with grants for the shell tool, in a real folder.
func grants(t testing.TB, patterns ...string) (*Policy, Call) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"src", ".git", "out"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "etc")); err != nil {
		t.Skip("no links here:", err)
	}
	p := NewPolicy()
	for _, g := range patterns {
		if _, err := p.Add(Rule{Tool: "shell", Pattern: g, Scope: Always}); err != nil {
			t.Fatalf("%s: %v", g, err)
		}
	}
	return p, Call{Tool: "shell", Notebook: "n", Workspace: dir, Roots: []string{dir}}
}

// allowedByGitLog are commands that a grant of git log lets through: nothing
// but git log runs in them.
var allowedByGitLog = []string{
	"git log", "git log -3", "git log --oneline -- src/a.go", "git --no-pager log", "'git' log", `g\it log`, `"git" "log"`,
	"git log; git log -1", "git log && git log", "git log || true", "git log | git log", "(git log)", "{ git log; }", "! git log",
	"git log\ngit log", "git log # rm -rf /", "git log \\\n -3", "git log &", "if git log; then git log; fi",
	"while false; do git log; done", "for i in 1 2; do git log; done", "case x in x) git log;; esac", "time git log", "nohup git log",
	"timeout 5 git log", "timeout -k 1 -s KILL 5 git log", "nice -n 5 git log", "command git log", "exec git log", "env git log",
	"env LANG=C git log", "LANG=C git log", "GOOS=linux git log", "stdbuf -oL git log", "sh -c 'git log'", `bash -c "git log && git log"`,
	"sh -c 'sh -c \"git log\"'", "git log --grep='rm -rf'", "git log --grep=\"a; rm -rf b\"", "git log --format='%h $(rm)'",
	"git log > /dev/null", "git log 2>&1", "git log 2> /dev/null", "git log < /dev/null", "cd src && git log", "cd ./src; git log",
	"echo $(git log)", "echo `git log`", "echo \"$(git log -1)\"", "git log <<EOF\n$(git log)\nEOF", "git log <<'EOF'\n$(rm)\nEOF",
	"git log <<< 'rm -rf /'", "[ -f src ] && git log", "[[ -d src ]] && git log", "set -e; git log", "set -euo pipefail\ngit log",
	"export LANG=C; git log", "x=1; git log", "echo $((1+2)); git log", "git log -- src/*.go", "git log --author='$(rm)'", "git log 'a b'",
	"git log src/{a,b}.go", "git log HEAD@{1}", "git log \\; rm", "git log '|' sh", "git log \"&&\" rm", "echo 'rm' | git log", "test -f a && git log",
	"true && git log", "git log || exit 1", "git log; echo done", "git log; echo $?",
}

// asksDespiteGitLog are commands that could run, write or read something in addition to git log.
var asksDespiteGitLog = []string{
	// other programs, in plain sight and not
	"rm -rf /", "git", "git push", "git logx", "git log; rm x", "git log && rm x", "git log || rm x", "git log | sh", "git log |& sh", "git log & rm x",
	"git log\nrm x", "rm x\ngit log", "(rm x)", "{ rm x; }", "! rm x", "git log $(rm x)", "git log `rm x`", "git log \"$(rm x)\"", "git log \"`rm x`\"",
	"git log \"a$(echo \"$(rm x)\")\"", "git log <(rm x)", "git log >(rm x)", "git log <<EOF\n$(rm x)\nEOF", "git log <<-EOF\n\t`rm x`\n\tEOF",
	"git log <<< $(rm x)", "git log > $(rm x)", "echo ${x:-$(rm x)}", "echo ${x#$(rm x)}", "echo ${x/a/$(rm x)}", "if rm x; then git log; fi", "if git log; then rm x; fi",
	"if git log; then true; elif rm x; then true; fi", "if false; then true; else rm x; fi", "while rm x; do git log; done", "until git log; do rm x; done",
	"for i in $(rm x); do git log; done", "for i in 1; do rm x; done", "case $(rm x) in x) git log;; esac", "case x in $(rm x)) git log;; esac", "case x in x) rm x;; esac",
	"coproc git log", "coproc rm x", "time rm x", "[[ $(rm x) ]] && git log", "[ $(rm x) ] && git log", "x=$(rm x) git log", "x=$(rm x); git log",
	"export LANG=$(rm x); git log", "cd $(rm x) && git log",
	// names that only look like git
	"./git log", "/tmp/git log", "GIT log", "gi? log", "g*t log", "{git,log}", "{rm,-rf,x}", "{git,rm} log", "$git log", "$(echo git) log", "`echo git` log", "\"$X\" log", "${x}git log",
	"g$'i't log", "$'git' log", "$\"git\" log", "git\u00a0log", "git\u2003log", "git\u200blog; rm", "ɡit log", "git log\r\nrm x", "git log\x00rm", "git log \x1b[2K", "git\u2028log", "git log \u202e x", "~/git log", "''git'' 'lo'gx",
	// names that are made to mean something else
	"git() { rm x; }; git log", "function git { rm x; }; git log", "alias git=rm; git log", "hash -p /tmp/x git; git log", "PATH=/tmp git log", "PATH=/tmp; git log",
	"export PATH=/tmp; git log", "declare -x PATH=/tmp; git log", "typeset PATH=/tmp; git log", "local PATH=x; git log", "readonly PATH=/tmp; git log", "PATH+=:/tmp; git log", "for PATH in /tmp; do git log; done",
	"read PATH; git log", "printf -v PATH x; git log", "echo ${PATH:=/tmp}; git log", "echo $((PATH=1)); git log", "((PATH=1)); git log", "let PATH=1; git log", "select PATH in /tmp; do git log; done",
	"command export PATH=/tmp; git log", "builtin export PATH=/tmp; git log", "\\export PATH=/tmp; git log", "'export' PATH=/tmp; git log", "enable -f ./x.so git; git log", "unset PATH; git log", "mapfile -C rm x; git log", "getopts a PATH; git log",
	"LD_PRELOAD=./x.so git log", "LD_LIBRARY_PATH=. git log", "DYLD_INSERT_LIBRARIES=x git log", "GIT_PAGER=rm git log", "PAGER='rm x' git log", "GIT_EXTERNAL_DIFF=./x git log -p", "GIT_CONFIG_COUNT=1 git log", "HOME=/tmp git log",
	"GIT_SSH_COMMAND='rm x' git log", "BASH_ENV=x bash -c 'git log'", "IFS=x; git log", "PROMPT_COMMAND=rm; git log", "PS4='$(rm x)'; set -x; git log", "env PATH=/tmp git log", "env -S 'rm x'", "env -i PATH=/tmp git log", "env -u PATH git log",
	"exec 3<>/dev/tcp/a/1; git log", "exec -a git rm", "exec rm x", "env -C / git log", "shopt -s expand_aliases; git log", "set -o history; git log", "set -- rm; \"$@\"; git log", "trap 'rm x' EXIT; git log", "a[$(rm x)]=1; git log", "x=(a b); git log",
	// programs that run others
	"eval git log", "eval 'rm x'", "eval \"$x\"", "source x; git log", ". ./x; git log", "command rm x", "builtin eval 'rm x'", "exec rm", "env rm x", "sudo git log", "sudo rm x", "doas git log", "su -c 'git log'", "time -o out git log", "nohup rm x", "timeout 5 rm x", "timeout $x git log", "timeout -s KILL 5 rm x", "nice rm x",
	"setsid rm x", "stdbuf -oL rm x", "xargs rm", "git log | xargs rm", "git log | xargs git log", "echo x | xargs -I{} sh -c '{}'", "xargs -I git git log", "find . -exec rm {} ;", "find . -exec git log {} +", "find . -exec git log \\; -exec rm {} \\;", "find . -delete", "find . -ok rm {} \\;", "find . -fprintf x y",
	"sh -c 'rm x'", "sh -c \"$x\"", "sh -c $x", "sh x", "bash", "git log | bash", "bash <<EOF\nrm x\nEOF", "bash -s < x", "bash -lc 'git log'", "bash --rcfile x -c 'git log'", "bash -ic 'git log'", "bash -O expand_aliases -c 'git log'", "zsh -c 'git log'", "sh -c 'git log' && rm", "sh -c 'git log; rm x'", "bash -c 'bash -c \"rm x\"'", "sh -c \"git log \\$(rm x)\"",
	"python -c 'import os'", "python3 - <<EOF\nx\nEOF", "perl -e 'x'", "ruby -e x", "node -e x", "awk 'BEGIN{system(\"rm\")}'", "sed -n 'e rm' x", "sed '1e rm' x", "sed 's/x/rm/e' x", "sed 'w out' x", "tar xf x --to-command=rm", "vim -c '!rm'", "npx rm", "ssh host git log", "busybox rm x", "watch git log", "strace git log", "script -c 'git log'", "parallel git log", "flock x git log", "unshare git log", "docker run x", "make", "go run x.go",
	// git itself
	"git -c core.pager='rm x' log", "git -c alias.log='!rm' log", "git --exec-path=/tmp log", "git --git-dir=/tmp/x log", "git -C /tmp log", "git -p log", "git --config-env=core.pager=X log", "git log --output=src/a.go", "git log --outp=x", "git log --output x", "git log --ext-diff", "git log --ext-d", "git log \"$x\"", "git log $x", "git log $(git log)", "git log *", "git log -{x,-output=y}", "git log {a,--output=b}", "git log ext::sh", "git log \"$@\"", "git log ~/x", "git log -- /etc/passwd", "git log -- ../../x", "git log -- etc/passwd",
	"git log -O/etc/passwd",
	// writing and reading files
	"git log > out.txt", "git log >> src/a.go", "git log >| x", "git log &> x", "git log <> x", "git log > /etc/x", "git log > ../x", "git log > etc/x", "git log > ~/x", "git log > $x", "git log > \"$x\"", "git log > .git/config", "git log > .git/hooks/pre-commit", "git log > /dev/tcp/a/80", "git log < /dev/tcp/a/80", "git log < /etc/passwd", "git log < ../x", "cd src && git log > x", "cd .. && git log", "cd / && git log", "cd && git log", "cd - && git log", "cd etc && git log", "cd $x && git log", "cd src && cd .. && cd .. && git log", "for i in 1 2; do cd src; done; git log", "pushd /; git log", "git log {x}> y", "git log >&$x", "git log 3>&x",
	// what shells read differently, or evaluate
	"echo $((x)); git log", "echo $((a[$(rm x)])); git log", "echo $[x]; git log", "[[ x -eq a ]]; git log", "[[ -v x ]]; git log", "[ -v x ]; git log", "[ $x ]; git log", "test -v 'a[$(rm x)]'; git log", "echo ${x@P}; git log", "echo ${!x}; git log", "echo ${a[0]}; git log", "echo ${x:1:2}; git log", "echo @(a|b); git log", "!(rm x)", "((rm x))", "git log <<E'O'F\nx\nEOF", "git log <<$x\nx\n$x", "echo $(cat <<EOF\nx\nEOF\n); git log", "echo `echo \\`rm x\\``; git log", "git log <<EOF\nx", "git log '", "git log )", "git log |", "", "   ", "# git log", "true", "echo hi", "x=1", "cd src", "[ -f x ]", "git log \xff",
	"disown; jobs -x rm; git log", "fc -s; git log", "history -c; git log", "wait -p PATH; git log", "compgen -C rm; git log", "bind -x rm; git log", "complete -C rm git; git log", "select x in a; do git log; done", "for ((;;)); do git log; done",
}

func TestGitLogGrantsGitLog(t *testing.T) {
	p, where := grants(t, "git log*")
	for _, c := range allowedByGitLog {
		if v := Simulate(p, "", c, "", where); v.Outcome != Allow {
			t.Errorf("%q asks: %s", c, v.Reason)
		}
	}
	for _, c := range asksDespiteGitLog {
		if v := Simulate(p, "", c, "", where); v.Outcome != Ask || v.Reason == "" {
			t.Errorf("%q: %s %s", c, v.Outcome, v.Reason)
		}
	}
	t.Logf("%d commands", len(allowedByGitLog)+len(asksDespiteGitLog))
}
