package documents_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/unsaved"
)

// nobody is a host without agents.
type nobody struct{}

func (nobody) NewWork(*documents.Live) (any, documents.Work) { return nil, nothing{} }
func (nobody) TreeChanged()                                  {}
func (nobody) Opened(settings.Agent)                         {}
func (nobody) AgentsChanged(map[string]bool, []string)       {}
func (nobody) Renamed(from, to string)                       {}
func (nobody) EndedElsewhere()                               {}
func (nobody) MayRenameCopy(settings.Agent) bool             { return true }

// nothing is the Work of a notebook in which nothing runs.
type nothing struct{}

func (nothing) Views() []notebook.RunView              { return nil }
func (nothing) Waiting() bool                          { return false }
func (nothing) Counted() bool                          { return false }
func (nothing) MayClose() bool                         { return true }
func (nothing) Spent(*documents.Tx) (s notebook.Spent) { return s }
func (nothing) FillIn(_ *documents.Tx, cells []notebook.CellView) []notebook.CellView {
	return cells
}
func (nothing) Loaded() {}
func (nothing) Editing(*notebook.Document, []notebook.Edit) func(string) {
	return func(string) {}
}
func (nothing) CellsChanged(*documents.Tx) {}

func (nothing) Appended(*documents.Tx, []string) {}
func (nothing) Deleted(*documents.Tx)            {}
func (nothing) Renamed(*documents.Tx)            {}

// fixture is an open folder.
type fixture struct {
	*documents.Calls
	reg    *documents.Registry
	t      testing.TB
	folder string
	out    *event.Outbox
	since  uint64
	close  func() error
}

// open opens a folder ("" makes one) and follows it.
func open(t testing.TB, folder string) *fixture {
	t.Helper()
	return openFolder(t, folder, false)
}

// openQuiet opens a folder ("" creates one) that is not watched.
func openQuiet(t testing.TB, folder string) *fixture {
	t.Helper()
	return openFolder(t, folder, true)
}

func openFolder(t testing.TB, folder string, quiet bool) *fixture {
	t.Helper()
	return openHosted(t, folder, quiet, !quiet, nobody{})
}

// openUnwatched opens a folder; the test reports its changes.
func openUnwatched(t testing.TB, folder string, host documents.Host) *fixture {
	t.Helper()
	return openHosted(t, folder, false, false, host)
}

func openHosted(t testing.TB, folder string, quiet, watched bool, host documents.Host) *fixture {
	t.Helper()
	if folder == "" {
		folder = t.TempDir()
	}
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &fixture{t: t, folder: folder, out: event.NewOutbox(time.Now())}
	d.reg = documents.New(documents.Options{
		Context: ctx, Folder: folder, Quiet: quiet, Outbox: d.out, Rights: store.Rights(folder),
		Unsaved: unsaved.Store{Dir: t.TempDir()}, Prices: func() cost.Table { return cost.Table{} }, Host: host,
	})
	d.Calls = documents.NewCalls(d.reg)
	d.since = d.out.Seq()
	stop, ended := make(chan struct{}), (<-chan struct{})(nil)
	if watched {
		seen := make(chan struct{})
		var once sync.Once
		ended = documents.Watch(folder, stop, func() {}, func() {}, func(files map[string]bool) {
			d.reg.FilesChanged(files)
			once.Do(func() { close(seen) })
		})
		<-seen
	}
	d.close = sync.OnceValue(func() error {
		cancel()
		close(stop)
		if ended != nil {
			<-ended
		}
		return d.reg.Close()
	})
	t.Cleanup(func() { d.Close() })
	return d
}

// Close stops watching and saves unsaved changes.
func (d *fixture) Close() error { return d.close() }

func (d *fixture) Nodes() []agenttree.Node { return d.reg.Agents() }

// FileChanged reports, as the watcher does, that a notebook was written.
func (d *fixture) FileChanged(path string) { d.reg.FilesChanged(map[string]bool{path: true}) }

// OpenDocs is the number of notebooks in memory.
func (d *fixture) OpenDocs() int { return len(d.reg.OpenDocs()) }

