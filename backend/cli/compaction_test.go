package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/waittest"
)

// The program is killed while a summary is made during a run: the notebook is unchanged, and the
// run continues with a summary when it is resumed.
func TestServeIsKilledWhileItCompacts(t *testing.T) {
	said := strings.Repeat("The cache misses when the budget is spent. ", 120)
	server := providertest.New(t, "answer when \"### Person [\"\ntext \"## Goal\\nhalf\"\nstall\n"+
		"answer when \"### Person [\"\ntext \"## Goal\\nShort.\"\nanswer always\ntext It goes on.")
	dir, config := t.TempDir(), t.TempDir()
	write(t, config, "settings.yaml", "preferences:\n  compactAt: 6000\n")
	var cells []string
	for i := range 6 {
		cells = append(cells, fmt.Sprintf(`{"role":"user","content":"Question %d"},{"role":"assistant","content":%q}`, i, said))
	}
	write(t, dir, "a.mtm", `{"metadata":{"uuid":"22222222-1111-4111-8111-111111111111","name":"A","created_at":"2026-01-01T00:00:00Z","model":"m"},"context":[`+strings.Join(cells, ",")+`]}`)
	env := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=k", "OPENAI_MODEL=m", "MUTSUMI_CONFIG=" + config, "MUTSUMI_STATE=" + t.TempDir()}
	s := serveFolder(t, env, dir)
	var made struct {
		ID string `json:"id"`
	}
	s.call(&made, "Edit", "a.mtm", []map[string]string{{"kind": "insert", "text": "And now?"}}, "")
	s.call(nil, "Run", "a.mtm", made.ID, "cell")
	waittest.Until(t, "the request for a summary", func() bool {
		all := server.Requests()
		return len(all) > 0 && strings.Contains(string(all[0].Body), "### Person [")
	})
	waittest.Until(t, "the run on the disk", func() bool { return strings.Contains(read(t, filepath.Join(dir, "a.mtm")), "And now?") })
	s.kill()
	text := read(t, filepath.Join(dir, "a.mtm"))
	if !json.Valid([]byte(text)) || strings.Count(text, "The cache misses") != 6*120 || strings.Contains(text, `"compaction"`) {
		t.Fatalf("the notebook after the kill: %d bytes", len(text))
	}

	again := serveFolder(t, env, dir)
	var snapshot struct {
		Nodes []struct{ Marks []string } `json:"nodes"`
	}
	waittest.Until(t, "an interrupted agent", func() bool {
		again.call(&snapshot, "Snapshot")
		return len(snapshot.Nodes) == 1 && strings.Contains(strings.Join(snapshot.Nodes[0].Marks, " "), "interrupted")
	})
	again.call(nil, "Resume", "a.mtm")
	waittest.Until(t, "the answer is in the notebook", func() bool { return strings.Contains(read(t, filepath.Join(dir, "a.mtm")), "It goes on.") })
	all := server.Requests()
	if last := string(all[len(all)-1].Body); !strings.Contains(last, "Short.") || strings.Contains(last, "The cache misses") || !strings.Contains(last, "And now?") {
		t.Errorf("the resumed run sends %d bytes", len(last))
	}
	if text := read(t, filepath.Join(dir, "a.mtm")); strings.Count(text, `"compaction"`) != 1 || strings.Count(text, "The cache misses") < 6*120 {
		t.Error("a summary is missing, or a word")
	}
}
