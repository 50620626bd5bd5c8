package serve_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/provider/providertest"
)

// "Always" is a grant of the notebook; the mode "reads" refuses without asking; a question of the
// agent is a choice; a child's calls are asked in its parent's session.
func TestWhatIsAsked(t *testing.T) {
	server := providertest.New(t, "models m\n"+
		"answer times 2 when \"run it\"\ntool shell {\"command\":\"touch made.txt\"}\nanswer times 2 when \"run it\"\ntext Ran.\n"+
		"answer when \"which\"\ntool ask_user {\"question\":\"Which one?\",\"choices\":[\"the first\",\"the second\"]}\nanswer when \"which\"\ntext So be it.\n"+
		"answer when \"try to\"\ntool write_file {\"uri\":\"c.txt\",\"content\":\"x\"}\nanswer when \"try to\"\ntext I could not.")
	dir := t.TempDir()
	e := connect(t, server)
	id := e.begin(dir)
	e.decide = func(_ context.Context, r acp.RequestPermissionRequest) string {
		if len(r.Options) != 3 || r.Options[1].Kind != acp.PermissionOptionKindAllowAlways {
			t.Errorf("offered %+v", r.Options)
		}
		return string(r.Options[1].OptionId)
	}
	e.must(id, text("run it"))
	e.must(id, text("run it again"))
	if asked := e.questions(); len(asked) != 1 {
		t.Errorf("asked %d times", len(asked))
	}
	e.decide = func(_ context.Context, r acp.RequestPermissionRequest) string { return string(r.Options[1].OptionId) }
	e.must(id, text("which"))
	requests := server.Requests()
	if asked := e.questions(); len(asked) != 1 || len(asked[0].Options) != 3 || !strings.Contains(requests[len(requests)-1].Text(), "the second") {
		t.Errorf("asked %+v", asked)
	}
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: id, ModeId: "reads"}); err != nil {
		t.Fatal(err)
	}
	e.must(id, text("try to"))
	if asked := e.questions(); len(asked) != 0 {
		t.Errorf("asked %+v", asked)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.txt")); err == nil {
		t.Error("it wrote")
	}
}

// An editor that shows forms passes on texts and several choices.
func TestForms(t *testing.T) {
	server := providertest.New(t, "models m\n"+
		"answer when \"a free text\"\ntool ask_user {\"question\":\"What name?\"}\nanswer when \"a free text\"\ntext So be it.\n"+
		"answer when \"of these several\"\ntool ask_user {\"question\":\"Which ones?\",\"choices\":[\"a\",\"b\",\"c\"],\"several\":true}\nanswer when \"of these several\"\ntext So be it.\n"+
		"answer when \"once declined\"\ntool ask_user {\"question\":\"Now?\"}\nanswer when \"once declined\"\ntext So be it.")
	e := connectAs(t, server, acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}})
	e.fills = map[string]map[string]any{"What name?": {"text": "Fred"}, "Which ones?": {"choice": []string{"a", "c", "never offered"}, "text": "but gently"}}
	id := e.begin(t.TempDir())
	for _, one := range []struct{ prompt, want string }{
		{"a free text", "Fred"}, {"of these several", "a, c, but gently"}, {"once declined", "does not answer"},
	} {
		e.must(id, text(one.prompt))
		requests := server.Requests()
		if got := requests[len(requests)-1].Text(); !strings.Contains(got, one.want) || strings.Contains(got, "never offered") {
			t.Errorf("%s: %s", one.prompt, got)
		}
	}
	if asked := e.questions(); len(asked) != 0 {
		t.Errorf("asked %+v", asked)
	}
}

func TestAChildsCallsAreAskedInItsParentsSession(t *testing.T) {
	server := providertest.New(t, "models m\n"+
		"answer when \"hand it on\"\ntool self_fork {\"children\":[{\"name\":\"Ann\",\"prompt\":\"your part\"}]}\n"+
		"answer when \"your part\"\ntool write_file {\"uri\":\"c.txt\",\"content\":\"x\"}\nanswer when \"your part\"\ntool task_finish {\"result\":\"mine is done\"}\n"+
		"answer when \"hand it on\"\ntext All done.")
	dir := t.TempDir()
	e := connect(t, server)
	id := e.begin(dir)
	e.must(id, text("hand it on"))
	asked := e.questions()
	if last := asked[len(asked)-1]; last.SessionId != id || !strings.Contains(*last.ToolCall.Title, "Ann: Writing c.txt") {
		t.Errorf("asked %+v", asked)
	}
	if got := e.heard(id); !strings.Contains(got, "call Ann: Writing c.txt (edit) pending\ncall in_progress\ncall completed\n") || !strings.HasSuffix(got, "says All done.\n") {
		t.Errorf("heard:\n%s", got)
	}
}
