package documents_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/documents"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

const copiedUUID = "11111111-2222-4333-8444-555555555555"

// ownLayout is a notebook as this program writes it, with keys unknown to it.
func ownLayout(t *testing.T, uuid, name string) string {
	t.Helper()
	text := strings.Replace(filestest.Notebook(uuid, name), `"context":`, `"other":{"x":[1,2]},"context":`, 1)
	text = strings.Replace(text, `"content":"hi"`, `"content":"hi","odd":1`, 1)
	nb, err := notebook.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(nb.Encoded().Bytes())
}

// uuidOf is the uuid that a file has on disk.
func (d *fixture) uuidOf(path string) string {
	d.t.Helper()
	h, err := notebook.ReadSummary(filepath.Join(d.folder, path))
	if err != nil {
		d.t.Fatal(err)
	}
	return h.UUID
}

func TestACopyGetsAUUIDOfItsOwnWhenBothAreSeen(t *testing.T) {
	t.Parallel()
	for _, opened := range []string{"", "a.mtm", "copy.mtm"} {
		d := open(t, "")
		text := ownLayout(t, copiedUUID, "A")
		d.write("a.mtm", text)
		d.untilTree("A")
		if opened == "a.mtm" {
			if _, err := d.Notebook("a.mtm"); err != nil {
				t.Fatal(err)
			}
		}
		d.write("copy.mtm", text)
		if opened == "copy.mtm" {
			if _, err := d.Notebook("copy.mtm"); err != nil {
				t.Fatal(err)
			}
		}
		d.untilOnDisk("copy.mtm", "mutsumi_copied_from")
		if d.onDisk("a.mtm") != text {
			t.Errorf("the original is %s", d.onDisk("a.mtm"))
		}
		own := d.uuidOf("copy.mtm")
		if len(own) != 36 || own == copiedUUID {
			t.Errorf("the copy is %q", own)
		}
		nb, _, err := notebook.Load(filepath.Join(d.folder, "copy.mtm"))
		if err != nil {
			t.Fatal(err)
		}
		if o := nb.Lineage().Origin(); o.UUID != copiedUUID || o.Messages != 1 || !o.Copied || o.At == "" {
			t.Errorf("it comes from %+v", o)
		}
		nb.SetUUID(copiedUUID)
		if err := nb.Keep("mutsumi_copied_from", nil); err != nil {
			t.Fatal(err)
		}
		if string(nb.Encoded().Bytes()) != text {
			t.Errorf("more changed: %s", nb.Encoded().Bytes())
		}
		v, err := d.Notebook("copy.mtm")
		if err != nil || v.Meta.UUID != own || v.Conflict {
			t.Errorf("the open copy: %+v, %v", v.Meta, err)
		}
		d.prompt("copy.mtm", "more") // it is saved as usual
		d.untilOnDisk("copy.mtm", "more")
		if d.uuidOf("copy.mtm") != own {
			t.Errorf("it is %q now", d.uuidOf("copy.mtm"))
		}
	}
}

// A copy that cannot be written, or would change in more than its uuid, stays as it is.
func TestACopyThatCannotBeWrittenStays(t *testing.T) {
	t.Parallel()
	own := ownLayout(t, copiedUUID, "A")
	for what, c := range map[string]struct {
		text    string
		prepare func(d *fixture)
	}{
		"read-only":        {own, func(d *fixture) { os.Chmod(filepath.Join(d.folder, "copy.mtm"), 0o444) }},
		"in another form":  {filestest.Notebook(copiedUUID, "A"), nil},
		"damaged":          {own[:len(own)-20], nil},
		"an original gone": {own, func(d *fixture) { os.Remove(filepath.Join(d.folder, "a.mtm")) }},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a.mtm"), []byte(own), 0o644); err != nil {
			t.Fatal(err)
		}
		d := openQuietly(t, folder)
		d.FileChanged("a.mtm")
		d.write("copy.mtm", c.text)
		if c.prepare != nil {
			c.prepare(d)
		}
		for range 3 {
			d.reg.FilesChanged(map[string]bool{"a.mtm": true, "copy.mtm": true})
		}
		if d.onDisk("copy.mtm") != c.text {
			t.Errorf("%s: it is %s", what, d.onDisk("copy.mtm"))
		}
		if d.OpenDocs() != 0 {
			t.Errorf("%s: %d notebooks stay open", what, d.OpenDocs())
		}
	}
}

// openQuietly opens a folder; the test itself reports its changed files.
func openQuietly(t *testing.T, folder string) *fixture {
	t.Helper()
	return openUnwatched(t, folder, nobody{})
}

// refusing lets no copy be written.
type refusing struct{ nobody }

func (refusing) MayRenameCopy(settings.Agent) bool { return false }

