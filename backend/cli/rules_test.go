package cli_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The default rules reach the offline guide with its tools, raise no warning,
// and name only tools that there are.
func TestDefaultRulesWithTheOfflineGuide(t *testing.T) {
	for _, folder := range []string{"rules", "zh-CN/rules"} {
		t.Run(folder, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "notes.md", "# Notes\n")
			rules, err := filepath.Glob("../../assets/" + folder + "/*.md")
			if err != nil || len(rules) == 0 {
				t.Fatalf("%d rules, %v", len(rules), err)
			}
			all := ""
			for _, r := range rules {
				text := read(t, r)
				write(t, dir, ".mutsumi/rules/"+filepath.Base(r), text)
				all += text
				if len(text) > 2000 {
					t.Errorf("%s is %d bytes: rules are sent with every prompt", r, len(text))
				}
			}
			file := write(t, dir, ".mutsumi/a.mtm", strings.Replace(empty, "/ws", dir, 1))
			if _, errs, status := call(t, "", nil, "context", file, "--prompt", "x", "--trust"); status != 0 || errs != "" {
				t.Errorf("status %d, %q", status, errs)
			}
			out, errs, status := call(t, "", []string{"MUTSUMI_GUIDE_PACE=0"}, "run", file, "--prompt", "List the files here", "--trust")
			if status != 0 || errs != "" || !strings.Contains(out, "notes.md") {
				t.Errorf("status %d, %q, %q", status, out, errs)
			}
			tools := map[string]bool{}
			found, err := filepath.Glob("../tool/builtin/*.md")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				tools[strings.TrimSuffix(filepath.Base(f), ".md")] = true
			}
			for _, m := range regexp.MustCompile("`([a-z]+_[a-z_]+)`").FindAllStringSubmatch(all, -1) {
				if !tools[m[1]] {
					t.Errorf("a rule names %s, which is no tool", m[1])
				}
			}
		})
	}
}
