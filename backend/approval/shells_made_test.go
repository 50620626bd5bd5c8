//go:build !windows

package approval

import (
	"math/rand/v2"
	"strings"
)

// shellSeeds are commands in which the marked word is data, in every place
// where the grammar of a shell has room for some.
var shellSeeds = []string{
	"a 'EVIL'", `a "EVIL"`, "a EVIL", "a # EVIL", "a\n# EVIL\nb", "a \\\n EVIL", "a # x \\ EVIL\nb", "a EVIL # EVIL ' EVIL\nb '", "a \\\\\nb EVIL", "a#EVIL", "a ''#EVIL", "a $(b # EVIL\n)", "(a # EVIL )\n)", "a `b # EVIL`",
	"a <<E\nEVIL\nE\n", "a <<'E'\nEVIL\nE\n", "a <<\"E\"\n$(EVIL)\nE", "a <<-E\n\tEVIL\n\tE\nb", "a <<E\n$x\nEVIL\nE\nb x", "a <<E | b EVIL\nx\nEVIL\nE", "a <<A; b <<B\nEVIL\nA\nEVIL\nB\n", "a <<E\n\"EVIL\n'EVIL\nE", "a <<E\nE EVIL\n E\nE\nb", "a <<'E'\n\\\nEVIL\nE", "(a <<E\nEVIL\nE\n)", "if a <<E\nEVIL\nE\nthen b; fi", "a <<E && b\nEVIL\n$(b EVIL)\nE",
	"a <<E\nEVIL # x\n# E\nE\nb", "a <<E\n${x:-EVIL}\nE", "a <<< EVIL", "a <<<'EVIL\nEVIL'",
	"case EVIL in EVIL) a;; *) b;; esac", "case EVIL in (EVIL|x) a;; esac", "case EVIL in EVIL) a;& *) b;; esac", "case x in \"EVIL\"|'EVIL') a;; esac", "a $(case EVIL in EVIL) b;; esac)", "case in in in) a;; esac", "case EVIL in esac; a", "case a in [EVIL]*) b;; esac",
	"for x in EVIL b; do a $x; done", "for x in EVIL; do a; done; b", "for x do a; done", "for x in a b; do\na EVIL\ndone", "while b EVIL; do a; done", "until a EVIL; do b; done", "while a EVIL; do b; break; done",
	"[[ EVIL == EVIL ]]; a", "[[ a =~ (EVIL) ]]; a", "[[ -n EVIL && EVIL ]] && a", "[[ EVIL || EVIL ]] && a", "[[ ! EVIL ]] || b", "[[ ( EVIL ) ]] && a", "[[ EVIL < EVIL ]] && a", "[[ x = [EVIL] ]]; b", "[[ a =~ ^EVIL|x$ ]] && b", "[ EVIL = b ]; a", "test EVIL && a", "[ -f EVIL ] || b",
	"if a EVIL; then b EVIL; fi", "if a; then b; elif a EVIL; then b; else a EVIL; fi", "{ a EVIL; }", "(a EVIL)", "a EVIL | b EVIL", "a EVIL &", "! a EVIL", "time a EVIL", "a EVIL && b EVIL || a", "a; b EVIL; a", "a EVIL |& b", "(a; (b EVIL)); a", "{ a; { b EVIL; }; }",
	"a ${x:-EVIL}", `a "${x:-EVIL}"`, "a ${x#EVIL}", "a ${x/EVIL/b}", "a ${x%%EVIL}", `a "${x:-'EVIL'}"`, `a "${x:-"EVIL"}"`, "echo ${x:-'}' EVIL}", `echo "${x:-'}' EVIL}"`, `echo "${x#'}' EVIL}"`, "echo ${x:-`b EVIL`}", "echo ${x:-$(b EVIL)}", "echo ${#x} EVIL", "a ${#x} EVIL", `echo "${x+EVIL}"`, "echo ${x-\"EVIL}\"}", "echo ${x:-{} EVIL}", "echo ${x:-a;EVIL}", "echo ${x:-a\nEVIL}", "echo ${x:-#EVIL}",
	"echo $(b EVIL)", `echo "$(b 'EVIL')"`, "echo `b EVIL`", "echo \"`b EVIL`\"", "echo $(b \"EVIL)\")", "echo $(b ')' EVIL)", "echo $(b \\) EVIL)", "echo $( (b EVIL) )", "echo $((1+2)) EVIL", "echo $(( 1 + 2 )) EVIL", "echo \"$(b \"EVIL\")\"", "echo `b 'EVIL'` EVIL", "echo $(b\n# EVIL )\n)", "echo \"`b \"EVIL\"`\"",
	"x=EVIL a", "x=EVIL; a", "a; x='EVIL b'", "x=EVIL y='EVIL' a", "export x=EVIL; a", "x=$(b EVIL) a", "x=`b EVIL`; a", "x= EVIL=b", "x=a\\ EVIL a", "x=\"EVIL\nEVIL\" a", "x='a;EVIL' b", "a x=EVIL", "a x+=EVIL",
	"a 2>&1 EVIL", "a > /dev/null EVIL", "> /dev/null a EVIL", "a EVIL 2>/dev/null", "a EVIL >&2", "a &> /dev/null EVIL", "a &>> /dev/null EVIL", "2>&1 a EVIL", "a >| /dev/null EVIL", "a < /dev/null EVIL", "a 1>/dev/null 2>&1 EVIL", "a 2 > /dev/null EVIL", "a\\2>/dev/null", "{ a EVIL; } 2> /dev/null",
	"echo EVIL; a", ": EVIL; a", "a EVIL && b 'x\nEVIL'", `a "x\"EVIL"`, "a 'x'\\''EVIL'", "a [EVIL]* {EVIL,b}", "a {x,EVIL}", "a {EVIL,b}{c,EVIL}", "a {1..3} EVIL", "a ~EVIL", "a ~/EVIL", "a\tEVIL", "a \\EVIL", "a E\\\nVIL", "a \"E\\\nVIL\"", "a 'E\\\nVIL'", "a EVIL\\;EVIL", "a \\& EVIL", "a '&' EVIL '|' EVIL", "a \\\" EVIL \\\"", "a \"\\\\\" EVIL", "a \"\\\\\"; b", "a '\\' EVIL", "a '\\'; b", "a \"'\" EVIL \"'\"", "a '\"' EVIL '\"'",
	"a ''EVIL", "a \"\"EVIL", "a x''=EVIL", "''a EVIL", "a !EVIL", "a !!", "a {EVIL", "a EVIL}", "a }", "a {", "a do EVIL done", "a if EVIL", "a then EVIL", "a [[ EVIL ]]", "a ! EVIL", "a esac EVIL", "a function EVIL", "a in EVIL",
	"a @(EVIL|b)", "a ?(EVIL)", "a !(EVIL)", "a +(EVIL)", "a *EVIL*", "a EVIL?", "a [!EVIL]", "a [^EVIL]", "a [[:alpha:]EVIL]", "a $'EVIL'", "a $\"EVIL\"", "a $'x\\'EVIL'", "a $'x' EVIL", "a <(b EVIL)", "a >(b EVIL)", "coproc a EVIL", "coproc EVIL { a; }", "f() { a EVIL; }", "function EVIL { a; }", "EVIL() { a; }; b", "alias a=EVIL", "alias a='b EVIL'\na", "a=(EVIL b)", "a[EVIL]=b", "((EVIL=1))", "let EVIL=1", "select x in EVIL; do a; done",
	"set -e; a EVIL", "set -euo pipefail\na EVIL", "cd src && a EVIL", "cd ./src; b EVIL", "exec a EVIL", "command a EVIL", "builtin echo EVIL; a", "env x=EVIL a", "env LANG=EVIL a EVIL", "timeout 5 a EVIL", "nice -n 5 a EVIL", "xargs a EVIL < /dev/null", "xargs -I x a EVIL </dev/null", "echo EVIL | xargs a", "echo 'EVIL EVIL' | xargs -n 1 a", "echo EVIL | xargs -I x a x", "echo EVIL | xargs -I x -n 1 a x", "nohup a EVIL > /dev/null",
	"a <<E\na ${x:-sh -c 'a $(b EVIL)'}\nE", `echo "${x:-'$(b EVIL)'}"`, `echo "${x:-a'` + "`b EVIL`" + `'}"`, `echo "${x#'$(b EVIL)'}"`, "echo `sh -c 'echo `{ a EVIL\n}`'`", "echo `a '`' EVIL '`'`", "echo \"`b \"E{1..2}VIL\"`\" EVIL", "exec : EVIL; a", "env cd EVIL; a", "a EVIL | time x=EVIL", "a EVIL | time x=`b EVIL`", "a | time b EVIL", "time x=EVIL a", "! time a EVIL", "]#x+=EVI[L\na EVIL", "echo ${x:-$&>(b EVIL)}", "echo ${x:-<(b EVIL)}", "echo \"${x:->(b EVIL)}\"", "echo ${x#$&<(b EVIL)}", "x+=EVIL; a", "a[EVIL]+=x; a", "./x+=a[EVIL\na", `echo "${x:-${y:-'$(b EVIL)'}}"`, "echo `a 'x'# EVIL`", "echo `a 'x'# ; EVIL`", "a <<E\n${x:-a\nE\nEVIL}\nE\nb", "a <<E\n$(b\nE\nEVIL)\nE\nb", "a $!EVIL", "a $$EVIL", "a EVIL\\", "a 02>&1 EVIL", "exec exec a EVIL", "env exec a EVIL", "a $\\\n!EVIL", "echo $\\\n(b EVIL)", "echo \"$\\\n(b EVIL)\"", "echo `\\\nb EVIL`", "a &\\\n& b EVIL", "a <\\\n<E\nEVIL\nE", "builtin echo EVIL; a", "a $((1-2)) EVIL",
	"sh -c 'a EVIL'", "bash -c 'a EVIL'", "dash -c 'a EVIL'", "sh -c 'a EVIL' EVIL", "sh -c 'a \"$1\"' EVIL EVIL", "sh -c 'a $(b EVIL)'", "sh -c \"a 'EVIL'\"", "sh -c 'sh -c \"a EVIL\"'", "timeout 5 sh -c 'a EVIL'", "env bash -c '[[ EVIL ]] && a'", "sh -ec 'a EVIL'", "bash -euc 'a # EVIL'",
	"echo a\\\n#EVIL", "echo a \\\n# EVIL", "a;# EVIL", "a&# EVIL", "a|# EVIL\nb", "(# EVIL\na)", "{ # EVIL\na; }", "a $( # EVIL\nb)", "a $#EVIL", "a ${#}EVIL", "echo $# EVIL", "a \\# EVIL", "a 'x'# EVIL", "a x# EVIL", "a # EVIL\\", "a #", "#EVIL\na", "# EVIL 'EVIL\na # '", "a \"# EVIL\"", "a <<E # EVIL\nx\nE", "a > /dev/null # EVIL",
}

