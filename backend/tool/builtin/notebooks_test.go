package builtin_test

import (
	"strings"
	"testing"
)

// Agents do not find each other's conversations, or their own, by accident;
// what asks for a notebook by name gets it.
func TestSearchesLeaveNotebooksOut(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.txt": "needle\n", "plan.mtm": "needle\n", "sub/b.txt": "needle\n",
		".mutsumi/x.mtm": "needle\n", ".mutsumi/sub/y.MTM": "needle\n", ".mutsumi/rules/r.md": "# needle\n",
		".mutsumi/.mutsumi-1-ABC.tmp": "needle\n", ".mutsumi-2-DEF.tmp": "needle\n", "mine.tmp": "needle\n",
	})
	for _, c := range []struct{ tool, args, want string }{
		{"grep", `{"keyword":"needle","files_only":true}`, ".mutsumi/rules/r.md (1)\na.txt (1)\nmine.tmp (1)\nsub/b.txt (1)\n\n[4 matching lines in 4 files.]"},
		{"grep", `{"keyword":"needle","uri":".mutsumi/x.mtm","files_only":true}`, ".mutsumi/x.mtm (1)\n\n[1 matching line in 1 file.]"},
		{"grep", `{"keyword":"needle","uri":".mutsumi","files_only":true}`, ".mutsumi/rules/r.md (1)\n.mutsumi/sub/y.MTM (1)\n.mutsumi/x.mtm (1)\n\n[3 matching lines in 3 files.]"},
		{"grep", `{"keyword":"needle","include":"*.mtm","files_only":true}`, ".mutsumi/x.mtm (1)\nplan.mtm (1)\n\n[2 matching lines in 2 files.]"},
		{"grep", `{"keyword":"absent"}`, "No line matches in the workspace (4 files searched; what .gitignore excludes, agents' notebooks and binary files are left out)."},
		{"glob", `{"pattern":"**"}`, ".mutsumi/rules/r.md\na.txt\nmine.tmp\nsub/b.txt"},
		{"glob", `{"pattern":"**/*.mtm"}`, ".mutsumi/x.mtm\nplan.mtm"},
		{"glob", `{"pattern":"*.{mtm,txt}"}`, ".mutsumi/x.mtm\na.txt\nplan.mtm\nsub/b.txt"},
		{"glob", `{"pattern":"**/x.*"}`, "No file matches **/x.* in the workspace. What .gitignore excludes is left out. Agents' notebooks are left out unless the pattern names .mtm."},
		{"glob", `{"pattern":".mutsumi/*"}`, ".mutsumi/x.mtm"},
		{"glob", `{"pattern":".mutsumi-*.tmp"}`, ".mutsumi/.mutsumi-1-ABC.tmp\n.mutsumi-2-DEF.tmp"},
		{"ls", `{"depth":3}`, "[DIR] .mutsumi\n[DIR] .mutsumi/rules\n[FILE] .mutsumi/rules/r.md\n[DIR] .mutsumi/sub\n[FILE] a.txt\n[FILE] mine.tmp\n[DIR] sub\n[FILE] sub/b.txt"},
		{"ls", `{"uri":".mutsumi"}`, "[FILE] .mutsumi-1-ABC.tmp\n[DIR] rules\n[DIR] sub\n[FILE] x.mtm"},
		{"project_outline", `{}`, ".mutsumi/rules/r.md\n  1: needle"},
	} {
		w.says(t, c.tool, c.args, c.want)
	}
	// From the address of a file as well.
	res := w.result(t, "grep", `{"keyword":"needle","uri":"file://`+w.dir+`/.mutsumi","files_only":true}`)
	if !strings.Contains(res.Content, "/.mutsumi/x.mtm (1)") {
		t.Error(res.Content)
	}
}
