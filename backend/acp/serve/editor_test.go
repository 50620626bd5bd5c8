package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/cli/clitest"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/lock"
	"mutsumi/backend/provider/providertest"
)

// The tests run the real program, built once without a window, with the SDK's client.
var binary string

func TestMain(m *testing.M) {
	clitest.Main(m, &binary)
}

// editor is a program that uses ours as an agent.
type editor struct {
	*acp.ClientSideConnection
	t       *testing.T
	cmd     *exec.Cmd
	in      io.Closer
	errs    *bytes.Buffer
	prompts *counted
	fills   map[string]map[string]any                                        // the answers to forms, by their questions; others are declined
	decide  func(ctx context.Context, r acp.RequestPermissionRequest) string // the option's id; "": cancelled
	updates lock.Guarded[[]acp.SessionNotification]
	asked   lock.Guarded[[]acp.RequestPermissionRequest]
}

// UnstableCreateElicitation answers a form.
func (e *editor) UnstableCreateElicitation(_ context.Context, r acp.UnstableCreateElicitationRequest) (acp.UnstableCreateElicitationResponse, error) {
	content, ok := e.fills[r.Form.Message]
	if !ok {
		return acp.NewUnstableCreateElicitationResponseDecline(), nil
	}
	accepted := acp.NewUnstableCreateElicitationResponseAccept()
	accepted.Accept.Content = content
	return accepted, nil
}

func (e *editor) ReadTextFile(context.Context, acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) WriteTextFile(context.Context, acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) KillTerminal(context.Context, acp.KillTerminalRequest) (r acp.KillTerminalResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, err error) {
	return r, errors.New("not here")
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.updates.Do(func(all *[]acp.SessionNotification) { *all = append(*all, n) })
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.asked.Do(func(all *[]acp.RequestPermissionRequest) { *all = append(*all, r) })
	option := e.decide(ctx, r)
	if option == "" {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
}

// command returns the program with a home of its own and model m of a test server as its only model.
func command(t *testing.T, server *providertest.Server, args ...string) *exec.Cmd {
	cmd := clitest.Command(t, binary, []string{"MUTSUMI_GUIDE_PACE=0"}, args...)
	if server != nil {
		cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+server.URL, "OPENAI_API_KEY=k")
	}
	return cmd
}

// connect starts the program and initializes the protocol.
func connect(t *testing.T, server *providertest.Server, flags ...string) *editor {
	t.Helper()
	return connectAs(t, server, acp.ClientCapabilities{}, flags...)
}

// connectAs is connect for an editor with abilities.
func connectAs(t *testing.T, server *providertest.Server, can acp.ClientCapabilities, flags ...string) *editor {
	t.Helper()
	e := &editor{t: t, errs: &bytes.Buffer{}, decide: func(context.Context, acp.RequestPermissionRequest) string { return "allow" }}
	e.cmd = command(t, server, append([]string{"acp"}, flags...)...)
	e.cmd.Stderr = e.errs
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.in, e.prompts = in, &counted{Writer: in}
	read := make(chan struct{})
	e.ClientSideConnection = acp.NewClientSideConnection(e, e.prompts, &strict{t: t, Reader: out, end: read})
	e.SetLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		in.Close()
		<-read
		if err := e.cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("it did not end well: %v; %s", err, e.errs)
		}
	})
	r, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: can})
	if err != nil || r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession || r.AgentInfo.Name != "mutsumi" {
		t.Fatalf("%+v, %v; %s", r, err, e.errs)
	}
	return e
}

// counted counts the prompts that were sent.
type counted struct {
	io.Writer
	n atomic.Int32
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if bytes.Contains(p, []byte(`"session/prompt"`)) {
		c.n.Add(1)
	}
	return n, err
}

// strict fails the test for anything but lines of JSON.
type strict struct {
	io.Reader
	t    *testing.T
	end  chan struct{}
	rest []byte
	done bool
}

func (s *strict) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.rest = append(s.rest, p[:n]...)
	for {
		line, rest, found := bytes.Cut(s.rest, []byte("\n"))
		if !found {
			break
		}
		s.rest = rest
		if !json.Valid(line) {
			s.t.Errorf("on standard output: %s", line)
		}
	}
	if err != nil && !s.done {
		s.done = true
		close(s.end)
	}
	return n, err
}

// begin begins a session in a folder.
func (e *editor) begin(dir string) acp.SessionId {
	e.t.Helper()
	r, err := e.NewSession(e.t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}})
	if err != nil {
		e.t.Fatalf("%v; %s", err, e.errs)
	}
	return r.SessionId
}

func (e *editor) prompt(id acp.SessionId, blocks ...acp.ContentBlock) (acp.StopReason, error) {
	r, err := e.Prompt(e.t.Context(), acp.PromptRequest{SessionId: id, Prompt: blocks})
	return r.StopReason, err
}

// must sends a prompt that ends well.
func (e *editor) must(id acp.SessionId, blocks ...acp.ContentBlock) {
	e.t.Helper()
	if reason, err := e.prompt(id, blocks...); err != nil || reason != acp.StopReasonEndTurn {
		e.t.Fatalf("%s, %v; %s", reason, err, e.errs)
	}
}

// heard returns what the editor heard of a session, a line for each update that is part of a
// conversation, and forgets it.
func (e *editor) heard(id acp.SessionId) string {
	var all []acp.SessionNotification
	e.updates.Do(func(list *[]acp.SessionNotification) { all, *list = *list, nil })
	var b strings.Builder
	for _, n := range all {
		u := n.Update
		switch {
		case n.SessionId != id:
			fmt.Fprintf(&b, "of another session: %s\n", n.SessionId)
		case u.UserMessageChunk != nil:
			fmt.Fprintf(&b, "user %s\n", u.UserMessageChunk.Content.Text.Text)
		case u.AgentMessageChunk != nil:
			fmt.Fprintf(&b, "says %s\n", strings.TrimSpace(u.AgentMessageChunk.Content.Text.Text))
		case u.AgentThoughtChunk != nil:
			fmt.Fprintf(&b, "thinks %s\n", u.AgentThoughtChunk.Content.Text.Text)
		case u.ToolCall != nil:
			fmt.Fprintf(&b, "call %s (%s) %s\n", u.ToolCall.Title, u.ToolCall.Kind, u.ToolCall.Status)
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
			fmt.Fprintf(&b, "call %s\n", *u.ToolCallUpdate.Status)
		}
	}
	return b.String()
}

func (e *editor) questions() (all []acp.RequestPermissionRequest) {
	e.asked.Do(func(list *[]acp.RequestPermissionRequest) { all, *list = *list, nil })
	return all
}

func text(s string) acp.ContentBlock { return acp.TextBlock(s) }

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	return filestest.Write(t, filepath.Join(dir, name), text)
}

func read(t *testing.T, file string) string {
	t.Helper()
	return filestest.Read(t, file)
}

// notebooks are the files of the program's own notebooks in a folder.
func notebooks(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, ".mutsumi", "*.mtm"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}
