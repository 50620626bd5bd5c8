package cli_test

import (
	"encoding/json"
	"testing"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// fine is a model that answers whatever it is asked.
const fine = "models gpt-4o\nanswer always\ntext Fine.\nusage 9 1"

// demo is a window on a folder with the MCP server "demo", a good one, and the model that it asks.
type demo struct {
	*window
	model  *providertest.Server
	folder string
	env    []string
}

// newDemo makes the folder, with `dot.png` and the notebook `a.mtm`; open shows it.
func newDemo(t *testing.T, script string, env ...string) *demo {
	t.Helper()
	d := &demo{model: providertest.New(t, script), folder: t.TempDir()}
	d.env = append([]string{"OPENAI_BASE_URL=" + d.model.URL, "OPENAI_API_KEY=k"}, env...)
	write(t, d.folder, "dot.png", dotPNG(t))
	write(t, d.folder, ".mcp.json", mcpFile(t, "demo", "good"))
	write(t, d.folder, "a.mtm", wireCase{}.notebook(t, d.folder, 90))
	return d
}

// open serves the folder, as a new start of the program does. Nobody trusts it yet.
func (d *demo) open(t *testing.T) *demo {
	t.Helper()
	d.window = serve(t, d.env, d.folder)
	return d
}

// start trusts the folder, starts the server and waits until it runs and its tools are known: it is
// ready before it has listed them.
func (d *demo) start() {
	d.t.Helper()
	d.call("TrustFolder", true)
	d.call("RestartServer", "demo")
	waittest.Until(d.t, "the server runs and has listed its tools", func() bool {
		var all struct {
			Servers []struct {
				Name, State string
				Tools       int
			}
		}
		if err := json.Unmarshal(d.call("Servers"), &all); err != nil {
			d.t.Fatal(err)
		}
		return len(all.Servers) == 1 && all.Servers[0].State == "ready" && all.Servers[0].Tools > 0
	})
}

// typeIn adds a prompt to a notebook, as a person does, and returns its cell.
func (w *window) typeIn(file, prompt string) string {
	w.t.Helper()
	w.call("Edit", file, []map[string]any{{"kind": "insert", "text": prompt}}, "")
	cells := w.cells(file)
	return cells[len(cells)-1].ID
}

// sent runs a cell to its end and returns the body of its first request.
func (d *demo) sent(file, cell string) []byte {
	d.t.Helper()
	n := len(d.model.Requests())
	d.runs(file, "Run", file, cell, "cell")
	return d.model.Requests()[n].Body
}
