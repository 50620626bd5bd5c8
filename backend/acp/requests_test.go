package acp

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/waittest"
)

// What an agent asks for during its turn is done by the host; anything else is refused.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.dir, "a.txt")
	a := w.ask(fmt.Sprintf(`request fs/write_text_file {"path":%[1]q,"content":"one\ntwo\n"}
request fs/read_text_file {"path":%[1]q}
request fs/read_text_file {"path":%[2]q}
request fs/read_text_file {"path":"a.txt"}
request fs/write_text_file {"path":"/outside","content":""}
request fs/read_text_file {"path":%[1]q,"sessionId":"another"}
request fs/delete {"path":%[1]q}
request terminal/output {"terminalId":"term_9"}
request session/request_permission {"toolCall":{"toolCallId":"x"},"options":[]}`, file, filepath.Join(w.dir, "b.txt")))
	got := strings.Split(a.puts[0].Message.Content.String(), "\n")
	for i, want := range []string{
		`{}`, `{"content":"one\ntwo\n"}`, `"code":-32002,"message":"Resource not found: `, `path is not absolute`, `is outside`, `no turn runs in this session`, `"code":-32601`, `there is no such terminal`, `there are no options`,
	} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%d: %s, want %s", i, got[i], want)
		}
	}
	if b, err := os.ReadFile(file); string(b) != "one\ntwo\n" {
		t.Errorf("%q %v", b, err)
	}
}

// Gemini CLI makes a new file only if reading it gives nothing.
func TestMissingFile(t *testing.T) {
	w := newWorld(t, "gemini")
	w.want(w.ask(fmt.Sprintf(`request fs/read_text_file {"path":%q}`, filepath.Join(w.dir, "new"))), "assistant: {\"content\":\"\"}\n\ndone")
}

// A command of an agent is part of the call that shows it.
func TestTerminal(t *testing.T) {
	needsShell(t)
	w := newWorld(t)
	a := w.ask("run i=0; while [ $i -lt 40 ]; do echo 日本$i; i=$((i+1)); done; exit 7")
	if len(a.puts) != 3 {
		t.Fatal(a.told())
	}
	result, said := a.puts[1], a.puts[2].Message.Content.String()
	text := result.Message.Content.String()
	if !strings.HasPrefix(text, "日本0\n日本1\n") || !strings.HasSuffix(text, "日本39\n\n[exit status 7]") || result.Facts == nil || result.Facts.Exit != 7 {
		t.Errorf("%s %+v", text, result.Facts)
	}
	if !strings.Contains(said, `"exitCode":7`) || !strings.Contains(said, `"truncated":true`) || strings.Contains(said, "\uFFFD") || strings.Contains(said, "日本20") || !strings.Contains(said, "日本39") {
		t.Error(said)
	}
}

// A command still runs after the turn, and ends with the agent.
func TestTerminalEnds(t *testing.T) {
	needsShell(t)
	w := newWorld(t)
	w.ask(`request terminal/create {"command":"sleep","args":["1000"]}`)
	running := func() (n int) {
		w.host.started.Do(func(all *[]*shell) {
			for _, s := range *all {
				select {
				case <-s.done:
				default:
					n++
				}
			}
		})
		return n
	}
	if running() != 1 {
		t.Fatal("it does not run")
	}
	w.agents.Drop("n")
	waittest.Until(t, "the command ends", func() bool { return running() == 0 })
}

// Nothing that an agent sends is too much for the program.
func TestHostile(t *testing.T) {
	w := newWorld(t)
	a := w.ask("update " + strings.Join([]string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`, `[]`, `null`, `7`, `{"sessionUpdate":7}`,
		`{"sessionUpdate":"agent_message_chunk","content":[1]}`, `{"sessionUpdate":"tool_call"}`, `{"sessionUpdate":"plan","entries":[7]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"<b>\u202e","title":"x\u0000\u202ey\nz","kind":"<script>","status":9,"locations":"no","rawInput":[1],"content":[{"type":"diff","path":"../../etc/passwd","newText":"~~~\n` + "```" + `"},7,{"type":"new"}],"rawOutput":{"a":1}}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":{"a":1}}`, `{"sessionUpdate":"usage_update","used":-1,"size":1e300,"cost":7}`,
	}, "\nupdate "))
	w.want(a, "assistant: a\n_b__ acp_other {\"title\":\"x<U+0000><U+202E>y z\"}\ntool: ````diff\n--- /dev/null\n+++ "+clean(filepath.Join(w.dir, "../../etc/passwd"))+"\n@@ -0,0 +1,2 @@\n+~~~\n+```\n````\n  error false {\"added\":2}\ndone")

	if a = w.ask("repeat 3000 xy"); a.puts[0].Message.Content.Size() != 3000*200 || a.Outcome != "done" { // more than the SDK would queue
		t.Error(a.puts[0].Message.Content.Size(), a.Outcome)
	}
	w.agents.limits = limits{answer: 1 << 20, calls: 20, held: 1000, wait: time.Hour}
	if a = w.ask("repeat 20 " + strings.Repeat("x", 1000) + "\nhang"); a.Fault == nil || !strings.Contains(a.Fault.Message, "more than 1 MB") || a.puts[0].Message.Content.Size() > 1<<20 {
		t.Error(a.Outcome, a.Fault)
	}
	a = w.ask("call a read A\ndone a " + strings.Repeat(`line\n`, 100_000))
	if text := a.puts[1].Message.Content.String(); len(text) > 40<<10 || !strings.Contains(text, "[Output cut: ") {
		t.Errorf("%d bytes", len(text))
	}
	a = w.ask("call a read A\nsay First.\nrepeat 20 x\ndone a too late")
	if text := a.puts[1].Message.Content.String(); text != noResult || !strings.HasPrefix(a.puts[2].Message.Content.String(), "First.xx") {
		t.Error(a.told())
	}
	var calls strings.Builder
	for i := range 30 {
		fmt.Fprintf(&calls, "call c%d read A\n", i)
	}
	if a = w.ask(calls.String() + "hang"); a.Fault == nil || len(a.puts) != 21 {
		t.Error(len(a.puts), a.Fault)
	}
	for step, want := range map[string]string{
		"long 17 {":             "it sent a message of more than 16 MB",
		`long 11 {"id":1,"x":"`: "it sent a message of more than 10 MB",
	} {
		if a = w.ask("say x\n" + step + "\nhang"); a.Fault == nil || !strings.Contains(a.Fault.Message, want) {
			t.Error(a.told())
		}
	}
}

// clean is how a path is shown that is outside the folder.
func clean(path string) string { return filepath.ToSlash(path) }

func needsShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh, and programs have another form")
	}
}
