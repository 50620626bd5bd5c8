package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFailedPageIsInTheLog(t *testing.T) {
	t.Parallel()
	d := open(t, "", "")
	d.PageFailed("frozen", true)
	d.PageFailed("a text of the page", false)
	state := d.state
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(state, "log", "mutsumi.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cause=frozen again=true", "cause=other again=false"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}
