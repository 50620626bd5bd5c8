package workspace_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/catalog"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/workspace"
)

// desk is an open workspace with a scripted model behind the real client.
type desk struct {
	*workspace.Workspace
	t      testing.TB
	folder string
	config string // folder of the settings
	state  string // folder of the program's state
	server *providertest.Server
	since  uint64
}

// open opens folder ("" makes one) with a model that answers from script.
func open(t testing.TB, folder, script string) *desk {
	t.Helper()
	return openModel(t, folder, script, settings.ModelView{ID: "scripted", Tools: true, Images: true}, nil)
}

// openModel is open with a given model; provider adds to the settings.
func openModel(t testing.TB, folder, script string, model settings.ModelView, provider func(*settings.Store, string)) *desk {
	t.Helper()
	return openWith(t, folder, script, model, provider, workspace.Options{})
}

// openTools is open with another policy for offering tools.
func openTools(t testing.TB, folder, script string, tools request.Policy) *desk {
	t.Helper()
	return openWith(t, folder, script, settings.ModelView{ID: "scripted", Tools: true}, nil, workspace.Options{Tools: tools})
}

// openWith is openModel with more options.
func openWith(t testing.TB, folder, script string, model settings.ModelView, provider func(*settings.Store, string), o workspace.Options) *desk {
	t.Helper()
	if folder == "" {
		folder = t.TempDir()
	}
	d := &desk{t: t, folder: folder, config: t.TempDir()}
	d.state = cmp.Or(os.Getenv("MUTSUMI_STATE"), filepath.Join(d.config, "state"))
	store, err := settings.Open(d.config)
	if err := errors.Join(err, os.MkdirAll(d.state, 0o700)); err != nil {
		t.Fatal(err)
	}
	if script != "" {
		d.server = providertest.New(t, script)
		store.SetBuiltIn(d.server.URL, "test-key", []settings.ModelView{model})
		if provider != nil {
			provider(store, d.server.URL)
		}
	}
	o.CacheDir = cacheOf(folder)
	o.Folder, o.Settings, o.Kinds = folder, store, os.DirFS("../../assets/agents")
	o.Connect = func(e settings.Endpoint) request.Connection {
		c := openai.New(openai.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key, FirstWait: time.Millisecond, Attempts: 3})
		return request.Connection{Model: c, List: func(ctx context.Context) ([]string, error) {
			models, err := c.Models(ctx)
			var ids []string
			for _, m := range models {
				ids = append(ids, m.ID)
			}
			return ids, err
		}}
	}
	d.Workspace, err = workspace.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	d.since = d.Events().Seq()
	t.Cleanup(func() { d.Close() })
	d.Nodes()
	return d
}

// item is an event as the interface gets it.
type item struct {
	Seq  uint64
	Type string
	Data map[string]any
}

// until reads events, from the end of the last call on, until one matches, and returns all of them.
func (d *desk) until(fits func(item) bool) []item {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), 5*time.Minute) // only a hanging test waits that long
	defer cancel()
	var all []item
	for {
		lines, err := d.Events().Read(ctx, d.since)
		if err != nil || lines == nil {
			d.t.Fatalf("no event fits (%v); got %v", err, all)
		}
		for _, line := range lines {
			var e item
			if err := json.Unmarshal(line, &e); err != nil {
				d.t.Fatal(err)
			}
			d.since = e.Seq
			d.checkEvent(e.Type, line)
			all = append(all, e)
			if fits(e) {
				return all
			}
		}
	}
}

func is(typ string) func(item) bool { return func(e item) bool { return e.Type == typ } }

func (d *desk) untilFinished(n int) (ends []item) {
	d.t.Helper()
	d.until(func(e item) bool {
		if e.Type == "runFinished" {
			ends = append(ends, e)
		}
		return len(ends) == n
	})
	return ends
}

func (d *desk) create(name string) string {
	d.t.Helper()
	path, err := d.Create(catalog.NewNotebook{Name: name})
	if err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) prompt(path, text string) string {
	d.t.Helper()
	r, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, "test")
	if err != nil {
		d.t.Fatal(err)
	}
	return r.ID
}

func (d *desk) run(path, cell string, mode runner.Mode) {
	d.t.Helper()
	if _, err := d.Run(path, cell, mode); err != nil {
		d.t.Fatal(err)
	}
}

// answer returns the text of a cell's answer, one line per message.
func (d *desk) answer(path, cell string) string {
	d.t.Helper()
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 {
		d.t.Fatalf("cell %s: %d cells, %v", cell, len(cells), err)
	}
	var b []string
	for _, m := range cells[0].Body.Answer {
		line := m.Text
		for _, c := range m.ToolCalls {
			line += "[" + c.Name + c.Arguments + "]"
		}
		b = append(b, string(m.Role)+": "+line)
	}
	return strings.Join(b, "\n")
}

func (d *desk) outcome(path, cell string) notebook.Outcome {
	d.t.Helper()
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil || len(cells) != 1 || cells[0].Body.Run == nil {
		d.t.Fatalf("cell %s: %+v, %v", cell, cells, err)
	}
	return cells[0].Body.Run.Outcome
}

func (d *desk) onDisk(path string) string {
	d.t.Helper()
	return filestest.Read(d.t, filepath.Join(d.folder, path))
}

