package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mutsumi/backend/tool"
)

// CompactChatHistory is the name of the tool with which an agent has its own
// conversation compacted.
const CompactChatHistory = "compact_chat_history"

// maxCompactNote limits an agent's note about its summary, in bytes.
const maxCompactNote = 4000

type compactIn struct {
	Keep string `json:"keep,omitempty" jsonschema:"what the summary has to say in particular"`
}

func (compactIn) Action() string { return "compacting the conversation" }

func (in compactIn) Check() error {
	if len(in.Keep) > maxCompactNote {
		return fmt.Errorf("what to keep is longer than %d bytes: name the few things that matter", maxCompactNote)
	}
	return nil
}

// compactChatHistory replaces the earlier cells of the agent's conversation with a summary through
// compact, which reports the result in a sentence.
func compactChatHistory(compact func(ctx context.Context, note string) (string, error)) tool.Tool {
	return tool.New(tool.Spec{
		Name: CompactChatHistory, Description: describe(CompactChatHistory), Reads: true,
		Arguments: map[string]string{"instructions": "keep", "note": "keep", "focus": "keep"},
	}, func(ctx context.Context, _ tool.Env, in compactIn) tool.Result {
		said, err := compact(ctx, strings.TrimSpace(in.Keep))
		switch {
		case ctx.Err() != nil:
			return tool.Error(context.Cause(ctx).Error())
		case err != nil && errors.Is(err, context.Canceled):
			return tool.Error("nobody made a summary: the conversation stays as it is")
		case err != nil:
			return tool.Error(err.Error())
		}
		return tool.Result{Content: said}
	})
}
