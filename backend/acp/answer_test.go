package acp

import "testing"

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