var shellBits = []string{
	"\\\n", "\\", "\n", " ", "\t", "'", "\"", "`", "$", "#", " #", "#\\\n", " # \\\n", ";", "&", "|", "(", ")", "{", "}", "{ ", "; }", "<", ">", "<<E", "E", "\nE\n", "\\\nE\n", "E\\\n", "$(", "${", "))", "((", "$((", "[[ ", " ]]", "[", "]", "!", "! ", "~", "*", "?", ",", "..", "=", "x", "a ", "b", "EVIL", " EVIL ", "\nEVIL\n", ";EVIL;", "|EVIL", "&&", "||",
	"case x in ", " esac", ";;", " in ", "in\n", "do", "done", "do ", "; done", "if ", "then ", "; fi", "else ", "elif ", "-", "+", "@", "%", ":", "\\'", "\\\"", "\\`", "\\$", "$'", "$\"", "<(", ">(", "2>", "&>", "&>>", ">&", ">|", "<<<", "<<-E", "<<\\E", "<<'E'", "<<\"E\"", "<<E'", "\n\tE\n", "x+=", "x=", "x=(", "$x", "${x}", "${x:-", "\"${x:-", "\"$(", ")\"", "time ", "coproc ", "function ", "f() ", "=~", "&!", "|&", ";&", ";;&", "0", "1", "é", "\u00df", "-c", "sh -c '", "bash -c '", "$[", "%%", "/", "/dev/null", "^", "!!", "!$", "@(", "!(", "?(", "+(", "{a,", "{1..2}", "alias a=EVIL\n", "export ", "exec ", "set -", "eval ", "$_", "$@", "\"$@\"", "$?", "$!", "$-", "\\\n#", "\n#", "a\n", "b;", "\"\"", "''", "\\ ", "\\;", "xargs ", "env ", "echo ", "command ", "cat ", "> /dev/null ", "< /dev/null ",
}

