package approval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands that shells read differently from the parser, or from each other: each hides a program
// that was not granted.
func TestCommandsThatShellsReadDifferentlyAsk(t *testing.T) {
	for name, commands := range map[string][]string{
		"a comment that ends in a backslash": {
			"ls # list it \\\n./evil.sh", "ls #\\\n./evil.sh", "ls $(echo a # \\\n./evil.sh\n)", "sh -c 'ls # \\\n./evil.sh'", "if ls # \\\n./evil.sh\nthen ls; fi", "ls; # x \\\n./evil.sh",
			"(ls # \\\n./evil.sh\n)", "ls | # \\\n./evil.sh\nls", "{ ls # \\\n./evil.sh\n}", "case x in # \\\nx) ls;; esac", "for x in a # \\\n./evil.sh\ndo ls; done",
		},
		"a text as input whose end holds a continuation": {
			"cat <<EOF\na\nEO\\\nF\n./evil.sh\nEOF", "cat <<-EOF\na\n\tEO\\\nF\n./evil.sh\nEOF", "cat <<EOF\n\\\nEOF\n./evil.sh\nEOF", "cat <<EOF\na\n\\\nEOF\n./evil.sh\nEOF",
			"cat <<A <<B\nx\nA\nB\\\n\n./evil.sh\nB", "sh -c 'cat <<EOF\na\nEO\\\nF\n./evil.sh\nEOF'", "cat <<EOF; ls\n\\\nEOF\n./evil.sh",
		},
		"a comment in the middle of a word in backquotes":  {"echo `ls 'x'# ; ./evil.sh`", "echo `ls ''# $(./evil.sh)`", "echo \"`ls 'x'# ; ./evil.sh`\""},
		"a text as input whose end stands in an expansion": {"cat <<E\n${x:-a\nE\n./evil.sh}\nE\nls", "cat <<E\n$(ls\nE\n./evil.sh)\nE\nls", "cat <<-E\n${x:-a\n\tE\n./evil.sh}\nE\nls"},
		"a line that goes on in the middle of an operator": {"ls $\\\n(./evil.sh)", "ls \"$\\\n(./evil.sh)\"", "ls $\\\n\\\n{x}", "ls \\\n`\\\n./evil.sh`", "ls &\\\n& ./evil.sh"},
		"single quotes in an expansion in a text as input": {"cat <<E\n${x:-'$(./evil.sh)'}\nE", "cat <<E\n${x:-sh 'a `./evil.sh`'}\nE", "echo \"${x:-'$(./evil.sh)'}\""},
		"a program that is taken for an assignment":        {"./x+=a[b\nls", "]#x+=a[b; ls", "./x+=a[b ls"},
		"backquotes in quotes in backquotes":               {"echo `sh -c 'ls `{ ls\n}`'`", "echo `ls '`' ./evil.sh '`'`"},
		"a process substitution in an expansion":           {"echo ${x:-$&>(./evil.sh)}", "ls; echo ${x:-<(./evil.sh)}"},
		"double quotes in backquotes in double quotes":     {"echo \"`ls \"a{1,2}\"`\""},
		"time behind a pipe":                               {"ls | time x=/evil.sh", "ls | time x=y ls", "ls | cat | time x=$(ls)"},
		"a backslash at the end":                           {"ls x\\", "sh -c 'ls x\\'"},
		"programs that only the shell itself has":          {"exec exec ls", "env exec ls", "timeout 5 command ls", "exec : x", "env cd src", "echo a | xargs builtin ls", "sh -c 'builtin ls'"},
		"options of xargs that cancel -I": {
			"echo '. -exec ./evil.sh ;' | xargs -I x -L 1 find", "echo a | xargs -I x -n 6 find", "echo a | xargs -I x -n 3 sort", "echo a | xargs -n 3 -I x sort", "echo a | xargs -I x --max-args=2 find", "echo a | xargs -Ix -L1 find", "echo a | xargs -I x --max-lines=1 find", "echo a | xargs -I x --max-args 3 find",
		},
		"what sh does not know": {
			"sh -c '[[ a || ./evil.sh ]]'; ls", "dash -c '[[ a || ./evil.sh ]]'; ls", "sh -c 'ls &> /dev/null ./evil.sh'", "sh -c 'ls &>> /dev/null ./evil.sh'", "sh -c 'x+=/evil.sh'; ls", "echo | xargs sh -c '[[ a || ./evil.sh ]]'; ls", "timeout 5 sh -c '[[ a || ls ]]'",
			"find . -exec sh -c '[[ a || ./evil.sh ]]' ';'", "sh -c 'bash -c \"ls\"; [[ a || ls ]]'", "sh -c 'ls |& cat'", "sh -c 'ls <<< x'", "sh -c 'coproc ls'", "sh -c 'time ls'", "sh -c 'export LANG=$x; ls'", "bash -c 'sh -c \"ls &> /dev/null ./evil.sh\"'", "env sh -c 'x+=1 ls'",
			"sh -c -e 'ls'", "sh -c -- ls", "bash -c +e ls",
		},
	} {
		p, where := grants(t, "ls *", "cat *", "find *", "sort *", "-e *", "-- *")
		for _, c := range commands {
			if v := Simulate(p, "", c, "", where); v.Outcome != Ask {
				t.Errorf("%s: %q: %s", name, c, v.Outcome)
			}
		}
	}
}

