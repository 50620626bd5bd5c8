package offer

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

type listed []mcp.Tool

func (l listed) Known() []mcp.Tool { return l }
func (l listed) List() (all []mcp.View, err error) {
	for _, t := range l {
		if len(all) == 0 || all[len(all)-1].Name != t.Server {
			all = append(all, mcp.View{Name: t.Server, State: mcp.Ready})
		}
		all[len(all)-1].Tools++
	}
	return all, nil
}

// offered is what an agent gets in its first request, with room for share tokens.
func offered(c Caller, share int) *Offer { return New(c).Offer(wanted(share)) }

func wanted(share int) Wanted {
	return Wanted{
		Kind: func(string, string) bool { return true }, Off: func(string, string) bool { return false }, Model: "m", Share: share,
		Count: func(t tool.Tool) int { return (len(t.Name()) + len(t.Description()) + len(t.Schema())) / 4 },
	}
}

// direct are the server tools whose definitions are sent.
func direct(of *Offer) []tool.Tool { return of.Sent[2:] }

func (l listed) CallOffered(context.Context, mcp.Tool, client.Call) (client.Result, error) {
	return client.Result{}, nil
}

// A server's description of its tool is marked as such, limited, and shows hidden characters; it
// grants the tool no rights.
func TestHostileDefinitions(t *testing.T) {
	all := direct(offered(listed{
		{Server: "s", Tool: client.Tool{Name: "a", Description: "Reads\u202e files." + strings.Repeat("x", 1<<20), ReadOnly: true,
			Schema: json.RawMessage(`{"$schema":"x","type":"object","properties":{"n":{"type":"integer","description":"a\u200bb","enum":["\u200b"]}}}`)}},
		{Server: "s", Tool: client.Tool{Name: "b", Schema: json.RawMessage(`[`)}},
		{Server: "s", Tool: client.Tool{Name: "c", Problem: "bad"}},
	}, 1<<20))
	if len(all) != 2 {
		t.Fatal(all)
	}
	a := all[0]
	if a.Name() != "s__a" || a.Reads() || len(a.Description()) > maxDescription+200 || !strings.HasPrefix(a.Description(), "The tool a of the MCP server s. The server says of it:\n\nReads<U+202E> files.") {
		t.Errorf("%s %v %.200s", a.Name(), a.Reads(), a.Description())
	}
	if got := string(a.Schema()); got != `{"properties":{"n":{"description":"a<U+200B>b","enum":["`+"\u200b"+`"],"type":"integer"}},"type":"object"}` {
		t.Error(got)
	}
	if got := string(all[1].Schema()); got != `{"properties":{},"type":"object"}` {
		t.Error(got)
	}
	if _, err := a.Parse([]byte(`[1]`)); err == nil {
		t.Error("a list was taken for arguments")
	}
	if r := tool.NewRegistry(all...); len(r.All()) != 2 {
		t.Error("the tools cannot be registered")
	}
}

// refusing is a Caller with one tool whose calls are refused.
type refusing struct {
	listed
	why error
}

func (r refusing) CallOffered(_ context.Context, t mcp.Tool, _ client.Call) (client.Result, error) {
	if t.Description != "Keeps." {
		return client.Result{}, errors.New("it was called as another tool than it was offered as")
	}
	return client.Result{}, r.why
}

// A changed tool is withheld with the reason. A refused call did nothing; a failed call may have
// done something.
func TestBlockedTools(t *testing.T) {
	tools := listed{{Server: "s", Tool: client.Tool{Name: "a", Description: "Keeps."}}, {Server: "s", Tool: client.Tool{Name: "b"}, Blocked: "it changed\u202e"}}
	of := offered(tools, 1<<20)
	all, blocked := direct(of), of.Withheld["it changed<U+202E>"]
	if len(all) != 1 || all[0].Name() != "s__a" || len(blocked) != 1 || blocked[0].Name() != "s__b" {
		t.Fatalf("%+v %+v", all, of.Withheld)
	}
	for want, why := range map[string]error{
		"s__a was not called: it changed. Go on without it and say so.":              fault.New(fault.Denied, "it changed"),
		"Could not call s__a: it ended. It may have taken effect: check before you ": errors.New("it ended"),
	} {
		all := direct(offered(refusing{tools, why}, 1<<20))
		c, err := all[0].Parse([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Do(t.Context(), tool.Env{}); !r.IsError || !strings.HasPrefix(r.Content, want) {
			t.Errorf("%+v", r)
		}
	}
}

func TestFields(t *testing.T) {
	said := []string{}
	ask := func(answers ...string) Ask {
		return func(_ context.Context, _ tool.Env, q builtin.Question) (builtin.Answer, error) {
			said = append(said, q.Text)
			a := answers[0]
			answers = answers[1:]
			return builtin.Answer{Text: a, Declined: a == ""}, nil
		}
	}
	form := client.Question{Text: "Set \u202eup\nnow", Fields: []client.Field{
		{Name: "on", Kind: "boolean", Required: true}, {Name: "n", Kind: "number"}, {Name: "some", Kind: "string", Several: true, Choices: []string{"a", "b", "c"}, Labels: []string{"A", "A, B", "C"}},
	}}
	a, err := asks("s", tool.Env{}, ask("Yes", "x", "2.5", "A, B, C"))(t.Context(), form)
	raw, _ := json.Marshal(a.Values)
	if err != nil || a.Action != client.Accept || string(raw) != `{"n":2.5,"on":true,"some":["b","c"]}` {
		t.Errorf("%+v %s %v", a, raw, err)
	}
	if !strings.HasPrefix(said[0], "The MCP server s asks:\n\n> Set <U+202E>up\n> now\n>\n> on") || !strings.HasSuffix(said[2], "Enter a number.") {
		t.Errorf("%q", said)
	}
	few, many, least := 1.0, 2.0, 3.0
	bounded := client.Question{Fields: []client.Field{
		{Name: "n", Title: "How many", Description: "of\nthem", Kind: "integer", Least: &few, Most: &many, Default: json.RawMessage(`1`)}, {Name: "text", Kind: "string", Least: &least}, {Name: "some", Several: true, Choices: []string{"a", "b", "c"}, Most: &many},
	}}
	said = nil
	a, err = asks("s", tool.Env{}, ask("0", "3", "2", "ab", "äöü", "a, b, c", "a, c"))(t.Context(), bounded)
	if raw, _ := json.Marshal(a.Values); err != nil || string(raw) != `{"n":2,"some":["a","c"],"text":"äöü"}` {
		t.Errorf("%+v %s %v", a, raw, err)
	}
	if !strings.HasSuffix(said[0], ">\n> How many: of them\n\nIt proposes 1.") {
		t.Errorf("%q", said[0])
	}
	for i, want := range []string{"Enter a number from 1 on.", "Enter a number up to 2.", "", "Enter at least 3 characters.", "", "Choose at most 2."} {
		if !strings.HasSuffix(said[i+1], want) {
			t.Errorf("%d: %q", i, said[i+1])
		}
	}
	if a, err := asks("s", tool.Env{}, ask("Yes", leave, ""))(t.Context(), form); err != nil || a.Action != client.Decline || a.Values != nil {
		t.Errorf("%+v %v", a, err)
	}
	page := client.Question{Text: "Sign", Address: "https://evil.example/"}
	for answer, want := range map[string]client.Action{opened: client.Accept, no: client.Decline, "": client.Decline, "sure": client.Decline} {
		if a, err := asks("s", tool.Env{}, ask(answer))(t.Context(), page); err != nil || a.Action != want {
			t.Errorf("%q: %+v %v", answer, a, err)
		}
	}
}
