package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mutsumi/backend/notebook"
)

// Two programs have one large notebook open, and the person types in both: each acknowledged prompt
// is in the notebook or beside it.
func TestTwoProgramsTypeIntoOneNotebook(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	large := fmt.Sprintf(`{"metadata":{"uuid":"a","name":"A"},"context":[{"role":"user","content":%q}]}`, strings.Repeat("long ", 2<<20))
	if err := os.WriteFile(filepath.Join(folder, "a.mtm"), []byte(large), 0o644); err != nil {
		t.Fatal(err)
	}
	one, two := open(t, folder, ""), open(t, folder, "")
	var acknowledged []string
	var mu sync.Mutex
	var typing sync.WaitGroup
	for name, d := range map[string]*desk{"one": one, "two": two} {
		typing.Go(func() {
			for n := range 15 {
				text := fmt.Sprintf("typed in %s, number %d.", name, n)
				if _, err := d.Edit("a.mtm", []notebook.Edit{{Kind: notebook.EditInsert, Text: text}}, ""); err == nil {
					mu.Lock()
					acknowledged = append(acknowledged, text)
					mu.Unlock()
				}
				d.Saved("a.mtm") // a conflict is not a failure here
			}
		})
	}
	typing.Wait()
	one.Close()
	two.Close()
	files, err := filepath.Glob(filepath.Join(folder, "*.mtm"))
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	lost := 0
	for _, text := range acknowledged {
		if !strings.Contains(all, text) {
			lost++
		}
	}
	t.Logf("%d prompts were acknowledged, %d are nowhere; %d files", len(acknowledged), lost, len(files))
	if lost > 0 || len(acknowledged) < 15 {
		t.Errorf("%d of %d acknowledged prompts are lost", lost, len(acknowledged))
	}
}
