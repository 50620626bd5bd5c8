package documents_test

import (
	"strings"
	"testing"

	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
)

// A notebook that nobody looks at leaves memory after its save, even if its file was reported as
// changed during the save and has to be checked afterwards.
func TestANotebookIsLetGoBehindASaveThatIsChecked(t *testing.T) {
	d := openUnwatched(t, "", nobody{})
	text := strings.Repeat("a long text, so that a save takes a moment\n", 100_000)
	d.write("a.mtm", strings.Replace(filestest.Notebook("11111111-1111-4111-8111-111111111111", "a"), `"hi"`, `"`+strings.ReplaceAll(text, "\n", `\n`)+`"`, 1))
	d.reg.FilesChanged(map[string]bool{"a.mtm": true})
	if _, err := d.reg.Change("a.mtm", "", func(nb *notebook.Document) (notebook.Change, error) {
		return nb.Apply([]notebook.Edit{{Kind: notebook.EditInsert, Text: "more"}})
	}); err != nil {
		t.Fatal(err)
	}
	live, err := d.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	saved := make(chan error)
	go func() { saved <- live.Save() }()
	for saving := true; saving; {
		select {
		case err := <-saved:
			if err != nil {
				t.Fatal(err)
			}
			saving = false
		default:
			d.reg.FilesChanged(map[string]bool{"a.mtm": true})
		}
	}
	if d.reg.Opened("a.mtm") != nil {
		t.Error("the notebook is in memory")
	}
	if !strings.Contains(string(d.read("a.mtm")), "more") {
		t.Error("it was not saved")
	}
}
