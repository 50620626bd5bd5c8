package workspace_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/approval"
	"mutsumi/backend/notebook"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
)

var allowed = approval.Decision{Allow: true}

// effectsFolder and effectsBy are set in the process that will be killed.
const (
	effectsFolder = "MUTSUMI_TEST_EFFECTS_FOLDER"
	effectsBy     = "MUTSUMI_TEST_EFFECTS_BY" // the number of the step that kills the process; 0: it is killed from outside
	effectSteps   = 6
)

// A process is killed right after a command took effect: the file records the call, and continuing
// does not repeat it. MUTSUMI_SOAK sets how often.
func TestKilledRightAfterAnEffect(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(effectsFolder); folder != "" {
		takeEffects(t, folder)
	}
	rounds, _ := strconv.Atoi(os.Getenv("MUTSUMI_SOAK"))
	for round := range max(rounds, 3) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			folder, by := t.TempDir(), 0
			step := 1 + rand.IntN(effectSteps)
			if round%2 == 0 {
				by = step
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRightAfterAnEffect$")
			cmd.Env = append(os.Environ(), effectsFolder+"="+folder, fmt.Sprint(effectsBy, "=", by), "TMPDIR="+t.TempDir())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			for by == 0 && len(effects(folder)) < step {
				time.Sleep(time.Millisecond) // we get no events from another process
			}
			if by == 0 {
				cmd.Process.Kill()
			}
			select {
			case <-ended:
			case <-time.After(time.Minute):
				cmd.Process.Kill()
				t.Fatal("it was not killed")
			}
			checkEffects(t, folder)
		})
	}
}

// takeEffects is the process that is killed. It does not return.
func takeEffects(t *testing.T, folder string) {
	script := ""
	for i := range effectSteps {
		command := fmt.Sprintf("echo step-%d >> effects.log", i+1)
		if os.Getenv(effectsBy) == strconv.Itoa(i+1) {
			command += fmt.Sprintf("; kill -9 %d", os.Getpid())
		}
		arguments, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		if i%3 != 2 { // otherwise another call in the same answer
			script += "answer\n"
		}
		script += "tool shell " + string(arguments) + "\n"
	}
	d := openTools(t, folder, script+"answer\ntext done\nstall", request.EveryTool)
	path := d.create("Effects")
	d.run(path, d.prompt(path, "go"), runner.RunCell)
	<-time.After(5 * time.Minute)
	os.Exit(1) // it was not killed
}

// effects lists the steps that took effect.
func effects(folder string) []string {
	b, _ := os.ReadFile(filepath.Join(folder, "effects.log"))
	return strings.Fields(string(b))
}

func checkEffects(t *testing.T, folder string) {
	before := effects(folder)
	files, _ := filepath.Glob(filepath.Join(folder, ".mutsumi", "*.mtm"))
	if len(files) != 1 {
		t.Fatalf("notebooks: %v", files)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range before {
		if !strings.Contains(string(b), step) {
			t.Errorf("%s took effect, but the file records no such call", step)
		}
	}
	d := open(t, folder, "answer always\ntext I looked, and go on from here.")
	path := d.PathOf(files[0])
	cell := d.promptOf(path)
	if got := d.outcome(path, cell); got != notebook.Interrupted {
		t.Fatalf("it says %s", got)
	}
	if _, err := d.Resume(path); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if after := effects(folder); !slices.Equal(before, after) || len(slices.Compact(slices.Sorted(slices.Values(after)))) != len(after) {
		t.Errorf("took effect before: %v, and after: %v", before, after)
	}
	_, cells, err := d.Cells(path, []string{cell})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{} // what the model is told of each call
	calls := map[string]string{}
	for _, m := range cells[0].Body.Answer {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c.Arguments
		}
		told[calls[m.ToolCallID]] = m.Text
	}
	for arguments, text := range told {
		_, rest, _ := strings.Cut(arguments, "step-")
		step := "step-" + rest[:min(1, len(rest))]
		if done := slices.Contains(before, step); done && strings.Contains(text, "nothing was done") {
			t.Errorf("%s took effect, and the model is told %q", step, text)
		}
	}
}

// A call that changes something does not run while its notebook cannot be written: otherwise
// neither the person nor a resume would know of it.
func TestWhatCannotBeWrittenDownDoesNotRun(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool mkdir {\"uri\":\"made\"}\nanswer when \"was not run\"\ntext so be it")
	path := d.create("Readonly")
	cell := d.prompt(path, "go")
	d.untilOnDisk(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	d.untilSaved(path) // a save on its way would put a file there that can be written
	file := filepath.Join(d.folder, path)
	if err := os.Chmod(file, 0o400); err != nil { // the program leaves such a file alone
		t.Fatal(err)
	}
	if err := d.ResolveApproval(r.ID, allowed); err != nil {
		t.Fatal(err)
	}
	d.untilOver(path)
	if _, err := os.Stat(filepath.Join(d.folder, "made")); err == nil {
		t.Error("it was made")
	}
	if got := d.answer(path, cell); !strings.Contains(got, "read-only") || !strings.HasSuffix(got, "so be it") {
		t.Errorf("got %s", got)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Stopping waits neither for a disk nor for the person's choice.
func TestAStopWhileAnEffectIsWrittenDown(t *testing.T) {
	t.Parallel()
	d := open(t, "", "answer\ntool mkdir {\"uri\":\"made\"}")
	path := d.create("Stop")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	r := d.asks()
	if err := d.Stop(path); err != nil {
		t.Fatal(err)
	}
	d.ResolveApproval(r.ID, allowed) // too late
	if end := d.untilFinished(1)[0]; end.Data["outcome"] != "stopped" {
		t.Errorf("got %v", end)
	}
	if _, err := os.Stat(filepath.Join(d.folder, "made")); err == nil {
		t.Error("it was made")
	}
	if strings.Contains(d.onDisk(path), "started_call") {
		t.Error("a call that never started is reported as started")
	}
}
