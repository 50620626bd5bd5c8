package acptest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A script has one step per line:
//
//	say TEXT, think TEXT          a chunk of the answer, or of a thought; \n is a line break
//	update JSON                   any update
//	call ID KIND TITLE            announces a call
//	begin ID, done ID TEXT, failed ID TEXT
//	ask ID                        asks whether a call may run, and says the answer
//	request METHOD JSON           sends a request with the session's id, and says the answer
//	run COMMAND                   runs a command in a terminal as the call "run", and releases it
//	together JSON                 starts the commands of a list at the same time, says so, and what each gave
//	write PATH TEXT               writes a file itself, in its folder
//	usage JSON, stop REASON       of the answer to the prompt
//	error CODE TEXT               fails the prompt
//	hang                          waits to be cancelled
//	child                         starts a process that outlives it, and says its id
//	crash TEXT                    prints TEXT and exits with status 3
//	raw TEXT                      prints TEXT
//	long N TEXT                   prints TEXT and N MB
//	repeat N TEXT                 says TEXT that often, repeated 100 times each
//	echo                          says the prompt as JSON
//	which                         says how the session began, its prompts, mode and options

// prompt answers a prompt.
func (a *agent) prompt(m message) {
	var p struct {
		Prompt []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	}
	json.Unmarshal(m.Params, &p)
	select {
	case <-a.cancelled: // late, of an earlier prompt
	default:
	}
	a.prompts++
	reply := map[string]any{"stopReason": "end_turn"}
	if len(p.Prompt) == 0 {
		a.result(m.ID, reply)
		return
	}
	for _, line := range strings.Split(p.Prompt[len(p.Prompt)-1].Text, "\n") {
		step, rest, _ := strings.Cut(line, " ")
		switch step {
		case "usage":
			reply["usage"] = json.RawMessage(rest)
		case "stop":
			reply["stopReason"] = rest
		case "error":
			code, text, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(code)
			a.failure(m.ID, n, text)
			return
		case "hang":
			if a.has("stubborn") {
				time.Sleep(time.Hour)
			}
			<-a.cancelled
			reply["stopReason"] = "cancelled"
			a.result(m.ID, reply)
			return
		case "echo":
			a.say("agent_message_chunk", string(m.Params))
		default:
			a.step(step, rest)
		}
	}
	a.result(m.ID, reply)
}

// step does one step of a script.
func (a *agent) step(step, rest string) {
	first, more, _ := strings.Cut(rest, " ")
	text := func(s string) []any {
		return []any{map[string]any{"type": "content", "content": map[string]string{"type": "text", "text": strings.ReplaceAll(s, `\n`, "\n")}}}
	}
	switch step {
	case "say":
		a.say("agent_message_chunk", strings.ReplaceAll(rest, `\n`, "\n"))
	case "think":
		a.say("agent_thought_chunk", strings.ReplaceAll(rest, `\n`, "\n"))
	case "update":
		a.update(json.RawMessage(rest))
	case "call":
		kind, title, _ := strings.Cut(more, " ")
		a.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": first, "kind": kind, "title": title, "status": "pending"})
	case "begin":
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": first, "status": "in_progress"})
	case "done":
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": first, "status": "completed", "content": text(more)})
	case "failed":
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": first, "status": "failed", "content": text(more)})
	case "ask":
		got := a.request("session/request_permission", map[string]any{
			"sessionId": a.session, "toolCall": map[string]any{"toolCallId": first},
			"options": []any{map[string]string{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, map[string]string{"optionId": "no", "name": "No", "kind": "reject_once"}},
		})
		os.Stderr.WriteString("answer: " + string(got.result) + "\n")
		a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": first, "rawOutput": string(got.result)})
	case "request":
		var params map[string]any
		json.Unmarshal([]byte(more), &params)
		if _, set := params["sessionId"]; !set {
			params["sessionId"] = a.session
		}
		got := a.request(first, params)
		a.say("agent_message_chunk", string(got.result)+string(got.failure)+"\n")
	case "run":
		a.run(rest)
	case "together":
		var commands []string
		if err := json.Unmarshal([]byte(rest), &commands); err != nil {
			panic(err)
		}
		a.together(commands)
	case "write":
		if err := os.WriteFile(first, []byte(strings.ReplaceAll(more, `\n`, "\n")), 0o600); err != nil {
			panic(err)
		}
	case "child":
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		a.say("agent_message_chunk", fmt.Sprint(cmd.Process.Pid))
	case "crash":
		os.Stderr.WriteString(rest + "\n")
		os.Exit(3)
	case "raw":
		a.line(rest)
	case "long":
		n, _ := strconv.Atoi(first)
		a.line(more + strings.Repeat(" ", n<<20) + `"}`)
	case "repeat":
		n, _ := strconv.Atoi(first)
		for range n {
			a.say("agent_message_chunk", strings.Repeat(more, 100))
		}
	case "which":
		a.say("agent_message_chunk", fmt.Sprintf("%s, prompt %d, mode %s, model %v, fast %v", a.began, a.prompts, a.mode, a.options["model"], a.options["fast"]))
	}
}

// run runs a command in a terminal.
func (a *agent) run(command string) {
	id, failure := a.terminal(command)
	if id == "" {
		a.say("agent_message_chunk", failure)
		return
	}
	a.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": "run", "kind": "execute", "title": "`" + command + "`", "status": "in_progress", "content": []any{map[string]any{"type": "terminal", "terminalId": id}}})
	exit, output := a.end(id)
	a.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": "run", "status": "completed"})
	a.say("agent_message_chunk", exit+output)
}

// together runs commands in terminals, all of which exist before it waits for one.
func (a *agent) together(commands []string) {
	ids, got := make([]string, len(commands)), make([]string, len(commands))
	each := func(do func(i int)) {
		var all sync.WaitGroup
		for i := range commands {
			all.Go(func() { do(i) })
		}
		all.Wait()
	}
	each(func(i int) { ids[i], got[i] = a.terminal(commands[i]) })
	a.say("agent_message_chunk", "started\n")
	each(func(i int) {
		if ids[i] == "" {
			return
		}
		exit, output := a.end(ids[i])
		var o struct {
			Output string `json:"output"`
		}
		json.Unmarshal([]byte(output), &o)
		got[i] = fmt.Sprintf("%s %q", exit, o.Output)
	})
	a.say("agent_message_chunk", strings.Join(got, "\n"))
}

// terminal runs a command in a terminal, and returns its id, or "" and what failed.
func (a *agent) terminal(command string) (id, failure string) {
	made := a.request("terminal/create", map[string]any{"sessionId": a.session, "command": command, "outputByteLimit": 100})
	var t struct {
		ID string `json:"terminalId"`
	}
	if json.Unmarshal(made.result, &t) != nil || t.ID == "" {
		return "", "no terminal: " + string(made.failure)
	}
	return t.ID, ""
}

// end waits for the end of a command, releases its terminal, and returns the answers that say how it
// ended and what it printed.
func (a *agent) end(id string) (exit, output string) {
	of := map[string]any{"sessionId": a.session, "terminalId": id}
	exit = string(a.request("terminal/wait_for_exit", of).result)
	output = string(a.request("terminal/output", of).result)
	a.request("terminal/release", of)
	return exit, output
}
