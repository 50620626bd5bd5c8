package workspace_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"mutsumi/backend/runner"
)

// A pasted image is stored beside its notebook, shown, and sent to an agent that may touch nothing
// else there; it moves along with the folder.
func TestAPastedImageStaysBesideItsNotebook(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext ok")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	d.write("src/a.go", "package a")
	path := d.create("Narrow")
	d.only(path, "src")
	got, err := d.InsertBytes(path, "shot.png", picture.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`^!\[image\]\((\.mutsumi/[^/]+\.images/img_\d+_[0-9a-f]{8}\.png)\)$`).FindStringSubmatch(got.Text)
	if m == nil {
		t.Fatalf("inserted %q", got.Text)
	}
	if p, err := d.Image(path, m[1], true); err != nil || p.Width != 8 {
		t.Errorf("shown: %+v, %v", p, err)
	}
	d.run(path, d.prompt(path, "Look: "+got.Text), runner.RunCell)
	d.untilFinished(1)
	if !bytes.Contains(d.server.Requests()[0].Body, []byte("data:image/png;base64,")) {
		t.Errorf("sent %s", d.server.Requests()[0].Body)
	}
	d.Close()
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(d.folder, moved); err != nil {
		t.Fatal(err)
	}
	again := open(t, moved, "answer always\ntext ok")
	if p, err := again.Image(path, m[1], true); err != nil || p.Width != 8 {
		t.Errorf("moved: %+v, %v", p, err)
	}
}
