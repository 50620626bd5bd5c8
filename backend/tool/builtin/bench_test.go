package builtin_test

import (
	"fmt"
	"strings"
	"testing"
)

// wide makes a workspace of 20,000 source files in 400 folders, 80 MB.
func wide(b *testing.B) *world {
	body := strings.Repeat("func handler(w http.ResponseWriter, r *http.Request) { // of no interest\n", 55)
	content := map[string]string{".gitignore": "node_modules/\n*.log\n"}
	for i := range 20000 {
		text := body
		if i%500 == 0 {
			text += "// here is the Needle that is looked for\n"
		}
		content[fmt.Sprintf("pkg%02d/sub%02d/file%05d.go", i%20, i/20%20, i)] = text
	}
	return newWorld(b, content)
}

func bench(b *testing.B, w *world, name, args, want string) {
	b.Helper()
	for b.Loop() {
		if res := w.result(b, name, args); res.IsError || !strings.Contains(res.Content, want) {
			b.Fatal(res.Content[max(0, len(res.Content)-300):])
		}
	}
}

func BenchmarkWide(b *testing.B) {
	w := wide(b)
	for _, c := range []struct{ name, tool, args, want string }{
		{"grep/literal", "grep", `{"keyword":"Needle"}`, "[40 matching lines in 40 files.]"},
		{"grep/regexp", "grep", `{"keyword":"the N\\w+ that"}`, "[40 matching lines in 40 files.]"},
		{"grep/ignore_case", "grep", `{"keyword":"needle","ignore_case":true}`, "[40 matching lines in 40 files.]"},
		{"grep/first", "grep", `{"keyword":"handler","limit":50}`, "there are more"},
		{"glob", "glob", `{"pattern":"**/*500.go"}`, "file00500.go"},
	} {
		b.Run(c.name, func(b *testing.B) { bench(b, w, c.tool, c.args, c.want) })
	}
}
