package builtin

import (
	"context"
	"errors"
	"strings"

	"mutsumi/backend/tool"
)

type taskFinishIn struct {
	Summary string `json:"summary" jsonschema:"the report: what was done or found, what is open"`
}

func (in taskFinishIn) Action() string { return "finishing" }

func (in taskFinishIn) Check() error {
	if strings.TrimSpace(in.Summary) == "" {
		return errors.New("the summary is empty: say what was done or found, and what is open")
	}
	return nil
}

// taskFinish ends the run; the summary is the agent's last word (SPEC 1.6).
func taskFinish() tool.Tool {
	return tool.New(tool.Spec{
		Name: "task_finish", Aliases: []string{"finish_task"}, Description: describe("task_finish"), Reads: true,
		Arguments: map[string]string{"message": "summary", "result": "summary", "report": "summary", "text": "summary", "content": "summary"},
	}, func(_ context.Context, _ tool.Env, in taskFinishIn) tool.Result {
		return tool.Result{Content: in.Summary, Finish: true}
	})
}
