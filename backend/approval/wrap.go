package approval

import (
	"maps"
	"slices"
	"strings"
)

// wrapper is a program that runs another one and does nothing else that a
// person would have to decide.
type wrapper struct {
	flags    string // options without a value, with spaces between
	valued   string // options with a value
	operands int    // words before the command
	assigns  bool   // NAME=VALUE may be before the command
	appends  bool   // words that are not known follow
}

var wrappers = map[string]wrapper{
	"timeout": {flags: "--preserve-status --foreground -v --verbose", valued: "-k --kill-after -s --signal", operands: 1},
	"nice":    {valued: "-n --adjustment"},
	"ionice":  {flags: "-t", valued: "-c -n"},
	"nohup":   {},
	"setsid":  {flags: "-w --wait -f --fork -c --ctty"},
	"stdbuf":  {valued: "-i -o -e --input --output --error"},
	"time":    {flags: "-p -v"},
	"command": {flags: "-p"},
	"builtin": {},
	"exec":    {},
	"env":     {assigns: true},
	"xargs":   {flags: "-0 --null -r --no-run-if-empty -t --verbose -x --exit", valued: "-n -L -P -I -d -s -E --max-args --max-lines --max-procs --delimiter --max-chars", appends: true},
}

// wrapped adds the command that a wrapper runs.
func (w *walker) wrapped(p *part, spec wrapper) {
	args, name := p.args, canonicalName(p.program)
	if name == "command" && len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") {
		p.neutral, p.note = true, "asks where a program is"
		return
	}
	replace, assigned := "", []string(nil)
	lines := false // xargs counts words or lines, which may cancel -I
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if !a.literal {
			if a.prefix == "" || a.prefix[0] == '-' {
				break
			}
			break
		}
		if a.text == "--" {
			i++
			break
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			break
		}
		n, value, ok := spec.option(args[i:])
		if !ok {
			p.problem = "options of " + p.program + " that are not understood"
			return
		}
		if name == "xargs" && strings.HasPrefix(a.text, "-I") {
			replace = value
		}
		lines = lines || strings.HasPrefix(a.text, "-L") || strings.HasPrefix(a.text, "-n") || strings.HasPrefix(a.text, "--max-")
		i += n - 1
	}
	for n := 0; n < spec.operands; n, i = n+1, i+1 {
		if i >= len(args) || !args[i].literal || strings.HasPrefix(args[i].text, "-") {
			p.problem = "what " + p.program + " runs is not certain"
			return
		}
	}
	if spec.assigns {
		for ; i < len(args) && args[i].literal && strings.Contains(args[i].text, "="); i++ {
			variable, _, _ := strings.Cut(args[i].text, "=")
			assigned = append(assigned, variable)
			if why := badVariable(variable); why != "" {
				p.problem = why
				return
			}
		}
	}
	rest := slices.Clone(args[min(i, len(args)):])
	if len(rest) == 0 {
		if name == "xargs" {
			p.neutral, p.note = true, "shows what it reads"
			return
		}
		if name == "exec" {
			p.problem = "it changes the channels of the shell"
			return
		}
		p.findings = append(p.findings, risks(p)...)
		return
	}
	names := w.input != nil && w.input()
	if spec.appends {
		for j := range rest {
			if replace != "" && strings.Contains(rest[j].text, replace) {
				rest[j].literal, rest[j].prefix, rest[j].dynamic = false, "", true
				rest[j].names = names && rest[j].text == replace
			}
		}
		if replace == "" || lines {
			rest = append(rest, word{text: "(what it reads)", many: true, dynamic: true, names: names})
		}
	}
	p.neutral, p.note, p.findings = true, "runs the command that follows", nil
	in := w
	if len(assigned) > 0 {
		inner := *w
		in = &inner
		in.vars = maps.Clone(w.vars)
		for _, name := range assigned {
			in.vars[name] = variable{unknown: true}
		}
	}
	in.run(p, rest, "run by "+p.program)
}

// option reads an option at the beginning of args: the number of words and the value.
func (s wrapper) option(args []word) (n int, value string, ok bool) {
	text := args[0].text
	if slices.Contains(strings.Fields(s.flags), text) {
		return 1, "", true
	}
	for _, v := range strings.Fields(s.valued) {
		long := strings.HasPrefix(v, "--")
		switch {
		case text == v:
			if len(args) < 2 || !args[1].literal {
				return 0, "", false
			}
			return 2, args[1].text, true
		case long && strings.HasPrefix(text, v+"="):
			return 1, text[len(v)+1:], true
		case !long && strings.HasPrefix(text, v) && !strings.HasPrefix(text, "--"):
			return 1, text[len(v):], true
		}
	}
	return 0, "", false
}

var privileged = map[string]bool{"sudo": true, "doas": true, "pkexec": true, "run0": true}

// privileged handles sudo and similar programs: the grant has to name the program that runs with
// other rights, and the command itself has to be granted as well.
func (w *walker) privileged(p *part) {
	spec := wrapper{flags: "-n -k -H", valued: "-u -g"}
	i := 0
	for ; i < len(p.args); i++ {
		a := p.args[i]
		if !a.literal || len(a.text) < 2 || a.text[0] != '-' {
			break
		}
		n, _, ok := spec.option(p.args[i:])
		if !ok {
			p.problem = "options of " + p.program + " that are not understood"
			return
		}
		i += n - 1
	}
	if i >= len(p.args) {
		p.problem = "what " + p.program + " runs is not certain"
		return
	}
	p.findings = append(p.findings, finding{i, RiskRoot, "it runs with other rights"})
	w.run(p, p.args[i:], "run by "+p.program+" with other rights")
}
