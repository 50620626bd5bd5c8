package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

// UseSkill is the name of the tool that reads a skill.
const UseSkill = "use_skill"

// filesNamed is how many files of a skill its result names.
const filesNamed = 100

// Skill is a skill that an agent uses.
type Skill struct {
	Name  string
	Text  string   // Markdown
	Dir   string   // as the agent can name it to read_file
	Files []string // relative to Dir, with slashes
	Away  bool     // commands may not reach Dir
}

// Skills are the skills that an agent has.
type Skills struct {
	// Use returns a skill by its name. The error explains to the model why it cannot be used.
	Use func(ctx context.Context, name string) (Skill, error)
	// Roots returns the folder of a skill that the agent has used, if a path (absolute) is inside
	// it; otherwise nil.
	Roots func(path string) *files.Roots
}

// SkillOf returns the skill that a call of use_skill names, read as the tool itself reads
// it: under the argument's other names too, and from JSON that is nearly right. "": none.
func SkillOf(c chat.ToolCall) string {
	if c.Function.Name != UseSkill {
		return ""
	}
	call, err := skillCalls().Prepare(UseSkill, c.Function.Arguments)
	if err != nil {
		return ""
	}
	var in useSkillIn
	if err := json.Unmarshal(call.Args, &in); err != nil {
		return ""
	}
	return in.skill()
}

// skillCalls reads calls of use_skill; it runs none.
var skillCalls = sync.OnceValue(func() *tool.Registry { return tool.NewRegistry(useSkill(nil)) })

type useSkillIn struct {
	Name string `json:"name" jsonschema:"the skill, as the system message names it"`
}

func (in useSkillIn) Action() string { return "reading the skill " + base(in.Name) }

func (in useSkillIn) skill() string { return strings.TrimSpace(in.Name) }

func useSkill(s *Skills) tool.Tool {
	return tool.New(tool.Spec{
		Name: UseSkill, Description: describe(UseSkill), Reads: true, Arguments: map[string]string{"skill": "name", "skill_name": "name"},
	}, func(ctx context.Context, _ tool.Env, in useSkillIn) tool.Result {
		k, err := s.Use(ctx, in.skill())
		if err != nil {
			return tool.Error(err.Error())
		}
		var b strings.Builder
		fmt.Fprintf(&b, "# Skill: %s\n\n%s\n\n---\nPaths in this skill are relative to its folder, %s.", k.Name, k.Text, k.Dir)
		if k.Away {
			b.WriteString(" Commands may not reach it: read its files with read_file.")
		}
		if len(k.Files) > 0 {
			b.WriteString(" It holds:\n")
		}
		for i, name := range k.Files {
			if i == filesNamed {
				fmt.Fprintf(&b, "- and %d more: list them with ls\n", len(k.Files)-i)
				break
			}
			fmt.Fprintf(&b, "- %s\n", name)
		}
		return tool.Result{Content: strings.TrimRight(b.String(), "\n"), Bounded: true}
	})
}
