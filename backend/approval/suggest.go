package approval

import (
	"slices"
	"strings"

	"mutsumi/backend/clip"
)

// ReadOnly returns patterns of commands that only read. They are offered to the person; nothing
// else grants them.
func ReadOnly() []string {
	return []string{
		"ls*", "cat*", "head*", "tail*", "wc*", "stat*", "du*", "df*", "grep*", "rg*", "find*", "tree*", "file*", "diff*", "cmp*", "cut*", "sort*",
		"uniq*", "tr*", "sed -n*", "jq*", "which*", "uname*", "whoami", "id", "date*", "basename*", "dirname*", "realpath*", "readlink*", "sha256sum*", "sleep*",
		"git status*", "git log*", "git diff*", "git show*", "git blame*", "git ls-files*", "git grep*", "git rev-parse*", "git branch --show-current", "git branch --list*", "git stash list", "git remote -v",
		"go version", "gofmt -l*", "gofmt -d*", "npm --version", "node --version", "python3 --version",
	}
}

// suggestions offers sets of patterns, each of which covers the whole call as far as possible: the
// exact call, the program with its first words, and for files the folder and everything.
func (s subject) suggestions() []Suggestion {
	switch {
	case s.command != nil:
		return s.forCommand()
	case len(s.files) > 0:
		return s.forFile()
	case s.problem != "", unbounded[s.call.Tool]:
		return nil
	}
	return []Suggestion{{"every call of " + s.call.Tool, []string{"*"}}}
}

// unbounded are the tools of other agents (SPEC 14.2) whose calls may do anything: no rule is
// offered for all of them.
var unbounded = setOf("acp_edit acp_delete acp_move acp_execute acp_switch_mode acp_other")

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

// network are programs that use the network.
var network = setOf("curl wget ssh scp sftp rsync nc ncat netcat telnet ftp ping dig nslookup host npm npx pnpm yarn pip pip3 apt apt-get brew gh docker podman kubectl cargo gem")

// deletes are programs that take something away.
var deletes = setOf("rm rmdir unlink shred trash dd truncate mkfs wipe")

// warnings lists the things that a person should know about a call, each once.
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
		if base == "git" {
			if why := gitLoses(p.args); why != "" {
				add(RiskDeletes, why)
			}
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
			kind := f.risk
			if kind == riskLater {
				kind = RiskRuns
			}
			add(kind, clip.Text(f.why, maxShown))
		}
	}
	return out
}
