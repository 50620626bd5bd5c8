package builtin

import (
	"context"
	"fmt"
	"strings"

	"mutsumi/backend/tool"
)

// Model is a model that the person has set up.
type Model struct {
	Provider      string
	ID            string
	ContextTokens int // 0: unknown
	Images        bool
	Documents     bool
	Tools         bool
	Reasoning     bool
	Current       bool // the model that this agent uses
}

func availableModels(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "get_available_models", Description: describe("get_available_models"), Reads: true,
	}, func(context.Context, tool.Env, struct{}) tool.Result {
		models := o.Models()
		if len(models) == 0 {
			return tool.Text("No models are set up.")
		}
		lines := make([]string, len(models))
		for i, m := range models {
			lines[i] = m.line()
		}
		return tool.Text(strings.Join(lines, "\n"))
	})
}

func (m Model) line() string {
	var can []string
	for _, c := range []struct {
		has  bool
		name string
	}{{m.Images, "images"}, {m.Documents, "PDF documents"}, {m.Tools, "tools"}, {m.Reasoning, "reasoning"}} {
		if c.has {
			can = append(can, c.name)
		}
	}
	line := fmt.Sprintf("%s (provider %s", m.ID, m.Provider)
	if m.ContextTokens > 0 {
		line += fmt.Sprintf(", context %d tokens", m.ContextTokens)
	}
	if len(can) > 0 {
		line += ", takes " + strings.Join(can, ", ")
	}
	line += ")"
	if m.Current {
		line += " [this agent's model]"
	}
	return line
}
