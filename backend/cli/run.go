package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/workspace"
)

// run adds a prompt to a notebook, or takes the last one that has no answer,
// runs it, streams the answer's text to standard output and saves. Ctrl+C
// stops the run and keeps what had arrived.
func run(p *Program, args []string) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	prompt := flags.String("prompt", "", "")
	model := flags.String("model", "", "")
	folder := flags.String("workspace", "", "")
	approve := flags.String("approve", "reads", "")
	trust := flags.Bool("trust", false, "")
	rest, err := words(flags, args, 1, 1)
	if err != nil {
		return err
	}
	policy := workspace.ToolPolicy(*approve)
	if !policy.Known() {
		return misused("run: --approve is none, reads or all, not %q", *approve)
	}
	file, err := filepath.Abs(rest[0])
	if err != nil {
		return err
	}
	if _, err := load(file); err != nil {
		return err
	}
	if *prompt == "-" {
		if *prompt, err = p.stdin(); err != nil {
			return err
		}
	}
	if *folder == "" {
		*folder = folderFor(file)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	open, err := openWorkspace(p, openOptions{Folder: *folder, Notebook: file, Model: *model, Tools: policy, Trust: *trust, Quiet: true})
	if err != nil {
		return err
	}
	defer open.Close()
	sayWhatIsInert(p, open.ws, open.ws.PathOf(file))
	if *model == "" {
		open.ws.AskEnvironment(ctx)
	}
	path := open.ws.PathOf(file)
	cell, err := cellToRun(open.ws, path, *prompt)
	if err != nil {
		return err
	}
	since := open.ws.Events().Seq()
	id, err := open.ws.Run(path, cell, workspace.RunCell)
	if err != nil {
		return err
	}
	end, err := follow(ctx, p, open.ws, id, path, since)
	if err != nil {
		return err
	}
	if err := open.Close(); err != nil {
		return err
	}
	switch {
	case end.Fault != nil:
		return fmt.Errorf("%s: %w", rest[0], end.Fault)
	case end.Outcome == notebook.Stopped:
		return fault.New(fault.Canceled, "%s: stopped; what had arrived is saved", rest[0])
	}
	return nil
}

// sayWhatIsInert tells in one line what of the folder, and of the notebook at
// path, does nothing because the person has not trusted it (SPEC 4.2).
func sayWhatIsInert(p *Program, ws *workspace.Workspace, path string) {
	if what := ws.LeftOut(path); len(what) > 0 {
		fmt.Fprintf(p.Stderr, "mutsumi: left out, because %s is not trusted with it: %s (--trust lets what the folder brings count; folders outside it are allowed in the window)\n", ws.Folder(), oneLine(strings.Join(what, ", ")))
	}
}

// cellToRun adds the prompt as a cell, or finds the last prompt without an answer.
func cellToRun(ws *workspace.Workspace, path, prompt string) (string, error) {
	if prompt != "" {
		r, err := ws.Edit(path, []notebook.Edit{{Kind: notebook.EditInsert, Text: prompt}}, "")
		return r.ID, err
	}
	v, err := ws.Notebook(path)
	if err != nil {
		return "", err
	}
	for i := len(v.Cells) - 1; i >= 0; i-- {
		if c := v.Cells[i]; c.Role == "user" {
			if c.Messages > 0 {
				break
			}
			return c.ID, nil
		}
	}
	return "", fault.New(fault.Invalid, "%s: every prompt has an answer: give one with --prompt", path)
}

// follow prints the answer as it comes until the run has ended.
func follow(ctx context.Context, p *Program, ws *workspace.Workspace, id, path string, since uint64) (end event.RunFinished, err error) {
	stopped := context.AfterFunc(ctx, func() { ws.Stop(path) })
	defer stopped()
	out := answerPrinter{out: p.Stdout}
	for {
		lines, err := ws.Events().Read(context.Background(), since)
		if err != nil {
			return end, err
		}
		for _, line := range lines {
			var e struct {
				Type string          `json:"type"`
				Data json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return end, err
			}
			switch e.Type {
			case "delta":
				var d event.Delta
				if err := json.Unmarshal(e.Data, &d); err != nil {
					return end, err
				}
				if d.RunID == id {
					out.add(d.Index, d.Text)
				}
			case "runWaiting":
				var w event.RunWaiting
				if err := json.Unmarshal(e.Data, &w); err != nil {
					return end, err
				}
				if w.RunID == id && w.UntilMs > 0 {
					fmt.Fprintln(p.Stderr, "mutsumi: "+oneLine(w.Reason)+": trying again")
				}
			case "runFinished":
				if err := json.Unmarshal(e.Data, &end); err != nil {
					return end, err
				}
				if end.RunID == id {
					out.end()
					return end, out.err
				}
			}
		}
		since += uint64(len(lines))
	}
}

// answerPrinter writes the texts of an answer's messages, each on lines of its own.
type answerPrinter struct {
	out   io.Writer
	index int
	last  byte
	err   error
}

func (a *answerPrinter) add(index int, text string) {
	if text == "" || a.err != nil {
		return
	}
	if index != a.index {
		a.end()
		a.index = index
	}
	_, a.err = io.WriteString(a.out, text)
	a.last = text[len(text)-1]
}

func (a *answerPrinter) end() {
	if a.last != 0 && a.last != '\n' && a.err == nil {
		_, a.err = io.WriteString(a.out, "\n")
	}
	a.last = 0
}
