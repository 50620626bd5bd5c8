package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/mcp/toolname"
)

// subject is a call with its arguments parsed and its files looked up on disk: judging it reads
// nothing more.
type subject struct {
	call    Call
	command *command // of the shell tool
	files   []file   // of tools that name files
	folder  string
	problem string // why the arguments cannot be judged
	places  *places
}

// subjectOf reads the arguments of a call.
func subjectOf(c Call) subject {
	s := subject{call: c, folder: clean(c.Folder)}
	if s.folder == "" {
		s.folder = clean(c.Workspace)
	}
	var args struct {
		Command *string `json:"command"`
		Folder  string  `json:"folder"`
		URI     *string `json:"uri"`
	}
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil && c.Arguments != "" {
		s.problem = "its arguments cannot be read"
	}
	if args.Folder != "" && c.Tool == toolShell {
		folder, err := files.Resolve(clean(c.Workspace), args.Folder)
		if err != nil {
			s.problem = "its working folder cannot be used: " + err.Error()
		} else {
			s.folder = folder
		}
	}
	s.places = newPlaces(c, s.folder)
	switch {
	case c.Tool == toolShell && args.Command != nil:
		s.command = parse(*args.Command, c.Shell, s.places)
		for _, p := range s.command.parts {
			p.anyFolder = s.places.anyFolder(p)
			if p.kind == KindRedirect && p.target.literal {
				p.targetNames = s.places.fileOf(s.places.absolute(p.target.text)).names
			}
		}
		switch {
		case s.places.around(s.folder):
			s.problem = "its working folder holds Mutsumi's own settings or state, and nothing here keeps a command out of them"
		case !s.places.inside(s.folder):
			s.problem = "its working folder is outside the allowed ones"
		}
	case c.Tool == toolShell:
		s.problem = "it has no command"
	case args.URI != nil && !toolname.FromServer(c.Tool): // a server's argument of this name is not a path here
		s.files = []file{s.places.fileOf(*args.URI)}
	}
	return s
}

// Check judges a call. It changes nothing.
func (p *Policy) Check(c Call) Verdict { return p.ruling().check(subjectOf(c)) }

// Simulate reports how a call would be judged, part by part. args is JSON, or the command itself for
// the shell tool and the path itself for others. tool, args and folder replace those of where unless
// they are "".
func Simulate(p *Policy, tool, args, folder string, where Call) Verdict {
	if tool != "" {
		where.Tool = tool
	}
	where.Arguments = args
	if !json.Valid([]byte(args)) || !strings.HasPrefix(strings.TrimSpace(args), "{") {
		name := "uri"
		if where.Tool == toolShell {
			name = "command"
		}
		if raw, err := json.Marshal(map[string]string{name: args}); err == nil {
			where.Arguments = string(raw)
		}
	}
	if folder != "" {
		where.Folder = folder
	}
	return p.Check(where)
}

// check judges a call that was read before.
func (r ruling) check(s subject) Verdict {
	if s.call.Tool == toolKill {
		return Verdict{Outcome: Allow, Reason: "It ends a command that the agent started itself.", Parts: []PartVerdict{}}
	}
	j := judge{subject: s}
	for _, rule := range r.of(s.call.Notebook) {
		if rule.Tool == s.call.Tool || rule.Deny && rule.Tool == "*" || s.command != nil && fileTools[rule.Tool] {
			j.rules = append(j.rules, rule)
		}
	}
	v := Verdict{Parts: []PartVerdict{}}
	switch {
	case s.command != nil:
		v.Parts = j.command()
	case len(s.files) > 0:
		for _, f := range s.files {
			v.Parts = append(v.Parts, j.file(f))
		}
	default:
		v.Parts = append(v.Parts, j.plain())
	}
	return j.sum(v)
}

// fileTools are tools whose rules also apply to redirects of commands.
var fileTools = map[string]bool{"write_file": true, "edit_file": true}

type judge struct {
	subject
	rules []Rule
}

// sum combines the outcomes of the parts: a denial wins, then a question.
func (j judge) sum(v Verdict) Verdict {
	granted := false
	for _, want := range []Outcome{Deny, Ask} {
		for _, p := range v.Parts {
			granted = granted || p.Rule != "" && p.Outcome == Allow
			if p.Outcome == want {
				v.Outcome, v.Reason = want, sentence(p)
				return v
			}
		}
	}
	switch {
	case j.problem != "":
		v.Outcome, v.Reason = Ask, "Asks: "+j.problem+"."
	case !granted:
		v.Outcome, v.Reason = Ask, "Asks: nothing of it was granted."
	default:
		v.Outcome, v.Reason = Allow, "Every part of it was granted."
	}
	return v
}

func sentence(p PartVerdict) string {
	part := clip.Line(p.Text, 120)
	if p.Outcome == Deny {
		return fmt.Sprintf("%s: %s.", part, p.Reason)
	}
	return fmt.Sprintf("Asks about %s: %s.", part, p.Reason)
}

func (j judge) plain() PartVerdict {
	out := PartVerdict{Text: j.call.Tool, Outcome: Ask, Reason: "it was not granted"}
	for _, r := range j.rules {
		if r.Tool != j.call.Tool && !r.Deny || r.Pattern != "*" {
			continue
		}
		if r.Deny {
			return denied(out, r)
		}
		out = allowed(out, r)
	}
	return out
}

