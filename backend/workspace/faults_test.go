package workspace_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// Whatever goes wrong on the way to the model, the run ends once, with a message and a code for
// which the interface has a way out; everything received is in the notebook and on disk; and the
// next prompt can be sent. Faults that would take too long in real time, or need a tool that no
// notebook has, are tested in package agent: silent streams and tools that crash.
func TestFaultsEndToEnd(t *testing.T) {
	t.Parallel()
	tooLong := `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`
	for name, c := range map[string]struct {
		script   string
		outcome  notebook.Outcome
		code     string
		kept     string
		requests int
	}{
		"429 that says how long":     {"answer\nheader Retry-After: 0\nfail 429 Slow down\nanswer\ntext Now.", notebook.Done, "", "Now.", 2},
		"429 again and again":        {"answer times 3\nheader Retry-After: 0\nfail 429 Slow down", notebook.Failed, fault.CodeRateLimited, "", 3},
		"500 twice":                  {"answer times 2\nfail 500 Oops\nanswer\ntext Fine.", notebook.Done, "", "Fine.", 3},
		"500 again and again":        {"answer times 3\nfail 500 Oops", notebook.Failed, fault.CodeServer, "", 3},
		"reset before the stream":    {"answer\nreset\nanswer\ntext Back.", notebook.Done, "", "Back.", 2},
		"reset inside the stream":    {"answer\ntext So far\nreset", notebook.Broken, fault.CodeStreamBroken, "So far", 1},
		"a chunk that is no JSON":    {"answer\ntext So far\nraw \"data: {oops\\n\\n\"", notebook.Broken, fault.CodeStreamBroken, "So far", 1},
		"an error inside":            {"answer\ntext So far\nerror the engine ran out of memory", notebook.Broken, fault.CodeStreamError, "So far", 1},
		"an end without its reason":  {"answer\ntext So far\nend", notebook.Broken, fault.CodeStreamBroken, "So far", 1},
		"200 that is no stream":      {"answer\nhtml <h1>Welcome</h1>", notebook.Failed, fault.CodeNotAStream, "", 1},
		"a context that is too long": {"answer\nstatus 400\nbody " + tooLong, notebook.Failed, fault.CodeContextTooLong, "", 1},
		"an image that is refused":   {"answer\nstatus 400\nbody {\"error\":{\"message\":\"Invalid image data.\",\"code\":\"invalid_image\"}}", notebook.Failed, fault.CodeBadRequest, "", 1},
		"signs of life":              {"answer\ncomment keep-alive\ntext Hello.\ncomment keep-alive", notebook.Done, "", "Hello.", 1},
		"a wrong key":                {"answer\nfail 401 No such key", notebook.Failed, fault.CodeKeyRejected, "", 1},
		"no such model":              {"answer\nfail 404 The model does not exist", notebook.Failed, fault.CodeModelUnknown, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "", c.script+"\nanswer\ntext The next one.")
			path := d.create("Faults")
			cell := d.prompt(path, "go")
			d.run(path, cell, runner.RunCell)
			d.untilFinished(1)
			v, err := d.Notebook(path)
			if err != nil {
				t.Fatal(err)
			}
			run := v.Cells[0].Body.Run
			if run.Outcome != c.outcome || (run.Fault == nil) != (c.code == "") {
				t.Fatalf("it ended as %s with %v", run.Outcome, run.Fault)
			}
			if run.Fault != nil && (run.Fault.Code != c.code || run.Fault.Message == "") {
				t.Errorf("fault %+v", run.Fault)
			}
			if got := d.answer(path, cell); !strings.Contains(got, c.kept) {
				t.Errorf("kept %q", got)
			}
			if n := len(d.server.Requests()); n != c.requests {
				t.Errorf("%d requests went out", n)
			}
			next := d.prompt(path, "and now")
			d.run(path, next, runner.RunCell)
			d.untilFinished(1)
			if got := d.answer(path, next); !strings.HasSuffix(got, "The next one.") {
				t.Errorf("the next prompt got %q", got)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if text := d.onDisk(path); !json.Valid([]byte(text)) || !strings.Contains(text, c.kept) || !strings.Contains(text, "The next one.") {
				t.Errorf("on the disk is %s", text)
			}
		})
	}
}

// Nothing listens at the address of the provider.
func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	d := openModel(t, "", "models m", settings.ModelView{ID: "free"}, func(s *settings.Store, _ string) {
		id, err := s.SaveProvider(settings.ProviderInput{Name: "Gone", BaseURL: "http://127.0.0.1:1/v1", Models: []settings.ModelView{{ID: "m", Tools: true}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ChangePreferences(s.Preferences(), settings.Preferences{DefaultProvider: id, DefaultModel: "m"}); err != nil {
			t.Fatal(err)
		}
	})
	path := d.create("Refused")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	d.untilFinished(1)
	v, err := d.Notebook(path)
	if err != nil || v.Cells[0].Body.Run.Fault == nil || v.Cells[0].Body.Run.Fault.Code != fault.CodeUnreachable {
		t.Errorf("%+v, %v", v.Cells[0].Body.Run, err)
	}
}

// A model that asks for a tool a thousand times is stopped by the person's limit; the answer says
// so and can be continued.
func TestAThousandCalls(t *testing.T) {
	t.Parallel()
	const calls = 1000 / tenth
	d := open(t, "", "answer always\ntool ls {}")
	prefs := settings.Preferences{StepLimit: calls}
	if err := d.ChangePreferences(settings.Preferences{}, prefs); err != nil {
		t.Fatal(err)
	}
	path := d.create("Thousand")
	cell := d.prompt(path, "go")
	d.run(path, cell, runner.RunCell)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // each request carries everything before it
	defer cancel()
	if err := d.Wait(ctx, path); err != nil {
		t.Fatal(err)
	}
	v, err := d.Notebook(path)
	if err != nil || v.Cells[0].Body.Run.Outcome != notebook.Outcome("stepLimit") || v.Cells[0].Body.Run.Fault == nil {
		t.Fatalf("%+v, %v", v.Cells[0].Body.Run, err)
	}
	if n := len(d.server.Requests()); n != calls {
		t.Errorf("%d requests went out", n)
	}
	if n := v.Cells[0].Messages; n != 2*calls {
		t.Errorf("%d messages are in the answer", n)
	}
}
