package approval

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) call(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		w.assign(a)
	}
	if len(c.Args) == 0 {
		return
	}
	p := w.add(&part{kind: KindProgram, text: w.source(c)})
	words := make([]word, 0, len(c.Args))
	for i, a := range c.Args {
		if i == 0 {
			words = append(words, w.deeper().word(a))
			continue
		}
		words = append(words, w.deeper().words(a)...)
	}
	w.program(p, words)
}

// harmlessBuiltins are builtins that do nothing worth asking about.
var harmlessBuiltins = map[string]bool{":": true, "true": true, "false": true, "exit": true, "break": true, "continue": true, "return": true, "shift": true, "echo": true, "pwd": true}

// stateBuiltins are builtins that change what later words mean, or run text.
var stateBuiltins = map[string]bool{
	"eval": true, "source": true, ".": true, "alias": true, "unalias": true, "hash": true, "enable": true, "trap": true, "shopt": true,
	"bind": true, "complete": true, "compgen": true, "compopt": true, "read": true, "readarray": true, "mapfile": true, "let": true,
	"declare": true, "typeset": true, "local": true, "readonly": true, "export": true, "unset": true, "getopts": true, "fc": true,
	"history": true, "jobs": true, "coproc": true, "suspend": true, "wait": true, "vared": true, "autoload": true, "emulate": true, "zmodload": true,
}

// program records what is known about a simple command, and adds the commands that it runs.
func (w *walker) program(p *part, words []word) {
	name := words[0]
	p.args = words[1:]
	switch {
	case !name.literal || name.text == "":
		p.problem = "which program runs is known only when it runs"
		return
	case strings.ContainsAny(name.text, "= \n\t"):
		p.problem = "the name of the program is odd"
		return
	}
	p.program = name.text
	if len(p.args) > maxArgs {
		p.problem = "it has too many arguments to be checked"
		return
	}
	p.findings = append(p.findings, w.outside(p)...)
	w.followArgs(p)
	switch base := canonicalName(p.program); {
	case base == "builtin" && w.dialect == posix:
		p.problem = "sh has no builtin of this name"
	case stateBuiltins[base]:
		p.problem = base + " runs text or changes what names mean"
	case harmlessBuiltins[base]:
		p.neutral, p.findings = true, nil
	case base == "cd":
		w.cd(p)
	case base == "set":
		w.set(p)
	case base == "test" || base == "[":
		w.bracket(p)
	case base == "find":
		w.find(p)
	case shells[base]:
		w.shell(p)
	case privileged[base]:
		w.privileged(p)
	default:
		if spec, ok := wrappers[base]; ok {
			w.wrapped(p, spec)
			return
		}
		p.findings = append(p.findings, risks(p)...)
		w.destinations(p)
		if base == "git" && slices.ContainsFunc(w.bases(), w.allowed.insideBare) {
			p.findings = append(p.findings, finding{nothingCovers, RiskRuns, "git takes the folder for a repository because of what is in it, and obeys its settings"})
		}
	}
}

func (w *walker) cd(p *part) {
	p.neutral = true
	if len(p.args) != 1 || !p.args[0].literal || strings.HasPrefix(p.args[0].text, "-") || p.args[0].text == "" {
		p.problem = "the folder that it goes to is known only when it runs"
		return
	}
	switch to := p.args[0].text; {
	case w.looped, !rooted(to) && *w.moves > 1:
		p.problem = "it goes from folder to folder, so it is not certain where it ends"
	case !w.allowed.inside(to):
		p.problem = "it goes to a folder outside the allowed ones"
	}
	p.findings = nil
	if p.problem == "" {
		w.goTo(w.allowed.absolute(p.args[0].text))
	}
}

// set takes the options that make a script strict.
func (w *walker) set(p *part) {
	p.neutral = true
	for i, a := range p.args {
		ok := a.literal && len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+') && strings.Trim(a.text[1:], "euxo") == "" ||
			i > 0 && strings.HasSuffix(p.args[i-1].text, "o") && slices.Contains([]string{"pipefail", "errexit", "nounset"}, a.text)
		if !ok {
			p.problem = "it changes how the shell reads the rest"
		}
	}
	if len(p.args) == 0 {
		p.problem = "it shows all variables"
	}
}

