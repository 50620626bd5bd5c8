// Package acptest is an agent that speaks the Agent Client Protocol, for tests: the test program
// starts itself as one. Its prompts are scripts: each line tells it what to do next. Only tests use
// it.
package acptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"mutsumi/backend/lock"
)

// as is the variable that turns the test program into an agent: the manners, with a comma between
// them.
const as = "ACPTEST_AGENT"

// Main runs the program as an agent if it was started as one, and does not return then. TestMain
// calls it first.
func Main() {
	manners, is := os.LookupEnv(as)
	if !is {
		return
	}
	a := &agent{manners: strings.Split(manners, ","), in: bufio.NewReaderSize(os.Stdin, 1<<20), waiting: map[string]chan answer{}, cancelled: make(chan struct{}, 1)}
	a.serve()
	os.Exit(0)
}

// Command returns the program and the environment of an agent with some manners:
//   - silent: it answers nothing; garbage: it prints no messages; version2: it speaks another version
//   - stubborn: it ignores cancellation, the end of its input and SIGTERM
//   - load, resume: it can continue earlier sessions, but for one named gone
//   - modes, options: it offers some
//   - signin: it wants a sign-in, by the method "key"; terminal: by running it in a terminal
//   - gemini: it gives itself for Gemini CLI
//   - pictures: it takes images and documents
//   - marks: it makes a file named "started" in its folder
func Command(manners ...string) (program string, env map[string]string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self, map[string]string{as: strings.Join(manners, ",")}
}

// agent is the agent while it runs.
type agent struct {
	manners   []string
	in        *bufio.Reader
	mu        lock.Mutex // of what is written
	ids       lock.Mutex // of waiting
	waiting   map[string]chan answer
	next      int
	cancelled chan struct{}
	signed    bool
	session   string
	began     string // how the session began
	prompts   int
	mode      string
	options   map[string]any
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

type answer struct{ result, failure json.RawMessage }

func (a *agent) has(manner string) bool { return slices.Contains(a.manners, manner) }

func (a *agent) serve() {
	if a.has("stubborn") {
		signal.Ignore(syscall.SIGTERM)
	}
	if a.has("marks") {
		if err := os.WriteFile("started", nil, 0o600); err != nil {
			panic(err)
		}
	}
	if a.has("garbage") {
		fmt.Println("Welcome!\n{not a message}\n{\"hello\": 1}")
	}
	a.mode, a.options = "ask", map[string]any{"model": "small", "fast": false}
	for {
		line, err := a.in.ReadBytes('\n')
		if err != nil {
			if a.has("stubborn") {
				time.Sleep(time.Hour)
			}
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil || a.has("silent") || a.has("garbage") {
			continue
		}
		if m.Method == "" {
			a.ids.Lock()
			to := a.waiting[string(m.ID)]
			a.ids.Unlock()
			if to != nil {
				to <- answer{m.Result, m.Error}
			}
			continue
		}
		switch m.Method {
		case "session/cancel":
			select {
			case a.cancelled <- struct{}{}:
			default:
			}
		case "session/prompt":
			go a.prompt(m)
		default:
			a.answer(m)
		}
	}
}

// write writes a line.
func (a *agent) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	a.line(string(b))
}

func (a *agent) line(s string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	os.Stdout.WriteString(s + "\n")
}

func (a *agent) result(id json.RawMessage, v any) {
	a.write(map[string]any{"jsonrpc": "2.0", "id": id, "result": v})
}

func (a *agent) failure(id json.RawMessage, code int, text string) {
	a.write(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text, "data": map[string]string{"details": "more of it"}}})
}

