package workspace_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/documents"
	"mutsumi/backend/runner"
)

// Another program writes a notebook while an answer streams into it, in place or by a rename, at
// any moment of a save, and sometimes renames it: in the end both versions are in the folder,
// whatever is chosen. MUTSUMI_SOAK sets how often.
func TestNoForeignVersionIsLost(t *testing.T) {
	t.Parallel()
	rounds, _ := strconv.Atoi(os.Getenv("MUTSUMI_SOAK"))
	asked := 0
	for round := range max(rounds, 3) {
		size := []int{10 << 10, 300 << 10, 5 << 20}[round%3]
		d := open(t, "", "answer\n"+strings.Repeat("words 5ms some words more\n", 400)+"stall")
		path := "a.mtm"
		d.write(path, fmt.Sprintf(`{"metadata":{"uuid":"%s","name":"A","allowed_uris":["."]},"context":[{"role":"user","content":"%s"},{"role":"assistant","content":"ok"}]}`, cameUUID, strings.Repeat("x", size)))
		d.untilTree("A")
		d.run(path, d.prompt(path, "go"), runner.RunCell)
		d.untilOnDisk(path, "words")
		time.Sleep(rand.N(900 * time.Millisecond)) // any moment between two saves, and within one
		if round%4 == 3 {
			d.moveFile(path, "b.mtm")
			path = "b.mtm"
		}
		marker := fmt.Sprintf("foreign-%d", round)
		theirs := fmt.Sprintf(`{"metadata":{"uuid":"%s","name":"A","allowed_uris":["."]},"context":[{"role":"user","content":"%s %s"}]}`, cameUUID, marker, strings.Repeat("y", size))
		if round%2 == 0 {
			d.saveElsewhere(path, theirs)
		} else {
			d.write(path, theirs)
		}
		d.until(func(e item) bool { return e.Type == "diskConflict" && e.Data["path"] == path })
		asked++
		err := d.ResolveConflict(path, documents.KeepMine)
		if err = errors.Join(err, d.Stop(path)); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		d.untilFinished(1)
		closeErr := d.Close()
		found := map[string]bool{}
		filepath.WalkDir(d.folder, func(file string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				b, _ := os.ReadFile(file)
				found["theirs"] = found["theirs"] || strings.Contains(string(b), marker)
				found["ours"] = found["ours"] || strings.Contains(string(b), "words")
			}
			return nil
		})
		if !found["theirs"] || !found["ours"] {
			t.Fatalf("round %d, %d bytes: %v; %v", round, size, found, closeErr)
		}
		os.RemoveAll(d.folder)
	}
	t.Logf("%d foreign versions, %d conflicts asked about, nothing lost", max(rounds, 3), asked)
}