func (j judge) file(f file) PartVerdict {
	out := PartVerdict{Text: f.given, Outcome: Ask, Reason: "it was not granted"}
	for _, r := range j.rules {
		if r.Deny && slices.ContainsFunc(f.names, func(n string) bool { return deniesPath(r.Pattern, n) }) {
			return denied(out, r)
		}
	}
	if f.out {
		out.Reason = "it is outside the allowed folders"
		return out
	}
	for _, r := range j.rules {
		if !r.Deny && r.Tool == j.call.Tool && !slices.ContainsFunc(f.names, func(n string) bool { return !names(r.Pattern, n) }) {
			return allowed(out, r)
		}
	}
	return out
}

func denied(p PartVerdict, r Rule) PartVerdict {
	p.Outcome, p.Rule, p.Reason = Deny, r.ID, fmt.Sprintf("%q is denied for %s", r.Pattern, inWords(r.Scope))
	return p
}

func allowed(p PartVerdict, r Rule) PartVerdict {
	p.Outcome, p.Rule, p.Reason = Allow, r.ID, fmt.Sprintf("%q is granted for %s", r.Pattern, inWords(r.Scope))
	return p
}

func inWords(s Scope) string {
	switch s {
	case Agent:
		return "this agent"
	case Notebook:
		return "this notebook"
	}
	return "always"
}

// command judges the parts of a command.
func (j judge) command() []PartVerdict {
	out := make([]PartVerdict, 0, len(j.subject.command.parts))
	for _, p := range j.subject.command.parts {
		out = append(out, j.part(p))
	}
	return out
}

func (j judge) part(p *part) PartVerdict {
	out := PartVerdict{Text: clip.Text(p.text, maxShown), Outcome: Ask, Reason: "it was not granted"}
	if r, hit := j.denial(p); hit {
		return denied(out, r)
	}
	if r, maybe := j.maybeDenied(p); maybe && p.problem == "" {
		out.Reason = fmt.Sprintf("it could be %q, which is denied for %s", r.Pattern, inWords(r.Scope))
		return out
	}
	switch {
	case p.problem != "":
		out.Reason = p.problem
		return out
	case p.neutral:
		for _, r := range j.rules { // alone it needs a grant too, see sum
			if ok, _ := j.covers(r, p); ok && !r.Deny && p.kind == KindProgram {
				return allowed(out, r)
			}
		}
		out.Outcome, out.Reason = Allow, p.note
		if out.Reason == "" {
			out.Reason = "it does nothing by itself"
		}
		return out
	}
	folders := p.folders
	if p.kind != KindProgram || len(folders) == 0 {
		folders = []string{""}
	}
	var by Rule
	for _, f := range folders {
		r, why := j.grant(p, f)
		if r.ID == "" {
			if why != "" {
				out.Reason = why
			}
			return out
		}
		by = r
	}
	return allowed(out, by)
}

// grant finds a rule that allows a part which starts in a folder ("" if unknown), or says what is
// lacking.
func (j judge) grant(p *part, folder string) (r Rule, why string) {
	for _, r := range j.rules {
		if r.Deny {
			continue
		}
		ok, lacks := j.covers(r, p)
		if ok && !j.holdsIn(r, p, folder) {
			ok, lacks = false, fmt.Sprintf("%q was granted for another folder", r.Pattern)
		}
		if ok {
			return r, ""
		}
		if lacks != "" {
			why = lacks
		}
	}
	return Rule{}, why
}

// holdsIn reports whether a grant applies in the folder in which a program starts.
func (j judge) holdsIn(r Rule, p *part, folder string) bool {
	if p.kind != KindProgram || r.Tool != toolShell {
		return true
	}
	switch c, err := parsePattern(r.Pattern); {
	case err != nil:
		return false
	case c.everything, c.folder == "**", c.folder == "." && p.anyFolder:
		return true
	default:
		return folder != "" && matchPath(c.folder, j.places.name(folder))
	}
}

// covers reports whether a grant covers a part, or what it lacks.
func (j judge) covers(r Rule, p *part) (ok bool, why string) {
	if r.Tool != toolShell {
		return r.Tool == "write_file" && p.kind == KindRedirect && p.write && !j.target(p, func(n string) bool { return !names(r.Pattern, n) }), ""
	}
	c, err := parsePattern(r.Pattern)
	if err != nil {
		return false, ""
	}
	if p.kind == KindRedirect {
		pattern := c.redirect
		if c.everything {
			pattern = "**"
		}
		return pattern != "" && p.write && !j.target(p, func(n string) bool { return !names(pattern, n) }), ""
	}
	if p.kind != KindProgram {
		return false, ""
	}
	ok, named := c.match(p)
	if !ok {
		return false, ""
	}
	for _, f := range p.findings {
		switch {
		case f.arg >= 0 && f.arg < len(named) && named[f.arg]:
		case f.arg >= 0 && c.everything && (f.risk == RiskRuns || f.risk == RiskUnknown):
		default:
			return false, f.why
		}
	}
	return true, ""
}