// Saved returns once the notebook's content is on disk.
func (d *fixture) Saved(path string) error {
	live, err := d.reg.Live(path)
	if err != nil {
		return err
	}
	return live.Written(d.t.Context())
}

func (d *fixture) Undo(path string) (documents.EditResult, error) {
	return d.reg.Change(path, "", (*notebook.Document).Undo)
}

// item is an event as the interface gets it.
type item struct {
	Seq  uint64
	Type string
}

// until reads events from where the last call ended until one fits.
func (d *fixture) until(fits func(item) bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	for {
		lines, err := d.out.Read(ctx, d.since)
		if err != nil || lines == nil {
			d.t.Fatalf("no event fits (%v)", err)
		}
		for _, line := range lines {
			var e item
			if err := json.Unmarshal(line, &e); err != nil {
				d.t.Fatal(err)
			}
			if d.since = e.Seq; fits(e) {
				return
			}
		}
	}
}

func is(typ string) func(item) bool { return func(e item) bool { return e.Type == typ } }

// untilTree waits until the tree has exactly these names.
func (d *fixture) untilTree(want ...string) {
	d.t.Helper()
	names := func() []string {
		var got []string
		for _, n := range d.Nodes() {
			got = append(got, n.Name)
		}
		slices.Sort(got)
		return got
	}
	for !slices.Equal(names(), want) {
		d.until(is("treeChanged"))
	}
}

// write has another program replace a file as a whole, so that it is never found empty.
func (d *fixture) write(path, text string) {
	d.t.Helper()
	file := filepath.Join(d.folder, path)
	beside := filestest.Write(d.t, filepath.Join(filepath.Dir(file), ".replacement"), text)
	if err := os.Rename(beside, file); err != nil {
		d.t.Fatal(err)
	}
}

// writeInPlace has another program write a file and keep its number.
func (d *fixture) writeInPlace(path, text string) {
	d.t.Helper()
	filestest.Write(d.t, filepath.Join(d.folder, path), text)
}

// held makes changes before any of them is saved. The caller resumes the saves.
func (d *fixture) held(path string, changes func()) *documents.Live {
	d.t.Helper()
	live, err := d.reg.Live(path)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := live.HoldSaves(); err != nil {
		d.t.Fatal(err)
	}
	changes()
	return live
}

// prompt adds a prompt to a notebook.
func (d *fixture) prompt(path, text string) {
	d.t.Helper()
	if _, err := d.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, "test"); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) onDisk(path string) string {
	d.t.Helper()
	return filestest.Read(d.t, filepath.Join(d.folder, path))
}

// untilOnDisk waits until a file holds text.
func (d *fixture) untilOnDisk(path, text string) {
	d.t.Helper()
	filestest.UntilHolds(d.t, filepath.Join(d.folder, path), text)
}

// beside returns the texts of the files next to a notebook that have a label in their name.
func (d *fixture) beside(label string) []string {
	d.t.Helper()
	return filestest.Beside(d.t, d.folder, label)
}

func TestAnEditIsSavedAtTheEnd(t *testing.T) {
	d := openQuiet(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	d.prompt("a.mtm", "second")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.onDisk("a.mtm"); !strings.Contains(got, "second") {
		t.Errorf("the file has %s", got)
	}
}

// A notebook that is unloaded between two uses is loaded again.
func TestAClosedNotebookIsLoadedAgain(t *testing.T) {
	d := openQuiet(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	first, err := d.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	first.Do(func(tx *documents.Tx) { tx.Close() })
	again, err := d.reg.Live("a.mtm")
	if err != nil || again == first {
		t.Errorf("the same document, %v", err)
	}
}

func TestATxIsGoodInItsFunctionAlone(t *testing.T) {
	d := openQuiet(t, "")
	d.write("a.mtm", filestest.Notebook("a", "A"))
	var kept *documents.Tx
	if err := d.reg.Open("a.mtm", func(tx *documents.Tx) error {
		kept = tx
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(){"Notebook": func() { kept.Notebook() }, "Work": func() { kept.Work() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s can be used after the lock was released", name)
				}
			}()
			use()
		}()
	}
}
