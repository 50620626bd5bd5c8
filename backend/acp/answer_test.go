package acp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mutsumi/backend/agent"
)

// Text, thoughts and calls become messages, each call with its result.
func TestAnswer(t *testing.T) {
	w := newWorld(t)
	w.want(w.ask(`think Hm.
say Hello
say , world.
update {"sessionUpdate":"tool_call","toolCallId":"c/1","title":"Read a.go","kind":"read","status":"in_progress","locations":[{"path":"`+w.dir+`/a.go","line":3}]}
done c/1 it is empty
update {"sessionUpdate":"something_new","x":[1]}
update {"sessionUpdate":"plan","entries":[{"content":"Edit it","priority":"high","status":"in_progress"}]}
say Now I edit.
update {"sessionUpdate":"tool_call","toolCallId":"2","title":"Edit","kind":"edit","rawInput":{"old":1},"content":[{"type":"diff","path":"`+w.dir+`/a.go","oldText":"a\nb\n","newText":"a\nc\nd\n"}]}
failed 3 it is locked
update {"sessionUpdate":"tool_call_update","toolCallId":"2","status":"completed"}
say Done.
usage {"totalTokens":115,"inputTokens":10,"outputTokens":5,"cachedReadTokens":100}`), `
thought: Hm.
assistant: Hello, world.
c_1 acp_read {"title":"Read a.go","locations":["a.go:3"]}
tool: it is empty
plan acp_plan {"entries":[{"content":"Edit it","priority":"high","status":"in_progress"}]}
tool: Plan noted.
assistant: Now I edit.
2 acp_edit {"title":"Edit","input":{"old":1}}
3 acp_other {}
tool: `+"```diff\n--- a.go\n+++ a.go\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n```"+`
  error false {"added":2,"removed":1}
tool: it is locked
  error true {"line":"it is locked"}
assistant: Done.
done`)
}

// Calls that run at the same time may end in any order: their results keep that of the calls, and
// what is said meanwhile follows them.
func TestParallelCalls(t *testing.T) {
	w := newWorld(t)
	a := w.ask(`call a read A
call b read B
begin b
begin a
done b of b
say Meanwhile.
call c search C
done a of a
call d think D
done c of c
done d of d
say The end.`)
	w.want(a, `
a acp_read {"title":"A"}
b acp_read {"title":"B"}
c acp_search {"title":"C"}
tool: of a
tool: of b
tool: of c
assistant: Meanwhile.
d acp_think {"title":"D"}
tool: of d
assistant: The end.
done`)
	if a.Steps != 3 {
		t.Errorf("%d steps", a.Steps)
	}
	// A call of which nothing is heard until the end of the turn has a result too.
	w.want(w.ask("call a execute make\nbegin a\nsay I go on."), `
a acp_execute {"title":"make"}
tool: (no result was reported)
assistant: I go on.
done`)
	// A result that is one block of code is its text.
	w.want(w.ask("call a read A\ndone a ```console\\none\\n  two\\n```\ncall b read B\ndone b ```\\na\\n```\\n```\\nb\\n```"), "a acp_read {\"title\":\"A\"}\ntool: one\n  two\nb acp_read {\"title\":\"B\"}\ntool: ```\na\n```\n```\nb\n```\ndone")
	// Some models number the calls of each of their answers.
	w.want(w.ask("call a read A\ndone a x\ndone a late\ncall a read B\ndone a y"), `
a acp_read {"title":"A"}
tool: x
a_2 acp_read {"title":"B"}
tool: y
done`)
	// A call with the id of an earlier one in the same answer has another.
	w.want(w.ask("call a read A\ndone a x", func(t *Turn) { t.Index = 4 }), `
a_4 acp_read {"title":"A"}
tool: x
done`)
}

