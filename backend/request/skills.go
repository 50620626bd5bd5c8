package request

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lock"
	"mutsumi/backend/macro"
	"mutsumi/backend/prompt"
	"mutsumi/backend/skills"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// skills reads the skills of the folder and of the person as they are now, in the order
// of their names.
func (m *Maker) skills() []skills.Skill {
	all := skills.Choose(skills.Scan(m.with.Folder, m.with.OwnSkills), m.with.Trust.Standing().CountsSkill)
	slices.SortStableFunc(all, func(a, b skills.Skill) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// skillsOf describes the skills for a build. tools are the agent's.
func (m *Maker) skillsOf(s Spec, trusted bool) (offered []prompt.Skill, read []prompt.SkillText) {
	for _, k := range m.skills() {
		p := prompt.Skill{Name: k.Name, About: k.Description, Source: k.Where(), Problem: k.Problem}
		switch {
		case k.Held && k.Problem != "":
			continue // the person trusts it first
		case k.Held && trusted:
			p.Held = prompt.HeldChanged
		case k.Held:
			p.Held = prompt.HeldUntrusted
		case k.Problem == "" && slices.Contains(s.covered, k.Name):
			read = append(read, prompt.SkillText{Name: k.Name, Text: k.Body, File: filepath.Join(k.Dir, k.File)})
		}
		offered = append(offered, p)
	}
	return offered, read
}

// offeredSkills returns what use_skill works with; nil: there is no skill to use.
func (m *Maker) offeredSkills(s Spec, roots *files.Roots) *shelf {
	sh := &shelf{maker: m, spec: s, roots: roots, used: map[string]*files.Roots{}}
	before := map[string]bool{}
	for _, name := range s.usedSkills() {
		before[name] = true
	}
	usable := false
	for _, k := range m.skills() {
		if !k.Usable() || sh.off(k.Name) {
			continue
		}
		usable = true
		if before[k.Name] {
			sh.open(k)
		}
	}
	if !usable {
		return nil
	}
	return sh
}

// shelf has the skills that an agent may use, and knows which it has used.
type shelf struct {
	maker *Maker
	spec  Spec
	roots *files.Roots
	tools *tool.Registry // for calls in skills
	mu    lock.Mutex
	used  map[string]*files.Roots // by folder
}

func (sh *shelf) off(name string) bool {
	var meta prompt.Meta
	meta.ReadMeta(nil, nil, sh.spec.off)
	return slices.Contains(meta.ContextOff, prompt.SkillID(name))
}

// use implements builtin.Skills.
func (sh *shelf) use(ctx context.Context, name string) (builtin.Skill, error) {
	var names []string
	why := ""
	for _, k := range sh.maker.skills() {
		if !k.Usable() || sh.off(k.Name) {
			if k.Name == name && why == "" {
				why = sh.whyNot(k)
			}
			continue
		}
		if names = append(names, k.Name); k.Name != name {
			continue
		}
		sh.open(k)
		file := filepath.Join(k.Dir, k.File)
		a := assemble.New(assemble.Config{
			Roots: sh.roots, Macros: macro.New(sh.spec.Macros()), Tools: skillCaller{Caller{Tools: sh.tools}},
			Trusted: sh.maker.with.Trust.Trusted(), Cache: sh.maker.with.Files,
		})
		defer a.Close()
		out := builtin.Skill{Name: k.Name, Text: a.Inline(ctx, assemble.Text{Text: k.Body, File: file}).Content, Dir: k.Dir, Files: k.Files, Away: k.Rel == ""}
		if sh.roots.Allowed(k.Dir) {
			out.Dir = sh.roots.Rel(k.Dir)
		}
		return out, nil
	}
	if why != "" {
		return builtin.Skill{}, fault.New(fault.Denied, "the skill %s cannot be used: %s. There are: %s", name, why, strings.Join(names, ", "))
	}
	return builtin.Skill{}, fault.New(fault.NotFound, "there is no skill %q to use. There are: %s", name, strings.Join(names, ", "))
}

// whyNot returns the reason why an existing skill cannot be used now, though it may have been
// offered when the turn began.
func (sh *shelf) whyNot(k skills.Skill) string {
	switch {
	case sh.off(k.Name):
		return "the person switched it off in this notebook"
	case k.Held:
		return "it came or changed since the person trusted this folder, and they have to trust it first"
	}
	return k.Problem
}

// open lets the agent read the files of a skill.
func (sh *shelf) open(k skills.Skill) {
	roots, err := sh.maker.with.Access.Open(k.Dir, []string{k.Dir})
	if err != nil {
		return // it has disappeared
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.used[k.Dir] = roots
}

// rootsFor implements builtin.Skills.
func (sh *shelf) rootsFor(path string) *files.Roots {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for dir, roots := range sh.used {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return roots
		}
	}
	return nil
}

// skillCaller runs the calls in a skill: those that read, and no other skill.
type skillCaller struct{ Caller }

// Call implements assemble.ToolCaller.
func (c skillCaller) Call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	if t, ok := c.Tools.Get(name); ok && t.Name() == builtin.UseSkill {
		return "", fmt.Errorf("a skill cannot hold another: name the other one in it, and the agent uses both")
	}
	return c.Caller.Call(ctx, name, args)
}

// usedSkills names the skills that the agent used in the conversation.
func (s Spec) usedSkills() []string {
	var calls []chat.ToolCall
	for _, t := range s.Turns {
		calls = append(calls, t.Message.ToolCalls...)
	}
	for _, m := range s.Answer {
		calls = append(calls, m.ToolCalls...)
	}
	return append(skillsIn(calls), s.covered...)
}

// skillsIn names the skills that calls use.
func skillsIn(calls []chat.ToolCall) (names []string) {
	for _, c := range calls {
		if name := builtin.SkillOf(c); name != "" {
			names = append(names, name)
		}
	}
	return names
}