// What all shells read alike is let through, in sh as in bash.
func TestCommandsThatShellsReadAlikeAreUnderstood(t *testing.T) {
	p, where := grants(t, "ls *", "cat *")
	for _, c := range []string{
		"ls # all of it", "# first \\ then\nls", "ls # a \\\\ b\nls", "ls \\\n  -la", "ls '# x \\\n'", "cat <<'EOF'\na \\\nb\nEOF", "cat <<EOF\na\nEOF\nls",
		"sh -c 'ls && cat a | cat'", "sh -c 'for i in 1 2; do ls; done'", "sh -c 'if [ -f a ]; then cat a; fi'", "sh -c 'case a in a|b) ls;; *) cat a;; esac'", "sh -c 'ls > /dev/null 2>&1'", "sh -c 'x=1; ls'", "sh -c 'ls; echo $(cat a)'", "sh -c 'ls; ls &'",
		"dash -c 'cat <<E\na\nE'", "sh -c '(ls; { cat a; })'", "sh -c 'while false; do ls; done'", "sh -c '! ls'", "sh -c 'ls # x'", "sh -c 'ls \"a b\" $((1+2))'", "echo x | xargs -I{} sh -c 'ls'",
	} {
		if v := Simulate(p, "", c, "", where); v.Outcome != Allow {
			t.Errorf("%q: %s", c, v.Reason)
		}
	}
	where.Shell = "sh" // a system without bash
	for c, want := range map[string]Outcome{"ls && cat a": Allow, "[[ a || ls ]]": Ask, "ls &> /dev/null": Ask, "ls <(cat a)": Ask, "bash -c '[[ -f a ]] && ls'": Allow} {
		if v := Simulate(p, "", c, "", where); v.Outcome != want {
			t.Errorf("in sh, %q: %s %s, want %s", c, v.Outcome, v.Reason, want)
		}
	}
}

// A redirect through a link is judged by the link's target, even if that does not exist yet.
func TestRedirectsThroughLinks(t *testing.T) {
	p, where := grants(t, "echo *", "> **")
	if _, err := p.Add(Rule{Tool: "write_file", Pattern: "**", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"hook": ".git/hooks/pre-commit", "away": "../outside", "far": "/nowhere/at/all", "twice": "hook", "loop": "loop", "folder": ".git", "src/up": "../../outside", "plain": "src/new.txt",
	} {
		if err := os.Symlink(to, filepath.Join(where.Workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	for c, want := range map[string]Outcome{
		"hook": Ask, "away": Ask, "far": Ask, "twice": Ask, "loop": Ask, "folder/hooks/x": Ask, "src/up": Ask, "src/../hook": Ask, "loop/x": Ask, "plain": Allow, "src/new.txt": Allow,
	} {
		for _, command := range []string{"echo x > " + c, "echo x >> ./" + c, "echo x &> " + c} {
			if v := Simulate(p, "", command, "", where); v.Outcome != want {
				t.Errorf("%s: %s %s, want %s", command, v.Outcome, v.Reason, want)
			}
		}
		if v := Simulate(p, "write_file", c, "", where); v.Outcome != want {
			t.Errorf("write_file %s: %s %s, want %s", c, v.Outcome, v.Reason, want)
		}
	}
	if r := real(strings.Repeat("/a", 3000)); r == "" {
		t.Error("a long path without links has no end")
	}
}