// update sends an update about the session.
func (a *agent) update(u any) {
	a.write(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": a.session, "update": u}})
}

// request sends a request and waits for the answer.
func (a *agent) request(method string, params any) answer {
	a.ids.Lock()
	a.next++
	id := fmt.Sprintf("%q", fmt.Sprint("r", a.next))
	got := make(chan answer, 1)
	a.waiting[id] = got
	a.ids.Unlock()
	a.write(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return <-got
}

// answer answers a request that is no prompt.
func (a *agent) answer(m message) {
	var p struct {
		Session string `json:"sessionId"`
		Method  string `json:"methodId"`
		Mode    string `json:"modeId"`
		Model   string `json:"modelId"`
		Config  string `json:"configId"`
		Value   any    `json:"value"`
	}
	json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "initialize":
		a.result(m.ID, a.capabilities())
	case "authenticate":
		if p.Method != "key" {
			a.failure(m.ID, -32602, "no such method")
			return
		}
		a.signed = true
		a.result(m.ID, map[string]any{})
	case "session/new", "session/load", "session/resume":
		switch {
		case a.has("signin") && !a.signed:
			a.failure(m.ID, -32000, "Authentication required")
			return
		case p.Session == "gone":
			a.failure(m.ID, -32602, "there is no such session")
			return
		}
		a.session, a.began, a.prompts = p.Session, strings.TrimPrefix(m.Method, "session/"), 0
		if m.Method == "session/new" {
			a.session = fmt.Sprintf("sess_%d_%d", os.Getpid(), time.Now().UnixNano())
		}
		if m.Method == "session/load" {
			a.say("user_message_chunk", "an earlier prompt")
			a.say("agent_message_chunk", "an earlier answer")
		}
		a.result(m.ID, a.offer())
		a.update(map[string]any{"sessionUpdate": "available_commands_update", "availableCommands": []any{map[string]any{"name": "plan", "description": "Makes a plan", "input": map[string]string{"hint": "what for"}}}})
	case "session/set_mode":
		a.mode = p.Mode
		a.result(m.ID, map[string]any{})
	case "session/set_model":
		a.options["model"] = p.Model
		a.result(m.ID, map[string]any{})
	case "session/set_config_option":
		a.options[p.Config] = p.Value
		a.result(m.ID, map[string]any{"configOptions": a.configOptions()})
	default:
		if m.ID != nil {
			a.failure(m.ID, -32601, "there is no method "+m.Method)
		}
	}
}

func (a *agent) capabilities() any {
	version := 1
	if a.has("version2") {
		version = 2
	}
	can := map[string]any{"loadSession": a.has("load")}
	if a.has("resume") {
		can["sessionCapabilities"] = map[string]any{"resume": map[string]any{}}
	}
	if a.has("pictures") {
		can["promptCapabilities"] = map[string]any{"image": true, "embeddedContext": true}
	}
	methods := []any{}
	if a.has("signin") {
		methods = append(methods, map[string]any{"id": "key", "name": "A key", "description": "Uses your key"})
	}
	if a.has("terminal") {
		methods = append(methods, map[string]any{"id": "login", "name": "Log in", "type": "terminal", "args": []string{"--login"}})
	}
	name := "scripted"
	if a.has("gemini") {
		name = "gemini-cli"
	}
	return map[string]any{
		"protocolVersion": version, "agentCapabilities": can, "authMethods": methods, "unknown": []int{1},
		"agentInfo": map[string]string{"name": name, "title": "Scripted", "version": "1.2.3"},
	}
}

// offer is what a new session offers.
func (a *agent) offer() any {
	r := map[string]any{"sessionId": a.session}
	if a.has("modes") {
		r["modes"] = map[string]any{"currentModeId": a.mode, "availableModes": []any{
			map[string]string{"id": "ask", "name": "Ask"}, map[string]string{"id": "code", "name": "Code", "description": "It writes."},
		}}
		r["models"] = map[string]any{"currentModelId": a.options["model"], "availableModels": []any{
			map[string]string{"modelId": "small", "name": "Small"}, map[string]string{"modelId": "large", "name": "Large"},
		}}
	}
	if a.has("options") {
		r["configOptions"] = a.configOptions()
	}
	return r
}

func (a *agent) configOptions() any {
	return []any{
		map[string]any{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": a.options["model"], "options": []any{
			map[string]any{"group": "g", "name": "All", "options": []any{map[string]string{"value": "small", "name": "Small"}, map[string]string{"value": "large", "name": "Large"}}},
		}},
		map[string]any{"id": "fast", "name": "Fast", "type": "boolean", "currentValue": a.options["fast"]},
		map[string]any{"id": "odd", "name": "Odd", "type": "slider", "currentValue": 3},
	}
}

func (a *agent) say(kind, text string) {
	a.update(map[string]any{"sessionUpdate": kind, "content": map[string]string{"type": "text", "text": text}})
}
