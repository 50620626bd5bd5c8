package summaries_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/catalog"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/summaries"
	"mutsumi/backend/workspace"
)

// bench is an open folder with one agent whose model answers from a script.
type bench struct {
	*workspace.Workspace
	t      testing.TB
	server *providertest.Server
	folder string
	path   string
}

// wanted is a summary without further wishes.
var wanted = summaries.Wanted{}

func open(t *testing.T, script string, builtIn bool) *bench {
	t.Helper()
	return makeBench(t, script, builtIn, func(*settings.ModelView) {})
}

// openWith opens a folder whose model is changed.
func openWith(t *testing.T, script string, change func(*settings.ModelView)) *bench {
	t.Helper()
	return makeBench(t, script, false, change)
}

func makeBench(t testing.TB, script string, builtIn bool, change func(*settings.ModelView)) *bench {
	t.Helper()
	if t, ok := t.(*testing.T); ok {
		t.Parallel()
	}
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, server: providertest.New(t, script), folder: t.TempDir()}
	models := []settings.ModelView{{ID: "scripted", Tools: true, InputPrice: 1, OutputPrice: 2}}
	change(&models[0])
	if builtIn {
		store.SetBuiltIn(b.server.URL, "test-key", models)
	} else if _, err := store.SaveProvider(settings.ProviderInput{Name: "Test", BaseURL: b.server.URL, Models: models}); err != nil {
		t.Fatal(err)
	}
	b.Workspace, err = workspace.Open(workspace.Options{
		Folder: b.folder, Settings: store, CacheDir: t.TempDir(),
		Connect: func(e settings.Endpoint) request.Connection {
			return request.Connection{Model: openai.New(openai.Config{Name: e.Name, BaseURL: e.BaseURL, Key: e.Key, FirstWait: time.Millisecond, Attempts: 2})}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if b.path, err = b.Create(catalog.NewNotebook{Name: "Compacted"}); err != nil {
		t.Fatal(err)
	}
	return b
}

// ask adds a prompt, waits for its answer and returns its cell.
func (b *bench) ask(text string) string {
	b.t.Helper()
	made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, "")
	if err != nil {
		b.t.Fatal(err)
	}
	ends := b.ends()
	if _, err := b.Run(b.path, made.ID, runner.RunCell); err != nil {
		b.t.Fatal(err)
	}
	if end := ends(); end.Outcome != notebook.Done {
		b.t.Fatalf("the run ended so: %+v %v", end, end.Fault)
	}
	return made.ID
}

// ends returns what waits for the end of the next run.
func (b *bench) ends() func() event.RunFinished {
	ends := b.Events().Subscribe(func(e event.Event) bool { _, is := e.(event.RunFinished); return is })
	return func() event.RunFinished {
		b.t.Helper()
		defer ends.Close()
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		end, ok := ends.Next(ctx).(event.RunFinished)
		if !ok {
			b.t.Fatal("the run does not end")
		}
		return end
	}
}

// compact makes a summary and waits for it.
func (b *bench) compact(w summaries.Wanted) (cell string, err error) {
	b.t.Helper()
	ends := b.Events().Subscribe(func(e event.Event) bool { c, is := e.(event.Compaction); return is && !c.Running })
	defer ends.Close()
	if err := b.Compact(b.path, w); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	end, ok := ends.Next(ctx).(event.Compaction)
	if !ok {
		b.t.Fatal("the summary does not end")
	}
	if end.Fault != nil {
		return "", end.Fault
	}
	return end.Cell, nil
}

// last is the last request that arrived, as text.
func (b *bench) last() string {
	all := b.server.Requests()
	return string(all[len(all)-1].Body)
}

// lastOfRun is the last request of a run.
func (b *bench) lastOfRun() string {
	for _, r := range slices.Backward(b.server.Requests()) {
		if text := string(r.Body); !strings.Contains(text, "You write the summary") {
			return text
		}
	}
	return ""
}

func (b *bench) head(cell string) notebook.CellView {
	b.t.Helper()
	_, cells, err := b.Cells(b.path, []string{cell})
	if err != nil || len(cells) != 1 {
		b.t.Fatalf("%d cells, %v", len(cells), err)
	}
	return cells[0]
}

// filler makes a conversation long enough that a summary is shorter.
var filler = strings.Repeat("The retry budget was spent after the latency rose and not before. ", 60)

func TestAModelWritesTheSummary(t *testing.T) {
	b := open(t, `answer
text It is evictLoop in pricing/cache.go. `+filler+`
answer
text Fixed. `+filler+`
answer
text "## Goal\np99 back.\n\n## State\nFixed.\n\n## Next\n- [ ] Test it"
usage 900 30
answer
text Fine.`, false)
	first := b.ask("Why is checkout slow? Never touch the public API.")
	second := b.ask("Fix it.")
	third := "" // not run yet
	if made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "And now?"}}, ""); err == nil {
		third = made.ID
	}
	cell, err := b.compact(summaries.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	asked := b.last()
	for _, want := range []string{"You write the summary of a conversation", "### Person [" + first + "]", "evictLoop", "Fix it."} {
		if !strings.Contains(asked, want) {
			t.Errorf("the request for the summary lacks %q", want)
		}
	}
	head := b.head(cell)
	k := head.Compaction
	if k == nil || strings.Join(k.Covers, " ") != first+" "+second || k.Model != "scripted" || k.Trigger != "hand" || k.Usage == nil || k.Usage.Input != 900 || k.Requests != 1 || k.Before <= k.After {
		t.Fatalf("%+v", k)
	}
	want := "## Goal\np99 back.\n\n## State\nFixed.\n\n## Next\n- [ ] Test it\n\n## Your words\n> Why is checkout slow? Never touch the public API.\n\n> Fix it."
	if head.Body.Text != want {
		t.Errorf("the summary is\n%s", head.Body.Text)
	}
	v, err := b.Notebook(b.path)
	if err != nil || v.State.Spent.Requests != 3 {
		t.Errorf("spent %+v, %v", v.State.Spent, err)
	}

	details, err := b.SummaryDetails(b.path, cell)
	if err != nil {
		t.Fatal(err)
	}
	if len(details.Sections) != 4 || details.Sections[0].Name != "Goal" || details.Sections[0].Tokens == 0 || details.Tokens < details.Sections[3].Tokens {
		t.Errorf("sections %+v of %d tokens", details.Sections, details.Tokens)
	}
	var lost []string
	for _, l := range details.Lost {
		lost = append(lost, string(l.Kind)+" "+l.Text)
	}
	if got := strings.Join(lost, ", "); got != "path pricing/cache.go, name evictLoop" {
		t.Errorf("lost: %s", got)
	}
	for _, line := range []string{"pricing/cache.go", "evictLoop"} {
		if err := b.PinInSummary(b.path, cell, []string{line}, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.PinInSummary(b.path, cell, []string{"evictLoop"}, false); err != nil {
		t.Fatal(err)
	}
	if got := b.head(cell).Body.Text; got != want+"\n\n## Pinned\n- pricing/cache.go" {
		t.Errorf("with a pin the summary is\n%s", got)
	}

	next := b.nextRequest(third)
	if !strings.Contains(next, "p99 back.") || strings.Contains(next, "spent after the latency") || !strings.Contains(next, "And now?") {
		t.Errorf("the next request is %s", next)
	}
	if err := b.SwitchSummary(b.path, cell, false); err != nil {
		t.Fatal(err)
	}
	if next := b.nextRequest(third); strings.Contains(next, "p99 back.") || !strings.Contains(next, "spent after the latency") {
		t.Errorf("after the summary was taken back the next request is %s", next)
	}
	if err := b.SwitchSummary(b.path, cell, true); err != nil {
		t.Fatal(err)
	}
	b.ask("More?")
	if sent := b.last(); !strings.Contains(sent, "p99 back.") || strings.Contains(sent, "spent after the latency") {
		t.Errorf("what a run sends is %s", sent)
	}
	if _, err := b.Run(b.path, cell, runner.RunCell); !fault.Is(err, fault.Invalid) {
		t.Errorf("a summary was run: %v", err)
	}
}

// nextRequest is the body of the next request of a cell.
func (b *bench) nextRequest(cell string) string {
	b.t.Helper()
	body, err := b.RequestBody(b.t.Context(), b.path, cell, "And now?")
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}

// A model's text in a summary is only text: a reference or a call in it opens no file and runs no
// tool.
func TestASummaryIsOnlyText(t *testing.T) {
	b := open(t, "answer times 2\ntext Yes. "+filler+"\nanswer\ntext \"## Goal\\nSee @[secret.md] and @[read_file{\\\"uri\\\":\\\"secret.md\\\"}].\"", false)
	if err := os.WriteFile(filepath.Join(b.folder, "secret.md"), []byte("what nobody asked for"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.ask("One.")
	b.ask("Two.")
	if _, err := b.compact(wanted); err != nil {
		t.Fatal(err)
	}
	made, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditInsert, Text: "And now?"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if next := b.nextRequest(made.ID); !strings.Contains(next, "See @[secret.md]") || strings.Contains(next, "what nobody asked for") {
		t.Errorf("the next request is %s", next)
	}
}

// Without a model of the person's own, the program makes the summary, and says so.
func TestTheOfflineGuidesSummaryIsAnExtract(t *testing.T) {
	b := open(t, "answer\ntext The cache misses. "+filler+"\nanswer\ntext Done. "+filler, true)
	b.ask("Why is it slow?")
	b.ask("Go on.")
	cell, err := b.compact(summaries.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	head := b.head(cell)
	if head.Compaction.Model != "" || head.Compaction.Requests != 0 || len(b.server.Requests()) != 2 {
		t.Errorf("%+v after %d requests", head.Compaction, len(b.server.Requests()))
	}
	for _, want := range []string{"## Goal\nWhy is it slow?", "- The cache misses.", "## Your words\n> Why is it slow?"} {
		if !strings.Contains(head.Body.Text, want) {
			t.Errorf("the summary lacks %q: %s", want, head.Body.Text)
		}
	}
}

// Any failure leaves the notebook unchanged and is reported.
func TestASummaryThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		answer, want string
	}{
		"the model fails":          {"status 400\nbody {\"error\":{\"message\":\"no\"}}", "Could not compact: the model gave no summary"},
		"it says nothing":          {"text \"## Goal\\n\\n## Next\"", "Could not compact: the model's summary is empty"},
		"it grows":                 {"text " + filler + filler, "not smaller than 60 %"},
		"the stream breaks midway": {"text \"## Goal\\nhalf\"\ncut", "Could not compact: the model gave no summary"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, "answer\ntext Yes. "+filler+"\nanswer\ntext Done.\nanswer always\n"+c.answer, false)
			b.ask("One.")
			b.ask("Two.")
			before, err := os.ReadFile(filepath.Join(b.folder, b.path))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.compact(summaries.Wanted{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
			v, err := b.Notebook(b.path)
			if err != nil || len(v.Cells) != 2 {
				t.Errorf("%d cells, %v", len(v.Cells), err)
			}
			if len(before) == 0 {
				t.Error("nothing was saved")
			}
		})
	}
}

func TestThereIsNothingToCompact(t *testing.T) {
	b := open(t, "answer\ntext Yes.", false)
	if _, err := b.compact(summaries.Wanted{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an empty notebook: %v", err)
	}
	cell := b.ask("One.")
	if _, err := b.compact(summaries.Wanted{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("one cell: %v", err)
	}
	if err := b.MarkCell(b.path, cell, notebook.KeyMuted, true); err != nil || !b.head(cell).Muted {
		t.Errorf("mute: %v", err)
	}
	if err := b.MarkCell(b.path, cell, notebook.KeyMuted, false); err != nil || b.head(cell).Muted {
		t.Errorf("unmute: %v", err)
	}
	if err := b.MarkCell(b.path, cell, "run", true); !fault.Is(err, fault.Invalid) {
		t.Errorf("another mark: %v", err)
	}
}

// A summary does not cover a cell that changed while the model wrote it.
func TestACellChangesMeanwhile(t *testing.T) {
	b := open(t, "answer\ntext Yes. "+filler+"\nanswer\ntext Done.\nanswer\nwait edited\ntext \"## Goal\\nShort.\"", false)
	first := b.ask("One.")
	b.ask("Two.")
	failed := make(chan error)
	go func() {
		_, err := b.compact(summaries.Wanted{})
		failed <- err
	}()
	for len(b.server.Requests()) < 3 {
		time.Sleep(time.Millisecond)
	}
	if _, err := b.Edit(b.path, []notebook.Edit{{Kind: notebook.EditSetText, Cell: first, Text: "One more thing."}}, ""); err != nil {
		t.Fatal(err)
	}
	b.server.Let("edited")
	if err := <-failed; !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "a cell changed meanwhile") {
		t.Errorf("error %v", err)
	}
}