// The host decides about calls; the agent gets one of its options.
func TestPermission(t *testing.T) {
	w := newWorld(t)
	const script = `say I will clean up. It is safe.
update {"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","title":"rm","rawInput":{"command":"rm x"},"status":"pending"}
ask a
failed a it was refused`
	w.host.option = "no"
	a := w.ask(script)
	w.want(a, `
assistant: I will clean up. It is safe.
a acp_execute {"title":"rm","input":{"command":"rm x"}}
tool: it was refused
  error true {"end":"rejected"}
done`)
	w.host.asked.Do(func(all *[]Permission) {
		p := (*all)[0]
		if p.Why != "It is safe." || p.Call.ID != "a" || string(p.Call.Input) != `{"command":"rm x"}` || len(p.Options) != 2 || p.Options[1] != (PermissionOption{"no", "No", "reject_once"}) {
			t.Errorf("%+v", p)
		}
	})
	w.reads(`"optionId":"no"`, 1)
	w.host.option = "yes"
	w.ask(script)
	w.reads(`"optionId":"yes"`, 1)
	w.host.option = "" // no answer fits
	a = w.ask(script + "\nsay This is not heard.")
	w.want(a, `
assistant: I will clean up. It is safe.
a acp_execute {"title":"rm","input":{"command":"rm x"}}
tool: it was refused
  error true {"line":"it was refused"}
broken: Could not continue the answer: Scripted was not allowed to make a call (it offers no answer that fits).`)
	w.reads(`"outcome":"cancelled"`, 1)
	w.host.option, w.host.waits = "wait", make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-w.host.waits
		cancel()
	}()
	a = w.askIn(ctx, script+"\nhang")
	w.want(a, `
assistant: I will clean up. It is safe.
a acp_execute {"title":"rm","input":{"command":"rm x"}}
tool: it was refused
  error true {"end":"stopped"}
stopped`)
	if w.reads(`"outcome":"cancelled"`, 2); a.session == "" {
		t.Error("its session is lost")
	}
}

// A change that failed without a word has a reason all the same, not the first line of what it shows.
func TestAFailedChangeSaysWhy(t *testing.T) {
	w := newWorld(t)
	a := w.ask(`update {"sessionUpdate":"tool_call","toolCallId":"a","kind":"edit","title":"Edit","status":"pending"}
update {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"failed","content":[{"type":"diff","path":"/x.md","oldText":"a\n","newText":"b\n"}]}`)
	if got := a.told(); !strings.Contains(got, `"line":"`+noReason+`"`) || !strings.Contains(got, "+b") {
		t.Errorf("got %s", got)
	}
}

// A stop reaches the agent, whose session continues.
func TestStop(t *testing.T) {
	w := newWorld(t, "load")
	ctx, cancel := context.WithCancel(context.Background())
	a := w.askIn(ctx, "say First.\ncall a execute make\nbegin a\ncall b read B\nhang", stopAt("{B", cancel))
	w.want(a, `
assistant: First.
a acp_execute {"title":"make"}
b acp_read {"title":"B"}
tool: interrupted by the person
  error true {"end":"stopped"}
tool: interrupted by the person
  error true {"end":"stopped"}
stopped`)
	a = w.ask("which", func(t *Turn) { t.Session.ID = a.session })
	w.want(a, "assistant: new, prompt 2, mode ask, model small, fast false\ndone")
}

// stopAt calls stop at the first update that holds a text.
func stopAt(text string, stop func()) func(*Turn) {
	return func(t *Turn) {
		emit := t.Emit
		t.Emit = func(u agent.Update) {
			if emit(u); strings.Contains(fmt.Sprint(u), text) {
				stop()
			}
		}
	}
}

// NextStep ends the turn after a result.
func TestNextStep(t *testing.T) {
	w := newWorld(t)
	a := w.ask("call a read A\ndone a of a\nhang", func(t *Turn) { t.NextStep = func() bool { return false } })
	w.want(a, `
a acp_read {"title":"A"}
tool: of a
done`)
	if a.session == "" {
		t.Error("its session is lost")
	}
}

// The last words of an agent say why it ended.
func TestCrash(t *testing.T) {
	w := newWorld(t)
	a := w.ask("say I think\ncall a read A\ncrash Error: out of memory")
	w.want(a, `
assistant: I think
a acp_read {"title":"A"}
tool: interrupted: the agent ended before it gave a result
  error true {"end":"stopped"}
broken: Could not get the whole answer from Scripted: it ended: exit status 3; its last line is "Error: out of memory"`)
	w.want(w.ask("crash no key"), `failed: Could not get the whole answer from Scripted: it ended: exit status 3; its last line is "no key"`)
	w.want(w.ask("say It lives."), "assistant: It lives.\ndone")
	w.want(w.ask("error -32603 Internal error"), `failed: Could not get an answer from Scripted: Internal error: more of it`)
	w.want(w.ask("say x\nstop max_tokens"), "assistant: x\nbroken: Could not finish the answer: Scripted reached the limit of tokens for one. Continue to let it go on.")
	w.want(w.ask("stop refusal"), "failed: Could not continue the answer: Scripted refuses. Word the prompt in another way.")
	w.want(w.ask("stop end_turn"), "failed: Could not get an answer: Scripted ended its turn without one. Run the prompt again.")
}
