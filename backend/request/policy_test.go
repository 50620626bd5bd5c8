package request_test

import (
	"testing"

	"mutsumi/backend/request"
)

func TestWhatAPolicyWithholds(t *testing.T) {
	for name, want := range map[string]string{
		"read_file": "", "ls": "", "system_info": "", "task_finish": "", "compact_chat_history": "", "made_up": "",
		"write_file": "reads", "functions.edit_file": "reads", "bash": "reads", "shell_output": "reads", "self_fork": "reads", "tracker__close": "reads", "call_tool": "reads", "search_tools": "",
		"ask_user": "reads all", "call_agent": "reads all",
	} {
		got := ""
		for _, p := range []request.Policy{request.ReadTools, request.EveryTool, request.AskTools} {
			if p.Withholds(name) {
				got += " " + string(p)
			}
		}
		if want != "" {
			want = " " + want
		}
		if got != want {
			t.Errorf("%s is withheld by%s, want%s", name, got, want)
		}
	}
}
