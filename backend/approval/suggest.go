package approval

import (
	"slices"
	"strings"
)

// ReadOnly are patterns of commands that only look. They are offered to the
// person, and granted by nobody else.
func ReadOnly() []string {
	return []string{
		"ls*", "cat*", "head*", "tail*", "wc*", "stat*", "du*", "df*", "grep*", "rg*", "find*", "tree*", "file*", "diff*", "cmp*", "cut*", "sort*",
		"uniq*", "tr*", "sed -n*", "jq*", "which*", "uname*", "whoami", "id", "date*", "basename*", "dirname*", "realpath*", "readlink*", "sha256sum*", "sleep*",
		"git status*", "git log*", "git diff*", "git show*", "git blame*", "git ls-files*", "git grep*", "git rev-parse*", "git branch --show-current", "git branch --list*", "git stash list", "git remote -v",
		"go version", "gofmt -l*", "gofmt -d*", "npm --version", "node --version", "python3 --version",
	}
}

// suggestions offers sets of patterns, each of which covers the whole call as
// far as that can be: exactly this, this program with its first words, and
// for files the folder and everything.
func (s subject) suggestions() []Suggestion {
	switch {
	case s.command != nil:
		return s.forCommand()
	case len(s.files) > 0:
		return s.forFile()
	case s.problem != "":
		return nil
	}
	return []Suggestion{{"every call of " + s.call.Tool, []string{"*"}}}
}

func (s subject) forFile() []Suggestion {
	f := s.files[0]
	if f.out || len(f.names) > 1 {
		return nil
	}
	name := f.names[0]
	out := []Suggestion{{"only " + name, []string{escapePath(name)}}}
	if guarded(name) != "" {
		return out
	}
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		out = append(out, Suggestion{"everything in " + name[:i], []string{escapePath(name[:i]) + "/**"}})
	}
	if !strings.HasPrefix(name, "/") {
		out = append(out, Suggestion{"everything in the workspace", []string{"**"}})
	}
	return out
}

func escapePath(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}

func (s subject) forCommand() []Suggestion {
	if s.command.problem() != "" || s.problem != "" {
		return nil // no rule helps
	}
	var exact, wide []string
	for _, p := range s.command.parts {
		switch {
		case p.neutral:
		case p.kind == KindRedirect && p.write:
			name := s.places.fileOf(s.places.absolute(p.target.text)).names[0]
			exact, wide = append(exact, "> "+escapePath(name)), append(wide, "> "+escapePath(name))
		case p.kind == KindProgram:
			e, ok := exactPattern(p)
			if !ok || slices.ContainsFunc(p.findings, func(f finding) bool { return f.arg < 0 }) {
				return nil
			}
			exact, wide = append(exact, e), append(wide, widePattern(p, e))
		}
	}
	if len(exact) == 0 { // nothing but echo, cd and their like
		for _, p := range s.command.parts {
			if e, ok := exactPattern(p); ok && p.kind == KindProgram && p.via == "" {
				exact, wide = append(exact, e), append(wide, widePattern(p, e))
			}
		}
	}
	if len(exact) == 0 {
		return nil
	}
	slices.Sort(exact)
	slices.Sort(wide)
	exact, wide = slices.Compact(exact), slices.Compact(wide)
	out := []Suggestion{{strings.Join(exact, " and "), exact}}
	if !slices.Equal(exact, wide) {
		out = append(out, Suggestion{strings.Join(wide, " and "), wide})
	}
	return out
}

// exactPattern names a command with all its arguments. False: some are not known.
func exactPattern(p *part) (string, bool) {
	words := []string{quote(p.program)}
	for i, a := range p.args {
		if !a.literal {
			if i == len(p.args)-1 && !a.dynamic || harmless[p.program] {
				return strings.Join(words, " ") + " *", len(p.findings) == 0
			}
			return "", false
		}
		words = append(words, quote(a.text))
	}
	return strings.Join(words, " "), true
}

// widePattern names a command by its first words: as far as there is a
// finding, and the word that says what a program does.
func widePattern(p *part, exact string) string {
	keep := 0
	if subcommands[canonicalName(p.program)] && len(p.args) > 0 && p.args[0].literal && !strings.HasPrefix(p.args[0].text, "-") {
		keep = 1
		if second[p.program+" "+p.args[0].text] && len(p.args) > 1 && p.args[1].literal {
			keep = 2
		}
	}
	for _, f := range p.findings {
		keep = max(keep, f.arg+1)
	}
	if keep >= len(p.args) && keep > 0 && len(p.findings) > 0 {
		return exact
	}
	words := []string{quote(p.program)}
	for _, a := range p.args[:keep] {
		words = append(words, quote(a.text))
	}
	return strings.Join(words, " ") + " *"
}

var subcommands = setOf("git go npm yarn pnpm bun deno cargo docker podman kubectl gh pip pip3 apt apt-get brew systemctl make gradle mvn dotnet rustup terraform helm")

var second = map[string]bool{"npm run": true, "yarn run": true, "pnpm run": true, "git stash": true, "git remote": true, "go mod": true, "gh pr": true, "gh issue": true, "git worktree": true}

// network are programs whose use goes over the network.
var network = setOf("curl wget ssh scp sftp rsync nc ncat netcat telnet ftp ping dig nslookup host npm npx pnpm yarn pip pip3 apt apt-get brew gh docker podman kubectl cargo gem")

// deletes are programs that take something away.
var deletes = setOf("rm rmdir unlink shred trash dd truncate mkfs wipe")

// warnings lists what a person should know about a call, each once.
func (s subject) warnings() []Warning {
	var out []Warning
	add := func(kind, text string) {
		w := Warning{kind, text}
		if !slices.Contains(out, w) && len(out) < 20 {
			out = append(out, w)
		}
	}
	for _, f := range s.files {
		if f.out {
			add(RiskOutside, f.given+" is outside the allowed folders")
		}
		for _, name := range f.names {
			if why, ok := RunsLater(name); ok {
				add(RiskRuns, "What is written to "+name+" can run later: "+why)
				break
			}
		}
	}
	if s.problem != "" {
		add(RiskUnknown, s.problem)
	}
	if s.command == nil {
		return out
	}
	for _, p := range s.command.parts {
		if p.problem != "" {
			add(RiskUnknown, p.problem)
		}
		base := baseName(p.program)
		switch {
		case deletes[base]:
			add(RiskDeletes, base+" deletes")
		case network[base], base == "git" && len(p.args) > 0 && slices.Contains([]string{"push", "pull", "fetch", "clone", "ls-remote"}, p.args[0].text):
			add(RiskNetwork, base+" uses the network")
		}
		if p.kind == KindRedirect && p.write && p.target.literal {
			for _, name := range s.places.fileOf(s.places.absolute(p.target.text)).names {
				if why, ok := RunsLater(name); ok {
					add(RiskRuns, "What is written to "+name+" can run later: "+why)
					break
				}
			}
		}
		for _, f := range p.findings {
			add(f.risk, clip(f.why))
		}
	}
	return out
}
