package workspace_test

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Undo revokes what a step gave outside the folder. Redo gives it again, unless something else
// changed.
func TestUndoTakesAFolderBack(t *testing.T) {
	t.Parallel()
	folder, secret := elsewhere(t)
	for what, c := range map[string]struct {
		change func(d *desk) error
		again  bool
	}{
		"nothing else": {func(*desk) error { return nil }, true},
		"another folder has its place": {func(*desk) error {
			return errors.Join(os.RemoveAll(folder+"-before"), os.Rename(folder, folder+"-before"), os.Mkdir(folder, 0o755), os.WriteFile(secret, []byte("SECRET"), 0o600))
		}, false},
		"trust is gone": {func(d *desk) error { return d.TrustFolder(false) }, false},
		"taken back for itself": {func(d *desk) error {
			_, err := d.Redo("came.mtm")
			if err == nil {
				err = d.DisallowFolder("came.mtm", folder)
			}
			if err == nil {
				_, err = d.Undo("came.mtm") // undoes the removal: it asks
			}
			if err == nil {
				_, err = d.Undo("came.mtm") // undoes the grant
			}
			return err
		}, false},
	} {
		t.Run(what, func(t *testing.T) {
			d := open(t, "", "")
			d.came("came.mtm", cameUUID, "", `["."]`, "@["+secret+"]")
			if err := d.TrustFolder(true); err != nil {
				t.Fatal(err)
			}
			if err := d.AllowFolder("came.mtm", folder); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Undo("came.mtm"); err != nil {
				t.Fatal(err)
			}
			d.untilSaved("came.mtm")
			d.write("came.mtm", strings.Replace(d.onDisk("came.mtm"), `"."`, `".",`+quoted(folder), 1))
			d.until(func(e item) bool { return e.Type == "notebookReloaded" })
			if d.reads("came.mtm", secret) {
				t.Fatal("the folder is still allowed after the undo")
			}
			if err := d.DisallowFolder("came.mtm", folder); err != nil {
				t.Fatal(err)
			}
			if err := d.AllowFolder("came.mtm", folder); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Undo("came.mtm"); err != nil {
				t.Fatal(err)
			}
			if err := c.change(d); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Redo("came.mtm"); err != nil {
				t.Fatal(err)
			}
			if err := d.TrustFolder(true); err != nil {
				t.Fatal(err)
			}
			if again := d.reads("came.mtm", secret); again != c.again {
				t.Errorf("the folder is allowed again: %v", again)
			}
		})
	}
}
