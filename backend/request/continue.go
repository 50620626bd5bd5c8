package request

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mutsumi/backend/agent"
	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/fork"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
	"mutsumi/backend/tool"
)

// LastCalls returns the index of the last message with tool calls in an answer; -1:
// there is none.
func LastCalls(answer []chat.Message) int {
	for i, m := range slices.Backward(answer) {
		if m.Role == chat.Assistant && len(m.ToolCalls) > 0 {
			return i
		}
	}
	return -1
}

// CompletedAnswer returns the answer that the request continues, with the results
// that its pending calls get before anything is sent.
func (s *Spec) CompletedAnswer(tools *tool.Registry) []chat.Message {
	answer := s.Answer
	at := LastCalls(answer)
	if at < 0 {
		return answer
	}
	behind := answer[at+1:]
	if slices.ContainsFunc(behind, func(m chat.Message) bool { return m.Role != chat.Tool }) {
		return answer // the agent went on from there
	}
	answer = slices.Clip(answer)
	for _, call := range answer[at].ToolCalls {
		if !slices.ContainsFunc(behind, func(m chat.Message) bool { return m.ToolCallID == call.ID }) {
			answer = append(answer, chat.Message{Role: chat.Tool, ToolCallID: call.ID, Name: call.Function.Name, Content: chat.Text(PendingResult(call, tools, s.MayHaveBegun(at, call)))})
		}
	}
	return answer
}

// MayHaveBegun reports whether a call may have begun before the program ended; at is the index of
// its message in the answer. A call that changes something begins only after the notebook records
// it. Older versions of the program did not record that.
func (s *Spec) MayHaveBegun(at int, call chat.ToolCall) bool {
	return !s.StartedKnown || s.Started == StartedCall{at, call.ID}
}

// PendingResult returns the result of a call that has none, with what is known about whether it
// ran. began reports that it may have.
func PendingResult(call chat.ToolCall, tools *tool.Registry, began bool) string {
	t, known := tools.Get(call.Function.Name)
	reads := known && t.Reads()
	switch {
	case !json.Valid([]byte(call.Function.Arguments)):
		return "The answer was cut off in the middle of this call: it did not run."
	case call.Function.Name == fork.Tool:
		return "interrupted by the end of the program before any agent was started"
	case !reads && !began:
		return agent.NotBegun
	}
	return agent.Unfinished(reads)
}

// caller returns what runs the tool calls in the prompt and in files.
func (s Spec) caller(c Caller) assemble.ToolCaller {
	if !s.Continues {
		return c
	}
	again := replayCaller{Caller: c}
	json.Unmarshal(s.sent, &again.sent) // ignore invalid data
	return again
}

// isForeign returns the function that reports which calls of the prompt were not typed here. When
// an answer is continued, calls that ran before are not foreign, because their results are
// replayed.
func (s Spec) isForeign() func(call string) bool {
	if !s.Continues || s.Foreign == nil {
		return s.Foreign
	}
	var sent prompt.Sent
	json.Unmarshal(s.sent, &sent)
	return func(call string) bool {
		name := ref.Parse(call).Tool
		return s.Foreign(call) && !slices.ContainsFunc(sent.Tools, func(run prompt.ToolRun) bool { return run.Name == name })
	}
}

// replayCaller is the caller of a continued answer: it returns the results that the
// calls had when the prompt was first sent, and runs no call again that may have
// changed something.
type replayCaller struct {
	Caller
	sent prompt.Sent
}

// Call implements assemble.ToolCaller.
func (c replayCaller) Call(ctx context.Context, name string, args json.RawMessage) (string, error) {
	for _, run := range c.sent.Tools {
		switch {
		case run.Name != name || !sameJSON(run.Args, args):
		case run.IsError:
			return "", errors.New(run.Result)
		default:
			return run.Result, nil
		}
	}
	if reads, known := c.Reads(name); known && !reads {
		return "", errors.New(agent.Unfinished(false))
	}
	return c.Caller.Call(ctx, name, args)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
