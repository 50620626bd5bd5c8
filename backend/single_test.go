package backend

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// one lists code that belongs in one place of the program, as a pattern of its source, and the
// packages or files that may contain it, with the reason if it is not obvious.
var one = []struct {
	what   string
	source *regexp.Regexp
	in     []string
}{
	{"a lock is a lock.Mutex, which -tags deadlock watches", regexp.MustCompile(`\bsync\.(RW)?Mutex\b`), []string{
		"backend/lock", "backend/provider/providertest", "backend/desktop/bustest",
	}},
	{"text is cut by package clip", regexp.MustCompile(`\butf8\.RuneStart\b`), []string{
		"backend/clip",
		"backend/cli/visible.go", "backend/tool/builtin/shell_buffer.go", "backend/tokens/stream.go", // parts of a stream, not a limit
	}},
	{"a file of the program is written whole by package atomicfile", regexp.MustCompile(`\bos\.(Rename|CreateTemp)\b`), []string{
		"backend/atomicfile",
		"backend/log/log.go",                       // appended to, and moved away when it is full
		"backend/notebook",                         // checks for another program's version between write and rename
		"backend/checkpoint/apply.go",              // a person's file, possibly a link or a folder
		"backend/checkpoint/object.go",             // thousands of objects: synced only where requested
		"backend/rules/rules.go", "backend/sample", // a whole folder
		"backend/desktop/trash_linux.go", "backend/desktop/desktop_darwin.go", // into the trash
	}},
}

func TestThereIsOneOfEach(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := "backend/" + filepath.ToSlash(path)
		for _, o := range one {
			if o.source.Match(b) && !slices.Contains(o.in, name) && !slices.Contains(o.in, name[:strings.LastIndexByte(name, '/')]) {
				t.Errorf("%s has %s: %s", name, o.source, o.what)
			}
		}
		return nil
	})
	if err != nil || files < 300 {
		t.Errorf("read %d files: %v", files, err)
	}
}