func TestACopyInAForeignFolderWaitsForItsFirstEdit(t *testing.T) {
	t.Parallel()
	folder, text := t.TempDir(), ownLayout(t, copiedUUID, "A")
	d := openUnwatched(t, folder, refusing{})
	d.write("a.mtm", text)
	d.FileChanged("a.mtm")
	d.write("copy.mtm", text)
	d.FileChanged("copy.mtm")
	if d.onDisk("copy.mtm") != text {
		t.Fatal("it was written")
	}
	d.prompt("copy.mtm", "more")
	d.untilOnDisk("copy.mtm", "mutsumi_copied_from")
	if got := d.uuidOf("copy.mtm"); got == copiedUUID || got == "" {
		t.Errorf("it is %q", got)
	}
}

// A copy that something else happens in gets its uuid at the next look.
func TestACopyInUseGetsItsUUIDLater(t *testing.T) {
	t.Parallel()
	d := openQuietly(t, t.TempDir())
	text := ownLayout(t, copiedUUID, "A")
	d.write("a.mtm", text)
	d.FileChanged("a.mtm")
	d.write("copy.mtm", text)
	if err := d.reg.With("copy.mtm", func(tx *documents.Tx, _ *notebook.Document) error {
		tx.SetRunning(true)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	d.FileChanged("copy.mtm")
	if d.onDisk("copy.mtm") != text {
		t.Fatal("it was written while its agent runs")
	}
	if err := d.reg.With("copy.mtm", func(tx *documents.Tx, _ *notebook.Document) error {
		tx.SetRunning(false)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond) // past one tick of the disk's clock
	d.FileChanged("copy.mtm")
	if got := d.uuidOf("copy.mtm"); got == copiedUUID {
		t.Error("it still has the uuid of the other")
	}
}

// A notebook was deleted and two copies of it came. Even if one copy is recorded before, the other is
// not taken for the renamed notebook.
func TestARecordedCopyMakesARenameAmbiguous(t *testing.T) {
	t.Parallel()
	text := ownLayout(t, copiedUUID, "A")
	d := openHosted(t, t.TempDir(), false, false, refusing{})
	d.write("a.mtm", text)
	d.FileChanged("a.mtm")
	if _, err := d.Notebook("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.write("another.mtm", text)
	d.FileChanged("another.mtm")
	d.write("copy.mtm", text)
	if err := os.Remove(filepath.Join(d.folder, "a.mtm")); err != nil {
		t.Fatal(err)
	}
	d.reg.FilesChanged(map[string]bool{"a.mtm": true, "another.mtm": true, "copy.mtm": true})
	if now := d.NameNow("a.mtm"); now != "a.mtm" {
		t.Errorf("it followed %s", now)
	}
}

// A save gives the notebook's file another number, and one of two copies may get the previous one.
// While the save is in progress, that is no evidence that the copy is the deleted notebook.
func TestACopyWithANumberOfTheVersionBeforeIsNoRename(t *testing.T) {
	t.Parallel()
	d := openHosted(t, t.TempDir(), false, false, refusing{})
	d.write("a.mtm", ownLayout(t, copiedUUID, "A"))
	d.FileChanged("a.mtm")
	live, err := d.reg.Live("a.mtm")
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(d.folder, name) }
	if err := errors.Join(live.HoldSaves(), os.Link(at("a.mtm"), at("another.mtm")), os.Remove(at("a.mtm"))); err != nil {
		t.Fatal(err)
	}
	text := ownLayout(t, copiedUUID, "B")
	d.write("a.mtm", text) // by the save
	_, written, err := notebook.Load(at("a.mtm"))
	if err != nil {
		t.Fatal(err)
	}
	d.writeInPlace("another.mtm", text) // it keeps the number
	d.write("copy.mtm", text)
	if err := os.Rename(at("a.mtm"), at(".away")); err != nil { // its own number stays in use
		t.Fatal(err)
	}
	d.reg.FilesChanged(map[string]bool{"a.mtm": true, "another.mtm": true, "copy.mtm": true})
	live.EndSave(written)
	if now := d.NameNow("a.mtm"); now != "a.mtm" {
		t.Errorf("it followed %s", now)
	}
	for _, name := range []string{"another.mtm", "copy.mtm"} {
		if d.reg.Summary(name).File == "" {
			t.Errorf("%s is not in the tree", name)
		}
	}
}

// The report of a renamed file's new name may come long after that of its old one.
func TestANewNameIsReportedLate(t *testing.T) {
	t.Parallel()
	d := openHosted(t, t.TempDir(), false, false, refusing{})
	text := ownLayout(t, copiedUUID, "A")
	for _, name := range []string{"a.mtm", "other.mtm"} {
		d.write(name, strings.Replace(text, copiedUUID, strings.Repeat(name[:1], 8)+copiedUUID[8:], 1))
		d.FileChanged(name)
	}
	d.prompt("a.mtm", "not saved yet")
	if err := os.Rename(filepath.Join(d.folder, "a.mtm"), filepath.Join(d.folder, "b.mtm")); err != nil {
		t.Fatal(err)
	}
	d.FileChanged("a.mtm")
	d.until(is("notebookMoved"))
	d.FileChanged("b.mtm")
	d.untilOnDisk("b.mtm", "not saved yet")
	if n := d.Nodes(); len(n) != 2 {
		t.Errorf("%+v", n)
	}
}
