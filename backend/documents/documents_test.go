package documents_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
	"mutsumi/backend/unsaved"
)

// nobody is a host whose notebooks nobody works with.
type nobody struct{}

func (nobody) NewWork(*documents.Live) (any, documents.Work) { return nil, nothing{} }
func (nobody) TreeChanged()                                  {}
func (nobody) Opened(settings.Agent)                         {}
func (nobody) AgentsChanged(map[string]bool, []string)       {}
func (nobody) Renamed(from, to string)                       {}
func (nobody) EndedElsewhere()                               {}

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
func (nothing) Deleted(*documents.Tx)      {}
func (nothing) Renamed(*documents.Tx)      {}

const uuid = "0b8f7a52-6f5b-4c89-9a33-2d0f6a1f9c11"

// fixture is a folder with one notebook, a.mtm, that has one prompt.
type fixture struct {
	t      *testing.T
	folder string
	reg    *documents.Registry
	calls  *documents.Calls
	cancel context.CancelFunc
}

func open(t *testing.T) *fixture {
	t.Helper()
	s := &fixture{t: t, folder: t.TempDir()}
	s.write("first")
	store, err := settings.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.reg = documents.New(documents.Options{
		Context: ctx, Folder: s.folder, Outbox: event.NewOutbox(time.Now()), Rights: store.Rights(s.folder),
		Unsaved: unsaved.Store{Dir: t.TempDir()}, Prices: func() cost.Table { return cost.Table{} }, Host: nobody{},
	})
	s.calls = documents.NewCalls(s.reg)
	s.changed()
	t.Cleanup(func() { s.close() })
	return s
}

// write has another program write a.mtm, with one prompt.
func (s *fixture) write(prompt string) {
	s.t.Helper()
	nb := notebook.New(uuid, "A", "", nil, time.Now())
	if _, err := nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: prompt}}); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, "a.mtm"), nb.Encoded().Bytes(), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *fixture) changed() { s.reg.FilesChanged(map[string]bool{"a.mtm": true}) }

func (s *fixture) close() error {
	s.cancel()
	return s.reg.Close()
}

// prompt is the text of the only cell, as the interface loads it.
func (s *fixture) prompt() (id, text string) {
	s.t.Helper()
	v, err := s.calls.Notebook("a.mtm")
	if err != nil || len(v.Cells) != 1 {
		s.t.Fatalf("%d cells, %v", len(v.Cells), err)
	}
	return v.Cells[0].ID, v.Cells[0].Body.Text
}

func (s *fixture) edit(text string) {
	s.t.Helper()
	id, _ := s.prompt()
	if _, err := s.calls.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditSetText, Cell: id, Text: text}}, ""); err != nil {
		s.t.Fatal(err)
	}
}

// onDisk is the text of the only prompt in the file.
func (s *fixture) onDisk() string {
	s.t.Helper()
	nb, _, err := notebook.Load(filepath.Join(s.folder, "a.mtm"))
	if err != nil {
		s.t.Fatal(err)
	}
	return nb.Cells(nb.CellIDs())[0].Body.Text
}

func TestAnEditIsSavedAtTheEnd(t *testing.T) {
	s := open(t)
	s.edit("second")
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if got := s.onDisk(); got != "second" {
		t.Errorf("the file has %q", got)
	}
}

func TestAFileThatAnotherProgramWroteIsReadAgain(t *testing.T) {
	s := open(t)
	s.prompt()
	s.write("theirs")
	s.changed()
	if _, got := s.prompt(); got != "theirs" {
		t.Errorf("the notebook has %q", got)
	}
}

// With a change that is not saved the person is asked, and the file stays.
func TestAConflictIsDecidedByThePerson(t *testing.T) {
	s := open(t)
	s.edit("mine")
	s.write("theirs")
	s.changed()
	both, err := s.calls.Conflict("a.mtm")
	if err != nil || both.Gone {
		t.Fatalf("%+v, %v", both, err)
	}
	if got := s.onDisk(); got != "theirs" {
		t.Errorf("the file has %q before the person chose", got)
	}
	if err := s.calls.ResolveConflict("a.mtm", documents.TakeDisk); err != nil {
		t.Fatal(err)
	}
	if _, got := s.prompt(); got != "theirs" {
		t.Errorf("the notebook has %q", got)
	}
	if kept, _ := filepath.Glob(filepath.Join(s.folder, "a*mine*.mtm")); len(kept) != 1 {
		t.Errorf("kept beside it: %q", kept)
	}
}

// A notebook that is let go of between two who want it is loaded again.
func TestAClosedNotebookIsLoadedAgain(t *testing.T) {
	s := open(t)
	first, err := s.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	first.Do(func(tx *documents.Tx) { tx.Close() })
	again, err := s.reg.Live("a.mtm")
	if err != nil || again == first {
		t.Errorf("the same document, %v", err)
	}
}

func TestATxIsGoodInItsFunctionAlone(t *testing.T) {
	s := open(t)
	var kept *documents.Tx
	if err := s.reg.Open("a.mtm", func(tx *documents.Tx) error {
		kept = tx
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func(){"Notebook": func() { kept.Notebook() }, "Work": func() { kept.Work() }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s can be used after the lock was let go of", name)
				}
			}()
			use()
		}()
	}
}

func TestTheTreeShowsWhatTheFileSays(t *testing.T) {
	s := open(t)
	nodes := s.reg.Agents()
	if len(nodes) != 1 || nodes[0].File != "a.mtm" || nodes[0].Name != "A" || s.reg.Holder(uuid) != "a.mtm" {
		t.Errorf("%+v", nodes)
	}
	if err := os.Remove(filepath.Join(s.folder, "a.mtm")); err != nil {
		t.Fatal(err)
	}
	s.changed()
	if nodes := s.reg.Agents(); len(nodes) != 0 {
		t.Errorf("%+v", nodes)
	}
}
