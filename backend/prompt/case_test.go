package prompt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/assemble"
	"mutsumi/backend/assemble/casetest"
	"mutsumi/backend/chat"
	"mutsumi/backend/prompt"
	"mutsumi/backend/rules"
	"mutsumi/backend/slashcommand"
)

var update = flag.Bool("update", false, "write what comes out into the cases")

// In addition to what every case has, the workspace contains rules, and notebook.json is a .mtm
// text whose last user message is the prompt.
func TestCases(t *testing.T) {
	casetest.Run(t, *update, func(c *casetest.Case) map[string]string {
		in, tools := readInput(c)
		out, err := prompt.Build(c.Context(), in)
		must(c.T, err)
		checkParts(c.T, out)
		return map[string]string{
			"messages": showMessages(out.Messages), "warnings": showWarnings(out.Warnings),
			"parts": showParts(c.T, out), "saved": showSaved(c.T, out), "ran": strings.Join(tools.ran, "\n"),
		}
	})
}

// caller is the tools of the cases: echo and boom only read, write changes.
type caller struct{ ran []string }

func (c *caller) Reads(name string) (reads, known bool) {
	return name != "write", name == "echo" || name == "boom" || name == "write"
}

func (c *caller) Call(_ context.Context, name string, args json.RawMessage) (string, error) {
	c.ran = append(c.ran, name+string(args))
	if name == "boom" {
		return "", errors.New("kaboom")
	}
	return "ECHO " + string(args), nil
}

type fileMessage struct {
	chat.Message
	Metadata struct {
		Cell string      `json:"cell_id"`
		Sent prompt.Sent `json:"sent"`
	} `json:"metadata"`
}

func readInput(c *casetest.Case) (prompt.Input, *caller) {
	c.Helper()
	var nb struct {
		Metadata struct {
			prompt.Meta
			Macros json.RawMessage `json:"macroContext"`
			Items  json.RawMessage `json:"contextItems"`
			Off    json.RawMessage `json:"contextOff"`
		} `json:"metadata"`
		Context []fileMessage `json:"context"`
	}
	must(c.T, json.Unmarshal([]byte(c.Text("notebook.json")), &nb))
	meta := nb.Metadata.Meta
	meta.ReadMeta(nb.Metadata.Macros, nb.Metadata.Items, nb.Metadata.Off)
	list, err := rules.List(c.Workspace)
	must(c.T, err)
	tools := &caller{}
	in := prompt.Input{
		Workspace: c.Workspace, Meta: meta, Rules: list, Command: func(name string) (slashcommand.Command, error) { return slashcommand.Find(c.Workspace, name) }, Trusted: c.Option("trusted") != "no", Preview: c.Option("preview") == "yes",
		Foreign: func(string) bool { return c.Option("fromFile") == "yes" }, Placement: prompt.Placement(c.Option("placement")), RemoteImages: c.Option("remote") == "yes",
		Tools: tools, OS: "linux", Now: time.Date(2026, 2, 8, 9, 30, 0, 0, time.UTC), Cache: assemble.NewCache(),
	}
	last := len(nb.Context) - 1
	in.Prompt, in.Cell = nb.Context[last].Content, nb.Context[last].Metadata.Cell
	for _, m := range nb.Context[:last] {
		in.History = append(in.History, prompt.HistoryMessage{Message: m.Message, Cell: m.Metadata.Cell, Sent: m.Metadata.Sent})
	}
	return in, tools
}

// showMessages writes messages for reading: a line for each, then its text.
func showMessages(messages []chat.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "== %s", m.Role)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " calls %s%s", c.Function.Name, c.Function.Arguments)
		}
		b.WriteString("\n")
		if m.Role == chat.System && strings.HasPrefix(m.Content.String(), "You are ") {
			b.WriteString("(system message)\n")
			continue
		}
		if m.Content.Parts == nil {
			b.WriteString(m.Content.String() + "\n")
			continue
		}
		for _, p := range m.Content.Parts {
			if p.Type == chat.PartImage {
				fmt.Fprintf(&b, "-- image %.40s detail %s\n", p.ImageURL.URL, p.ImageURL.Detail)
			} else {
				fmt.Fprintf(&b, "-- text\n%s\n", p.Text)
			}
		}
	}
	return b.String()
}

func showWarnings(warnings []prompt.Warning) string {
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "%s:%d: %s\n", w.File, w.Line, w.Text)
	}
	return b.String()
}

func showParts(t *testing.T, out prompt.Result) string {
	var b strings.Builder
	for _, p := range out.Parts {
		fmt.Fprintf(&b, "%s %q message %d", p.Kind, p.Source, p.Message)
		if p.State != "" {
			fmt.Fprintf(&b, " %s", p.State)
		}
		if p.Note != "" {
			fmt.Fprintf(&b, " (%s)", p.Note)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func showSaved(t *testing.T, out prompt.Result) string {
	t.Helper()
	for i := range out.Metadata.ContextItems {
		if s := &out.Metadata.ContextItems[i]; s.SHA256 != "" {
			s.SHA256 = s.SHA256[:8]
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	must(t, e.Encode(struct {
		prompt.Saved
		Sent prompt.Sent `json:"sent"`
	}{out.Metadata, out.Sent}))
	return b.String()
}

// checkParts checks for every build (SPEC 5.7) that the parts of a message cover all of its text,
// each byte once, except the frame around the block.
func checkParts(t *testing.T, out prompt.Result) {
	t.Helper()
	type place struct{ message, piece int }
	covered := map[place]int{}
	for _, p := range out.Parts {
		if p.Message < 0 || p.Kind == prompt.KindImage {
			continue
		}
		text := pieceText(out.Messages[p.Message].Content, p.Piece)
		if p.Start < 0 || p.End > len(text) || p.Start > p.End {
			t.Errorf("part %s %q: %d to %d of %d bytes", p.Kind, p.Source, p.Start, p.End, len(text))
			continue
		}
		n := p.End - p.Start
		if p.Kind == prompt.KindFrame {
			n = p.Bytes
		}
		covered[place{p.Message, p.Piece}] += n
	}
	for i, m := range out.Messages {
		for piece := range max(1, len(m.Content.Parts)) {
			text := pieceText(m.Content, piece)
			if strings.Contains(text, "\n\n<content_reference>\n") {
				covered[place{i, piece}] += 2
			}
			if got := covered[place{i, piece}]; got != len(text) {
				t.Errorf("message %d piece %d: parts cover %d of %d bytes", i, piece, got, len(text))
			}
		}
	}
}

func pieceText(c chat.Content, piece int) string {
	if c.Parts == nil {
		return c.String()
	}
	return c.Parts[piece].Text
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
