// Package filestest writes and reads the files of tests, as another program would.
package filestest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long the disk may take before a test gives up.
const patience = time.Minute

// Write writes a file with the folders that lead to it, and returns its path.
func Write(t testing.TB, file, text string) string {
	t.Helper()
	file = filepath.FromSlash(file)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Read returns the text of a file.
func Read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// UntilHolds waits until a file holds a text.
func UntilHolds(t testing.TB, file, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(Read(t, file), text); {
		if time.Now().After(end) {
			t.Fatalf("%s never came to the disk: %s", text, Read(t, file))
		}
		time.Sleep(5 * time.Millisecond) // the disk has no events of its own to wait for
	}
}

// Beside returns the texts of the notebooks in a folder that the program put next to another one,
// with a label in their names.
func Beside(t testing.TB, folder, label string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*("+label+" *.mtm"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, name := range names {
		texts = append(texts, Read(t, name))
	}
	return texts
}

// Notebook returns the text of a notebook with one prompt.
func Notebook(uuid, name string) string {
	return fmt.Sprintf(`{"metadata":{"uuid":%q,"name":%q,"created_at":"2026-01-01T00:00:00Z","parent_agent_id":null,"allowed_uris":["/x"]},"context":[{"role":"user","content":"hi"}]}`, uuid, name)
}
