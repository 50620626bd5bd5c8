package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/catalog"
	"mutsumi/backend/files/filestest"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// node is the row of a notebook in the tree.
func (d *desk) node(path string) agenttree.Node {
	d.t.Helper()
	for _, n := range d.Nodes() {
		if n.File == path {
			return n
		}
	}
	d.t.Fatalf("%s is not in the tree", path)
	return agenttree.Node{}
}

// child makes a notebook below another one.
func (d *desk) child(parent, name string) string {
	d.t.Helper()
	path, err := d.Create(catalog.NewNotebook{Name: name, ParentID: d.node(parent).UUID})
	if err != nil {
		d.t.Fatal(err)
	}
	return path
}

func TestTheTreeCountsWhatAgentsUsed(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext one\nusage 3 1\nanswer\ntext two\nusage 5 2\nanswer\ntext again\nusage 1 1")
	root := d.create("Root")
	child := d.child(root, "Child")
	other := d.create("Other")
	first := d.prompt(root, "one")
	d.run(root, first, runner.RunCell)
	d.untilFinished(1)
	d.run(child, d.prompt(child, "two"), runner.RunCell)
	d.untilFinished(1)
	used := func(in, out int) agenttree.Total {
		return agenttree.Total{Tokens: in + out, Input: in, Cost: int64(in+out) * 1e9}
	}
	check := func(when string, own, all agenttree.Total) {
		t.Helper()
		if n := d.node(root); n.Own != own || n.Subtree != all || n.TimeMs < 0 {
			t.Errorf("%s: own %+v, subtree %+v", when, n.Own, n.Subtree)
		}
		if n := d.node(other); n.Subtree != (agenttree.Total{}) {
			t.Errorf("%s: another tree has %+v", when, n.Subtree)
		}
	}
	check("after two runs", used(3, 1), used(8, 3))
	d.run(root, first, runner.RunCell)
	d.untilFinished(1)
	check("after a second answer", used(4, 2), used(9, 4))
	if _, err := d.Edit(root, []notebook.Edit{{Kind: notebook.EditClear, Cell: first}}, ""); err != nil {
		t.Fatal(err)
	}
	if n := d.node(root); n.Own != used(4, 2) {
		t.Errorf("without the answer: %+v", n.Own)
	}
	view := d.node(child)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(d.onDisk(child), `"mutsumi_usage": {`) {
		t.Errorf("the file does not record the usage:\n%s", d.onDisk(child))
	}
	// Another program finds the same numbers in the files.
	h, err := notebook.ReadSummary(filepath.Join(d.folder, child))
	if err != nil || h.Tally.TimeMs != view.TimeMs || len(h.Tally.Models) != 1 || h.Tally.Models[0].Input != 5 {
		t.Errorf("%+v, %v", h.Tally, err)
	}
}

// Edited prices apply at once, to earlier usage as well.
func TestPricesAreAppliedWhenTheTreeIsShown(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntext one\nusage 3 1")
	path := d.create("A")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	d.untilFinished(1)
	snapshot, err := d.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range snapshot.Settings.Providers {
		if p.Name != "Dear" {
			continue
		}
		p.Models[0].InputPrice, p.Models[0].OutputPrice = 5e5, 5e5
		if _, err := d.SaveProvider(settings.ProviderInput{ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, Models: p.Models}); err != nil {
			t.Fatal(err)
		}
	}
	d.until(is("settingsChanged"))
	d.until(is("treeChanged"))
	if n := d.node(path); n.Own.Cost != 2e9 || n.Own.Tokens != 4 {
		t.Errorf("%+v", n.Own)
	}
}