// bracket accepts test and [ if the operators are visible: -v evaluates the content of a variable.
func (w *walker) bracket(p *part) {
	p.neutral = true
	args := p.args
	if p.program == "[" {
		if len(args) == 0 || args[len(args)-1].text != "]" {
			p.problem = "the test does not end"
			return
		}
		args = args[:len(args)-1]
	}
	for len(args) > 1 && args[0].literal && args[0].text == "!" {
		args = args[1:]
	}
	unary := func(a word) bool {
		return a.literal && len(a.text) == 2 && a.text[0] == '-' && strings.Contains("bcdefghknprstuwxzLOGS", a.text[1:])
	}
	binary := func(a word) bool {
		return a.literal && slices.Contains([]string{"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}, a.text)
	}
	many := slices.ContainsFunc(args, func(a word) bool { return a.many })
	switch {
	case many:
	case len(args) <= 1, len(args) == 2 && unary(args[0]), len(args) == 3 && binary(args[1]):
		return
	}
	p.problem = "a test that can evaluate what stands in variables"
}

// run adds a command that another program runs.
func (w *walker) run(via *part, words []word, why string) {
	in := w.deeper()
	texts := make([]string, len(words))
	for i, x := range words {
		texts[i] = x.text
	}
	p := in.add(&part{kind: KindProgram, text: strings.Join(texts, " "), via: via.program, note: why})
	switch words[0].text {
	case "exec", "command", "builtin", ":", "exit", "break", "continue", "return", "shift", "set", "cd":
		if via.program != "command" && via.program != "builtin" {
			p.problem = "only the shell itself has " + words[0].text
			return
		}
	}
	in.program(p, words)
}

// find handles -exec: it runs the following command; {} is an unknown path.
func (w *walker) find(p *part) {
	names := len(p.findings) == 0 && !w.listsOutside(p) && !slices.ContainsFunc(p.args, func(a word) bool { return slices.Contains([]string{"-L", "-H", "-follow", "-files0-from"}, a.text) })
	for i := 0; i < len(p.args); i++ {
		switch a := p.args[i]; a.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(p.args) && p.args[end].text != ";" && p.args[end].text != "+" {
				end++
			}
			if end == len(p.args) || end == i+1 {
				p.problem = "the command of " + a.text + " does not end"
				return
			}
			inner := slices.Clone(p.args[i+1 : end])
			for j := range inner {
				if strings.Contains(inner[j].text, "{}") {
					inner[j].literal, inner[j].prefix, inner[j].dynamic = false, "", true
					inner[j].names = names && inner[j].text == "{}"
				}
			}
			if strings.HasSuffix(a.text, "dir") {
				p.findings = append(p.findings, finding{i, RiskRuns, a.text + " runs a program in folders that are known only when it runs"})
			}
			w.run(p, inner, "run by find for each file")
			i = end
		case "-delete":
			p.findings = append(p.findings, finding{i, RiskDeletes, "-delete deletes what is found"})
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			p.findings = append(p.findings, finding{i, RiskWrites, a.text + " writes a file"})
		}
	}
	p.findings = append(p.findings, unclearArgs(p)...)
}

var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true, "zsh": true, "ksh": true, "mksh": true, "fish": true, "csh": true, "tcsh": true}

// shell takes `sh -c 'text'` apart. Other uses are programs like any other.
func (w *walker) shell(p *part) {
	for i, a := range p.args {
		switch {
		case !a.literal:
			p.problem = "what the shell runs is known only when it runs"
			return
		case strings.HasPrefix(a.text, "--") || strings.HasPrefix(a.text, "+"):
			p.problem = "options of the shell that are not understood"
			return
		case strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			if !strings.Contains(a.text, "c") {
				if strings.Trim(a.text[1:], "eux") != "" {
					p.problem = "options of the shell that are not understood"
					return
				}
				continue
			}
			if strings.Trim(a.text[1:], "ceux") != "" || i+1 >= len(p.args) || !slices.Contains([]string{"sh", "bash", "dash"}, canonicalName(p.program)) {
				p.problem = "options of the shell that are not understood"
				return
			}
			w.nestedScript(p, p.args[i+1])
			return
		default:
			p.findings = append(p.findings, unclearArgs(p)...)
			return // a file with commands
		}
	}
	p.problem = "it runs commands that it reads from elsewhere"
}

// nestedScript takes the text of sh -c apart.
func (w *walker) nestedScript(p *part, text word) {
	switch {
	case !text.literal:
		p.problem = "what the shell runs is known only when it runs"
	case strings.HasPrefix(text.text, "-"), strings.HasPrefix(text.text, "+"):
		p.problem = "options of the shell that are not understood"
	case w.nested >= maxNested:
		p.problem = "too many shells inside one another"
	default:
		p.neutral, p.note, p.findings = true, "runs the commands that follow", nil
		in := w.deeper().subshell()
		in.text, in.dialect, in.nested, in.inSubst = text.text, dialectOf(p.program), w.nested+1, false
		in.script()
	}
}