// generated makes a command out of seeds: some in a row, some in one another,
// with pieces put in and taken out.
func generated(r *rand.Rand) string {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	s := pick(shellSeeds)
	for r.IntN(3) == 0 {
		s += pick([]string{"\n", "; ", " && ", " || ", " | ", " ", " & "}) + pick(shellSeeds)
	}
	for r.IntN(4) == 0 {
		switch r.IntN(12) {
		case 0:
			s = "(" + s + ")"
		case 1:
			s = "{ " + s + "\n}"
		case 2:
			s = "echo $(" + s + ")"
		case 3:
			s = "echo \"$(" + s + ")\""
		case 4:
			s = "echo `" + s + "`"
		case 5:
			s = "if " + s + "\nthen " + pick(shellSeeds) + "\nfi"
		case 6:
			s = "for y in 1 2; do " + s + "\ndone"
		case 7:
			s = "case x in x) " + s + ";; EVIL) " + pick(shellSeeds) + "\nesac"
		case 8:
			s = pick([]string{"sh -c ", "bash -c ", "dash -c ", "timeout 5 sh -c ", "env bash -c ", "xargs sh -c "}) + single(s)
		case 9:
			s = "a <<E\n" + s + "\nE\n" + pick(shellSeeds)
		case 10:
			s = "a \"" + s + "\""
		case 11:
			s = "a ${x:-" + s + "}"
		}
	}
	for range r.IntN(4) {
		at := r.IntN(len(s) + 1)
		switch r.IntN(6) {
		case 0:
			to := min(at+1+r.IntN(6), len(s))
			s = s[:at] + s[to:]
		case 1: // a part is repeated
			to := min(at+1+r.IntN(8), len(s))
			s = s[:to] + s[at:]
		default:
			s = s[:at] + pick(shellBits) + s[at:]
		}
	}
	if !strings.Contains(s, marked) {
		s += " " + marked
	}
	return s
}
