package approval

import "testing"

// An argument named uri of a server's tool is not a path here: the tool's name grants a call.
func TestToolsOfServers(t *testing.T) {
	p := NewPolicy()
	call := Call{Tool: "web__fetch", Arguments: `{"uri":"https://example.org","command":"rm -rf /"}`, Workspace: t.TempDir()}
	if v := p.Check(call); v.Outcome != Ask {
		t.Errorf("%+v", v)
	}
	if _, err := p.Add(Rule{Tool: "web__fetch", Pattern: "*", Scope: Always}); err != nil {
		t.Fatal(err)
	}
	if v := p.Check(call); v.Outcome != Allow {
		t.Errorf("%+v", v)
	}
	call.Tool = "web__post"
	if v := p.Check(call); v.Outcome != Ask {
		t.Errorf("another tool of the server was granted: %+v", v)
	}
	if _, err := p.Add(Rule{Tool: "web__fetch", Pattern: "*", Deny: true, Scope: Always}); err != nil {
		t.Fatal(err)
	}
	call.Tool = "web__fetch"
	if v := p.Check(call); v.Outcome != Deny {
		t.Errorf("%+v", v)
	}
}
