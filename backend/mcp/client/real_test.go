package client_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/subprocess"
)

// real connects to a third-party server from the folder of npm packages that MUTSUMI_MCP_SERVERS
// names.
func real(t *testing.T, name string, args ...string) *client.Conn {
	t.Helper()
	packages := os.Getenv("MUTSUMI_MCP_SERVERS")
	node, err := exec.LookPath("node")
	if packages == "" || err != nil {
		t.Skip("MUTSUMI_MCP_SERVERS does not name a folder with the servers, or node is missing")
	}
	script := filepath.Join(packages, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
	var log subprocess.Tail
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.Text())
		}
	})
	return connect(t, client.Options{Server: config.Server{Name: name, Command: node, Args: append([]string{script}, args...)}, Log: &log})
}

func names(t *testing.T, c *client.Conn) []string {
	t.Helper()
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, x := range tools {
		if x.Problem != "" {
			t.Error(x.Name, x.Problem)
		}
		all = append(all, x.Name)
	}
	return all
}

func answer(t *testing.T, c *client.Conn, tool, args string) string {
	t.Helper()
	r, err := c.Call(t.Context(), client.Call{Tool: tool, Args: []byte(args)})
	if err != nil || r.IsError || len(r.Parts) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	return r.Parts[0].Text
}

func TestServerEverything(t *testing.T) {
	c := real(t, "server-everything")
	if all := names(t, c); !slices.Contains(all, "echo") || len(all) < 8 {
		t.Error(all)
	}
	if got := answer(t, c, "echo", `{"message":"hi"}`); !strings.Contains(got, "hi") {
		t.Error(got)
	}
	steps := 0
	r, err := c.Call(t.Context(), client.Call{Tool: "trigger-long-running-operation", Args: []byte(`{"duration":1,"steps":3}`), Progress: func(client.Progress) { steps++ }})
	if err != nil || r.IsError || steps == 0 {
		t.Errorf("%+v %v, %d steps", r, err, steps)
	}
	r, err = c.Call(t.Context(), client.Call{Tool: "get-tiny-image"})
	if err != nil || !slices.ContainsFunc(r.Parts, func(p client.Part) bool { return p.Kind == client.Image && len(p.Data) > 100 }) {
		t.Errorf("%+v %v", r, err)
	}
	// What it asks: the fields of a form, and an address in both ways that there are.
	var asked []client.Question
	asks := func(_ context.Context, q client.Question) (client.Answer, error) {
		asked = append(asked, q)
		values := map[string]any{}
		for _, f := range q.Fields {
			if f.Required {
				values[f.Name] = "Ann"
			}
		}
		return client.Answer{Action: client.Accept, Values: values}, nil
	}
	r, err = c.Call(t.Context(), client.Call{Tool: "trigger-elicitation-request", Asks: asks})
	if err != nil || r.IsError || len(asked) != 1 || len(asked[0].Fields) < 5 || !strings.Contains(r.Parts[1].Text, "Ann") {
		t.Errorf("%+v %v, asked %+v", r, err, asked)
	}
	asked = nil
	r, err = c.Call(t.Context(), client.Call{Tool: "trigger-url-elicitation", Args: []byte(`{"url":"https://example.org/a","errorPath":true}`), Asks: asks})
	if err != nil || r.IsError || len(asked) != 2 || !asked[0].First || asked[1].First || asked[1].Address != "https://example.org/a" {
		t.Errorf("%+v %v, asked %+v", r, err, asked)
	}
	if resources, err := c.Resources(t.Context()); err != nil || len(resources) == 0 {
		t.Error(resources, err)
	} else if parts, err := c.Read(t.Context(), resources[0].URI); err != nil || len(parts) == 0 {
		t.Error(parts, err)
	}
	if prompts, err := c.Prompts(t.Context()); err != nil || len(prompts) == 0 {
		t.Error(prompts, err)
	}
}

func TestServerFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := real(t, "server-filesystem", dir)
	if all := names(t, c); !slices.Contains(all, "write_file") {
		t.Error(all)
	}
	answer(t, c, "write_file", `{"path":"`+filepath.Join(dir, "a.txt")+`","content":"hello"}`)
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(got) != "hello" {
		t.Error(string(got), err)
	}
	r, err := c.Call(t.Context(), client.Call{Tool: "read_text_file", Args: []byte(`{"path":"/etc/passwd"}`)})
	if err != nil || !r.IsError {
		t.Errorf("%+v %v", r, err)
	}
}

func TestServerMemory(t *testing.T) {
	c := real(t, "server-memory")
	if all := names(t, c); !slices.Contains(all, "read_graph") {
		t.Error(all)
	}
	if got := answer(t, c, "search_nodes", `{"query":"there is nothing"}`); !strings.Contains(got, "entities") {
		t.Error(got)
	}
}