// A run that was interrupted by a kill is marked until it runs again.
func TestAnInterruptedRunIsMarked(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := strings.Replace(filestest.Notebook("u1", "Cut"), `"context":[{"role":"user","content":"hi"}]`, `"context": [
    {
      "role": "user",
      "content": "go",
      "metadata": {
        "cell_id": "c1",
        "run": {
          "started_at": "2026-02-08T00:00:00.000Z",
          "model": "scripted",
          "outcome": "running"
        }
      }
    },
    {
      "role": "assistant",
      "content": "half",
      "metadata": {
        "took_ms": 40,
        "usage": {
          "input": 7,
          "output": 2
        }
      }
    }
  ]`, 1)
	if !strings.Contains(text, "half") {
		t.Fatal(text)
	}
	if err := os.WriteFile(filepath.Join(folder, "cut.mtm"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder, "answer\ntext rest\nusage 1 1")
	n := d.node("cut.mtm")
	if !slices.Contains(n.Marks, agenttree.Interrupted) || n.Own.Tokens != 9 || n.TimeMs != 40 {
		t.Errorf("%+v", n)
	}
	if _, err := d.Notebook("cut.mtm"); err != nil {
		t.Fatal(err)
	}
	if d.onDisk("cut.mtm") != text {
		t.Error("opening a notebook wrote it")
	}
	if _, err := d.Continue("cut.mtm", "c1"); err != nil {
		t.Fatal(err)
	}
	for _, e := range d.until(is("runFinished")) {
		if e.Type == "treeChanged" && strings.Contains(fmt.Sprint(e.Data), "interrupted") && strings.Contains(fmt.Sprint(e.Data), "running") {
			t.Errorf("a running run counts as interrupted: %v", e)
		}
	}
	if n := d.node("cut.mtm"); len(n.Marks) != 0 || n.Own.Tokens != 11 {
		t.Errorf("%+v", n)
	}
}

// Twenty agents that stream at 200 tokens a second update the tree about once a second each, with
// their usage so far.
func TestTheTreeIsNotFlooded(t *testing.T) {
	t.Parallel()
	const agents = 20
	d := open(t, "", fmt.Sprintf("answer always\nwords 5ms %q\nusage 10 500", strings.Repeat("word ", 500)))
	cells := map[string]string{}
	for i := range agents {
		path := d.create(fmt.Sprint("Agent ", i))
		cells[path] = d.prompt(path, "go")
	}
	d.since = d.Events().Seq()
	start := time.Now()
	for path, cell := range cells {
		d.run(path, cell, runner.RunCell)
	}
	told, grew, ends := 0, 0, 0
	tokens := map[string]float64{}
	d.until(func(e item) bool {
		switch e.Type {
		case "treeChanged":
			for _, n := range e.Data["nodes"].([]any) {
				n := n.(map[string]any)
				told++
				if now := n["own"].(map[string]any)["tokens"].(float64); now > tokens[n["file"].(string)] {
					tokens[n["file"].(string)] = now
					grew++
				}
			}
		case "runFinished":
			ends++
		}
		return ends == agents
	})
	took := time.Since(start)
	t.Logf("%d rows in %s: %.1f a second and agent, %d with more tokens", told, took, float64(told)/took.Seconds()/agents, grew)
	// Start, thinking, answering, end, saved: some six for each, and one a second.
	if most := agents * (8 + int(1.5*took.Seconds())); told > most {
		t.Errorf("%d rows were published, at most %d expected", told, most)
	}
	if grew < agents*2 {
		t.Errorf("totals grew %d times for %d agents", grew, agents)
	}
}

// An agent that reads the same file again and again is marked, and the mark is removed when it does
// something new.
func TestAStuckAgentIsMarkedNotStopped(t *testing.T) {
	t.Parallel()
	d := open(t, "", strings.Repeat("answer\ntool ls {\"uri\":\".\"}\n", 4)+"answer\ntool read_file {\"uri\":\"a.txt\"}\nanswer\ntext done")
	if err := os.WriteFile(filepath.Join(d.folder, "a.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := d.create("Round")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	advice := ""
	ends := d.until(func(e item) bool {
		if e.Type == "treeChanged" {
			for _, n := range e.Data["nodes"].([]any) {
				n := n.(map[string]any)
				if a, ok := n["advice"].(string); ok {
					advice = a
					if !slices.Contains(n["marks"].([]any), any("stuck")) {
						t.Errorf("advice without a mark: %v", n)
					}
				}
			}
		}
		return e.Type == "runFinished"
	})
	if advice != "It has been listing . 4 times, with the same result each time. Stop it, or tell it what to do next." {
		t.Errorf("advice %q", advice)
	}
	if end := ends[len(ends)-1]; end.Data["outcome"] != "done" {
		t.Errorf("got %v", end)
	}
	if n := d.node(path); n.Advice != "" || len(n.Marks) != 0 {
		t.Errorf("%+v", n)
	}
}

func TestANearlySpentBudgetIsReported(t *testing.T) {
	t.Parallel()
	d := priced(t, "answer\ntool ls {}\nusage 8 1\nanswer\ntext a\nstall")
	path := d.create("Dear")
	if err := d.SetBudget(path, 10); err != nil {
		t.Fatal(err)
	}
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	said, streams := false, false
	d.until(func(e item) bool {
		said = said || e.Type == "treeChanged" && strings.Contains(fmt.Sprint(e.Data), "90% of the budget of $10.00 is spent. Raise the budget, or stop it before it is spent.")
		streams = streams || e.Type == "delta" && e.Data["text"] == "a"
		return said && streams
	})
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.untilFinished(1)
	if n := d.node(path); n.Advice != "" {
		t.Errorf("%+v", n)
	}
}

// The tree says in a few words what an agent does, in every state.
func TestTheTreeShowsAnAgentsAction(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\nstatus 429\nheader Retry-After: 60\nbody {}\n"+
		"answer\nreasoning hm\nwait thinking 2\ntext \"I look.\"\nwait answering 1\ntool ls {\"uri\":\".\"}\nwait preparing ls 1\nanswer\nwait thinking 3\ntext done\nwait answering 2")
	path := d.create("Words")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	var said []string
	times := map[string]int{}
	var left []int // the seconds until the next attempt
	d.until(func(e item) bool {
		nodes, _ := e.Data["nodes"].([]any)
		for _, n := range nodes {
			if a, _ := n.(map[string]any)["action"].(string); a != "" && (len(said) == 0 || said[len(said)-1] != a) {
				said = append(said, a)
				times[a]++
				d.server.Let(fmt.Sprint(a, " ", times[a])) // the model goes on once the state was published
				n := 0
				if _, err := fmt.Sscanf(a, "trying again in %d s", &n); err != nil {
					continue
				}
				if left = append(left, n); len(left) == 2 {
					if err := d.RetryNow(path); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		return e.Type == "runFinished"
	})
	// The seconds count down; on a busy machine some may be skipped.
	if slices.Reverse(left); !slices.IsSorted(left) {
		t.Errorf("it does not count down: %q", said)
	}
	waits := regexp.MustCompile(`^thinking( trying again in [1-9][0-9]? s){2,} `)
	all := strings.Join(said, " ")
	if !waits.MatchString(all) || waits.ReplaceAllString(all, "") != "thinking answering preparing ls listing . thinking answering" {
		t.Errorf("said %q", said)
	}
	if n := d.node(path); n.Action != "" {
		t.Errorf("at rest it does %q", n.Action)
	}
}

// A large notebook without recorded usage is counted when it is opened, and not written for that.
func TestALargeForeignNotebookIsCountedWhenOpened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	message := func(s string) string { return "\n    {\n      " + s + "\n    }" }
	big := message(`"role": "user",` + "\n      " + `"content": "` + strings.Repeat("x", 2<<20) + `"`)
	ran := message(`"role": "user",` + "\n      " + `"content": "go",` + "\n      " +
		`"metadata": {"run": {"took_ms": 70, "model": "m", "outcome": "done", "usage": {"input": 5, "output": 1}}}`)
	last := message(`"role": "assistant",` + "\n      " + `"content": "done"`)
	text := `{
  "metadata": {
    "uuid": "u1",
    "name": "Big",
    "allowed_uris": []
  },
  "context": [` + big + "," + ran + "," + last + "\n  ]\n}"
	if err := os.WriteFile(filepath.Join(folder, "big.mtm"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d := open(t, folder, "")
	if n := d.node("big.mtm"); n.Own.Tokens != 0 || n.Problem != "" {
		t.Errorf("before: %+v", n)
	}
	if _, err := d.Notebook("big.mtm"); err != nil {
		t.Fatal(err)
	}
	if n := d.node("big.mtm"); n.Own.Tokens != 6 || n.TimeMs != 70 {
		t.Errorf("opened: %+v", n)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d.onDisk("big.mtm") != text {
		t.Error("opening a notebook wrote it")
	}
}