func TestAPromptIsAnsweredSavedAndThereAgain(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nreasoning Let me see.\ntext \"Hello \"\ntext there.\nusage 12 5")
	path := d.create("First")
	cell := d.prompt(path, "Say hello")
	d.run(path, cell, runner.RunCell)
	events := d.until(is("runFinished"))
	order := []string{}
	for _, e := range events {
		if len(order) == 0 || order[len(order)-1] != e.Type {
			order = append(order, e.Type)
		}
	}
	if s := strings.Join(order, " "); !strings.Contains(s, "runStarted") || strings.Index(s, "runStarted") > strings.Index(s, "delta") || !strings.HasSuffix(s, "runFinished") {
		t.Errorf("events came as %s", s)
	}
	if got := d.answer(path, cell); got != "assistant: Hello there." {
		t.Errorf("got %q", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	again := open(t, d.folder, "")
	nodes := again.Nodes()
	if len(nodes) != 1 || nodes[0].Name != "First" || nodes[0].Status != agenttree.Standby {
		t.Fatalf("nodes: %+v", nodes)
	}
	v, err := again.Notebook(path)
	if err != nil || len(v.Cells) != 1 {
		t.Fatalf("%d cells, %v", len(v.Cells), err)
	}
	body := v.Cells[0].Body
	if body.Text != "Say hello" || body.Answer[0].Text != "Hello there." || body.Answer[0].Reasoning != "Let me see." ||
		body.Run.Outcome != notebook.Done || body.Run.Usage.Input != 12 || body.Run.Usage.Output != 5 {
		t.Errorf("got %+v, %+v", body, body.Run)
	}
}

func TestWhatStreamsIsOnDisk(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nrepeat 20 \"early \"\nstall")
	path := d.create("Stream")
	cell := d.prompt(path, "Go")
	d.run(path, cell, runner.RunCell)
	d.until(is("delta"))
	d.untilOnDisk(path, strings.Repeat("early ", 20)) // no later text could cause another save
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	end := d.untilFinished(1)[0]
	if end.Data["outcome"] != "stopped" || d.outcome(path, cell) != notebook.Stopped {
		t.Errorf("got %v", end)
	}
	if got := d.answer(path, cell); got != "assistant: "+strings.Repeat("early ", 20) {
		t.Errorf("the partial answer is gone: %q", got)
	}
}

func TestUndoAndRedoReachTheDisk(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	path := d.create("Undo")
	d.prompt(path, "typed")
	if _, err := d.Undo(path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Redo(path); err != nil {
		t.Fatal(err)
	}
	d.until(func(e item) bool { return e.Type == "notebookSaved" && strings.Contains(d.onDisk(path), "typed") })
	if _, err := d.Redo(path); err == nil {
		t.Error("nothing to redo")
	}
}

func TestPathsStayInTheFolder(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	outside := filepath.Join(t.TempDir(), "secret.mtm")
	if err := os.WriteFile(outside, []byte(`{"metadata":{},"context":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(d.folder, "link.mtm")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(d.folder, "dir")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		outside, "../secret.mtm", "/etc/passwd", "a/../../x.mtm", "link.mtm", "dir/secret.mtm", "", ".", "x.txt",
		".mutsumi/../../x.mtm", "x.mtm\x00", "C:\\x.mtm/../../y.mtm", ".hidden.mtm",
	} {
		if _, err := d.Notebook(path); err == nil || !fault.Is(err, fault.Denied) && !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: got %v", path, err)
		}
		if _, err := d.RawText(path); err == nil {
			t.Errorf("%q was read", path)
		}
		if err := d.Trash(path); err == nil {
			t.Errorf("%q was thrown away", path)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// checkEvent fails the test if a list that the interface reads is null.
func (d *desk) checkEvent(typ string, line []byte) {
	d.t.Helper()
	catalog := reflect.New(reflect.TypeFor[event.Catalog]()).Elem()
	for i := range catalog.NumField() {
		if name, _, _ := strings.Cut(catalog.Type().Field(i).Tag.Get("json"), ","); name == typ {
			v := reflect.New(catalog.Field(i).Type().Elem())
			var e struct{ Data json.RawMessage }
			if err := json.Unmarshal(line, &e); err != nil {
				d.t.Fatal(err)
			}
			if err := json.Unmarshal(e.Data, v.Interface()); err != nil {
				d.t.Fatal(err)
			}
			checkLists(d.t, typ, v)
			return
		}
	}
	d.t.Errorf("event %s is not in the catalog", typ)
}

// checkLists fails the test if v holds a nil slice that would become null.
func checkLists(t testing.TB, where string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			checkLists(t, where, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkLists(t, where, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if f.Type.Kind() == reflect.Slice && v.Field(i).IsNil() && !strings.Contains(f.Tag.Get("json"), "omitempty") {
				t.Errorf("%s.%s is null on the wire", where, f.Name)
			}
			checkLists(t, where+"."+f.Name, v.Field(i))
		}
	}
}

// Loaded values have lists where the interface expects lists.
func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool ls {}\nanswer\ntext x")
	check := func(where string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		checkLists(t, where, reflect.ValueOf(v))
	}
	snapshot, err := d.Snapshot()
	check("Snapshot", snapshot, err)
	path := d.create("Lists")
	v, err := d.Notebook(path)
	check("empty Notebook", v, err)
	cell := d.prompt(path, "p")
	v, err = d.Notebook(path)
	check("Notebook", v, err)
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	_, cells, err := d.Cells(path, []string{cell, "gone"})
	check("Cells", cells[0], err)
	_, cells, err = d.Cells(path, nil)
	if err != nil || cells == nil {
		t.Error("Cells of nothing is null")
	}
	d.write("bad.mtm", "[")
	v, err = d.Notebook("bad.mtm")
	check("damaged Notebook", v, err)
	inserted, err := d.InsertPaths(path, []string{"/nowhere"})
	check("InsertPaths", inserted, err)
	inserted, err = d.InsertPaths(path, nil)
	check("InsertPaths", inserted, err)
	s, err := d.Settings()
	check("Settings", s, err)
}
