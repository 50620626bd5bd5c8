package prompt

import (
	"fmt"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/clip"
)

// Held is the reason why a skill of a folder has no effect.
type Held int

const (
	HeldNot       Held = iota // it takes effect
	HeldUntrusted             // the folder is not trusted
	HeldChanged               // it came or changed since the folder was trusted
)

// Skill is a skill that the agent can be offered (SPEC 13.3).
type Skill struct {
	Name    string
	About   string // when to use it
	Source  string // its file, as people name it
	Problem string // why it cannot be used; "": it can
	Held    Held
}

// SkillText is a skill that the agent read before its conversation was compacted.
type SkillText struct {
	Name string
	Text string // Markdown
	File string // absolute
}

// SkillID is the entry in ContextOff for a skill.
func SkillID(name string) string { return string(KindSkill) + ":" + name }

const skillsHead = "# Skills\n\nThese skills hold instructions for particular tasks. When a task fits the description of one, call use_skill with its name before you begin.\n\n"

// collectSkills decides which skills are offered, and adds to the rules the texts of those that the
// agent read and that are no longer in its messages.
func (b *build) collectSkills() {
	for _, s := range b.in.Skills {
		e := &entry{kind: KindSkill, key: s.Name, state: StateInert}
		switch {
		case s.Held == HeldUntrusted:
			e.note = noteTrust
			b.left = append(b.left, e)
		case s.Held == HeldChanged:
			e.note = noteHeld
			b.left = append(b.left, e)
			b.warn(Warning{File: s.Source, Text: "this skill came or changed since the folder was trusted: it was left out"})
		case s.Problem != "":
			b.warn(Warning{File: s.Source, Text: "this skill cannot be used: " + s.Problem})
		case b.isOff(e):
		case b.in.UsesSkills:
			b.skills = append(b.skills, s)
		}
	}
	for _, s := range b.in.SkillTexts {
		e := &entry{kind: KindSkill, key: "skill " + s.Name, note: "read earlier: a summary stands for the message that held it"}
		if b.off[SkillID(s.Name)] || b.isOff(e) {
			continue
		}
		doc := b.asm.Inline(b.ctx, assemble.Text{Text: s.Text, File: s.File})
		b.warnAll(doc.Warnings, "")
		if e.content = doc.Content; strings.TrimSpace(e.content) != "" {
			b.rules.put(e)
		}
	}
}

// skillsText is the end of the system message: the purpose of skills, then a line for each; nothing
// if none is offered.
func (b *build) skillsText() (pieces []string) {
	for i, s := range b.skills {
		if i == 0 {
			pieces = []string{"\n\n" + skillsHead}
		}
		pieces = append(pieces, fmt.Sprintf("- %s: %s\n", clip.OneLine(s.Name), clip.OneLine(s.About)))
	}
	return pieces
}
