package builtin

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what came as what is wanted")

// TestOutline outlines the files of each archive and compares with `want`.
func TestOutline(t *testing.T) {
	archives, err := filepath.Glob("testdata/outline/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := &ar.Files[len(ar.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file of the archive is not want")
			}
			var b strings.Builder
			for _, f := range ar.Files[:len(ar.Files)-1] {
				writeOutline(&b, f.Name, outliners[filepath.Ext(f.Name)](string(f.Data)))
			}
			if *update {
				want.Data = []byte(b.String())
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if b.String() != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want.Data)
			}
		})
	}
}
