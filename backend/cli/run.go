package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mutsumi/backend/clip"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/lock"
	"mutsumi/backend/notebook"
	"mutsumi/backend/request"
	"mutsumi/backend/runner"
	"mutsumi/backend/workspace"
)

// run adds a prompt to a notebook, or takes the last one without an answer, runs it, streams the
// answer's text to standard output and saves. Ctrl+C stops the run and keeps what has arrived.
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
	policy, err := unattended(flags.Name(), *approve)
	if err != nil {
		return err
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
	ctx, cancel := untilSignal()
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
	if err := open.ws.CanRun(path); err != nil { // before anything is written
		return err
	}
	cell, err := cellToRun(open.ws, path, *prompt)
	if err != nil {
		return err
	}
	end, printErr, err := answer(ctx, p, open.ws, path, cell)
	if err != nil {
		return err
	}
	closeErr := open.Close()
	if now := open.ws.NameNow(path); now != path {
		fmt.Fprintf(p.Stderr, "mutsumi: %s was renamed meanwhile: the answer is in %s\n", clip.OneLine(path), clip.OneLine(now))
	}
	switch {
	case end.Fault != nil && closeErr != nil:
		return fmt.Errorf("%s: %w; %w", rest[0], end.Fault, closeErr)
	case end.Fault != nil:
		return fmt.Errorf("%s: %w", rest[0], end.Fault)
	case closeErr != nil:
		return closeErr
	case printErr != nil && end.Outcome == notebook.Stopped:
		return fmt.Errorf("%s: stopped, because standard output takes no more (%w); what had arrived is saved", rest[0], printErr)
	case end.Outcome == notebook.Stopped, end.Outcome == notebook.Interrupted:
		return fault.New(fault.Canceled, "%s: stopped; what had arrived is saved", rest[0])
	case printErr != nil && !errors.Is(printErr, syscall.EPIPE): // the reader has read enough
		return fmt.Errorf("%s: the answer is saved, but could not be printed: %w", rest[0], printErr)
	}
	return nil
}

// unattended reads --approve of a command that runs agents without a person.
func unattended(command, approve string) (request.Policy, error) {
	policy := request.Policy(approve)
	if !policy.Known() || policy == request.AskTools {
		return "", misused("%s: --approve is none, reads or all, not %q", command, approve)
	}
	return policy, nil
}

// sayWhatIsInert prints one line that lists what is ignored in the folder, and in the notebook at
// path, because the user has not trusted it (SPEC 4.2).
func sayWhatIsInert(p *Program, ws *workspace.Workspace, path string) {
	if what := ws.LeftOut(path); len(what) > 0 {
		fmt.Fprintf(p.Stderr, "mutsumi: left out, because %s is not trusted with it: %s (--trust lets what the folder brings count; folders outside it are allowed in the window)\n", ws.Folder(), clip.OneLine(strings.Join(what, ", ")))
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

// answer runs a cell and prints its answer as it arrives, until the run has ended and everything is
// printed. A slow reader is waited for without delaying the run. If ctx ends, or standard output
// fails, the run is stopped.
func answer(ctx context.Context, p *Program, ws *workspace.Workspace, path, cell string) (end event.RunFinished, printErr, err error) {
	its := notebookName{path: path}
	comes := ws.Events().Subscribe(func(e event.Event) bool {
		switch e := e.(type) {
		case event.NotebookMoved:
			its.moved(e)
			return false
		case event.Delta:
			return its.is(e.Path) && e.Cell == cell && e.Text != ""
		case event.RunWaiting:
			return its.is(e.Path) && e.Cell == cell && e.UntilMs > 0
		}
		return its.end(e, cell)
	})
	defer comes.Close()
	ends := ws.Events().Subscribe(func(e event.Event) bool { return its.end(e, cell) })
	defer ends.Close()
	if _, err := ws.Run(path, cell, runner.RunCell); err != nil {
		return end, nil, err
	}
	stop := func() { ws.Stop(its.now()) }
	defer context.AfterFunc(ctx, stop)()
	printed := make(chan error, 1)
	go func() { printed <- printAnswer(p, comes, stop) }()
	end = ends.Next(context.Background()).(event.RunFinished)
	select {
	case printErr = <-printed:
	case <-ctx.Done(): // asked to end: a reader that does not read is no longer waited for
		select {
		case printErr = <-printed:
		case <-time.After(time.Second):
		}
	}
	return end, printErr, nil
}

// notebookName is the path of a notebook that may be renamed while its agent works.
type notebookName struct {
	mu   lock.Mutex
	path string
}

func (n *notebookName) now() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.path
}

func (n *notebookName) is(path string) bool { return n.now() == path }

func (n *notebookName) moved(e event.NotebookMoved) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.From == n.path {
		n.path = e.To
	}
}

func (n *notebookName) end(e event.Event, cell string) bool {
	end, ok := e.(event.RunFinished)
	return ok && n.is(end.Path) && end.Cell == cell
}

// printAnswer prints the answer until the run has ended. After the first failed write it calls stop
// and prints nothing more; the error is that of the write.
func printAnswer(p *Program, comes *event.Subscription, stop func()) error {
	out := answerPrinter{out: p.Stdout}
	for {
		switch e := comes.Next(context.Background()).(type) {
		case event.Delta:
			before := out.err
			if out.add(e.Index, e.Text); out.err != nil && before == nil {
				stop()
			}
		case event.RunWaiting:
			fmt.Fprintln(p.Stderr, "mutsumi: "+clip.OneLine(e.Reason)+": trying again")
		case event.RunFinished:
			out.end()
			return out.err
		}
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
