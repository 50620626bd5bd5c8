package workspace_test

import (
	"encoding/json"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/runner"
)

// Another program may keep values in macroContext that are not text: they survive runs and edits,
// and macros work beside them.
func TestMacrosThatAreNoTextSurvive(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext fine")
	d.write("a.mtm", `{"metadata":{"uuid":"a","macroContext":{"N":1.50,"OLD":"text","LIST":[1,{"x":null}],"NULL":null}},"context":[]}`)
	d.untilTree("a")
	cell := d.prompt("a.mtm", "#define NEW value\nsay {{OLD}} and {{NEW}}")
	d.run("a.mtm", cell, runner.RunCell)
	d.untilFinished(1)
	if err := d.SetMacro("a.mtm", "SET", "by hand"); err != nil {
		t.Fatal(err)
	}
	if err := d.RemoveMacro("a.mtm", "NULL"); err != nil {
		t.Fatal(err)
	}
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	var file struct {
		Metadata struct {
			MacroContext map[string]json.RawMessage `json:"macroContext"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(d.onDisk("a.mtm")), &file); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"N": "1.50", "OLD": `"text"`, "NEW": `"value"`, "SET": `"by hand"`}
	got := file.Metadata.MacroContext
	for name, raw := range want {
		if string(got[name]) != raw {
			t.Errorf("%s is %s, want %s", name, got[name], raw)
		}
	}
	var list []any
	if err := json.Unmarshal(got["LIST"], &list); err != nil || len(list) != 2 || len(got) != 5 {
		t.Errorf("%d macros, LIST %s, %v", len(got), got["LIST"], err)
	}
}

func TestMacroContextThatIsNoObjectStays(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer always\ntext fine")
	d.write("a.mtm", `{"metadata":{"uuid":"a","macroContext":["mine"]},"context":[]}`)
	d.untilTree("a")
	cell := d.prompt("a.mtm", "#define NEW value\nsay {{NEW}}")
	d.run("a.mtm", cell, runner.RunCell)
	d.untilFinished(1)
	if err := d.SetMacro("a.mtm", "SET", "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if err := d.Saved("a.mtm"); err != nil {
		t.Fatal(err)
	}
	d.untilOnDisk("a.mtm", `"mine"`)
}
