package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/branches"
)

const twoCells = `{"metadata":{"uuid":"11111111-2222-4333-8444-555555555555","name":"Plan"},"context":[{"role":"user","content":"one"},{"role":"assistant","content":"first"},{"role":"user","content":"two"},{"role":"assistant","content":"second"}]}`

func TestForkAndCompare(t *testing.T) {
	env := []string{"MUTSUMI_STATE=" + t.TempDir(), "MUTSUMI_CONFIG=" + t.TempDir()}
	folder := t.TempDir()
	write(t, folder, "plan.mtm", twoCells)
	file := filepath.Join(folder, "plan.mtm")
	out, errs, status := call(t, "", env, "fork", file, "--cell", "0")
	made := filepath.Join(folder, "plan-2.mtm")
	if status != 0 || strings.TrimSpace(out) != made {
		t.Fatalf("status %d, %q, %s", status, out, errs)
	}
	text, err := os.ReadFile(made)
	if err != nil || !strings.Contains(string(text), "mutsumi_forked_from") || !strings.Contains(string(text), `"Plan 2"`) || strings.Contains(string(text), "second") {
		t.Errorf("%v: %s", err, text)
	}
	elsewhere := filepath.Join(t.TempDir(), "other.mtm")
	if out, errs, status := call(t, "", env, "fork", file, "--cell", "1", "--name", "Whole", "-o", elsewhere); status != 0 || strings.TrimSpace(out) != elsewhere {
		t.Fatalf("status %d, %q, %s", status, out, errs)
	}
	if _, errs, status := call(t, "", env, "fork", file, "--cell", "1", "-o", elsewhere); status != 1 || errs == "" {
		t.Errorf("an existing file: status %d, %s", status, errs)
	}
	if _, _, status := call(t, "", env, "fork", file); status != 2 {
		t.Errorf("without a cell: status %d", status)
	}
	if _, errs, status := call(t, "", env, "fork", file, "--cell", "2"); status != 1 || !strings.Contains(errs, "it has 2") {
		t.Errorf("no such cell: status %d, %s", status, errs)
	}

	out, errs, status = call(t, "", env, "compare", made, elsewhere, "--json")
	var v branches.Comparison
	if err := json.Unmarshal([]byte(out), &v); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, errs)
	}
	if v.Common != 1 || len(v.Sides) != 2 || len(v.Sides[0].Rows) != 0 || len(v.Sides[1].Rows) != 1 || v.Sides[1].Rows[0].Prompt != "two" || v.Sides[1].Rows[0].Answer != "second" || v.Sides[1].Name != "Whole" {
		t.Errorf("%+v", v)
	}
	if out, _, status := call(t, "", env, "compare", made, elsewhere); status != 0 || !strings.Contains(out, "[2] two\n    second\n") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, status := call(t, "", env, "compare", made, elsewhere, file); status != 0 || strings.Count(out, "together") != 3 {
		t.Errorf("three of them: status %d: %s", status, out)
	}
	if _, errs, status := call(t, "", env, "compare", made, file+"#none"); status != 1 || !strings.Contains(errs, "no branch") {
		t.Errorf("no such branch: status %d, %s", status, errs)
	}
}
