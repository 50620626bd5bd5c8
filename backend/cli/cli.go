// Package cli is the program without a window (SPEC 10): it reads the command line and calls the
// packages that do the work, the same ones that the window uses. It also opens a folder with its
// settings, models and offline guide, which every way of starting needs.
//
// Errors go to standard error, one line each, with the file and the reason.
// The exit status is 0, 1 for a failure, 2 for wrong use.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/version"
	"mutsumi/backend/workspace"
)

// Program is what main passes in.
type Program struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Interface      fs.FS                                                                  // the built front end
	Rules          fs.FS                                                                  // the default rules
	Kinds          fs.FS                                                                  // the program's kinds of agents
	Sample         fs.FS                                                                  // the folder to try the program out
	Chinese        fs.FS                                                                  // rules and sample in Chinese, in folders of these names; nil: none
	Window         func(closing context.Context, ws *workspace.Workspace, ui fs.FS) error // shows a workspace until its window is closed; closing ends when the window has to close itself
	Lasts          func()                                                                 // called before a command that may run for long; nil: nothing
	Large          func()                                                                 // called before a command that needs much memory for a moment; nil: nothing
	Calls          func(ws *workspace.Workspace) any                                      // the methods that `serve` offers as calls
}

// Exit statuses.
const (
	ok     = 0
	failed = 1
	misuse = 2
)

// command is one word of the command line.
type command struct {
	name string
	use  string // the arguments after the name
	what string // one line for the help
	run  func(p *Program, args []string) error
	long bool // it may run for long
}

var commands []command

func init() { // filled here because the help command lists them
	commands = []command{
		{"serve", "[DIR|NOTEBOOK] [--listen ADDR] [--until-eof]", "serve the interface to a browser (--until-eof: until standard input ends)", serve, true},
		{"run", "NOTEBOOK [--prompt TEXT|-] [--model NAME] [--workspace DIR] [--approve none|reads|all] [--trust]", "run a prompt and stream the answer", run, true},
		{"context", "NOTEBOOK [--cell N] [--prompt TEXT|-] [--continue] [--model NAME] [--workspace DIR] [--approve none|reads|all|ask] [--trust] [--json]", "show what run would send for a cell, counted from 0; ask: what the window would", contextCommand, false},
		{"requests", "NOTEBOOK [--number N] [--compare FILE|-] [--workspace DIR] [--json]", "list what was sent: when, parameters, hashes, usage; compare: whether a body is the one of request N (or the last), else from which byte it differs", requestsCommand, false},
		{"assemble", "[--append] [--trust] [--workspace DIR] [--json] [FILE|-]", "follow the references of a document", assembleCommand, false},
		{"preprocess", "[-D NAME=VALUE]... [--json] [FILE|-]", "carry out the directives of a text", preprocess, false},
		{"notebook", "fmt FILE | cells --json FILE", "load a notebook and write it or its cells to standard output", notebookCommand, false},
		{"fork", "NOTEBOOK --cell N [--name NAME] [-o FILE] [--workspace DIR]", "make a notebook that ends with a cell, counted from 0, and print its path; -o: that file, with no rights of the other one", forkCommand, false},
		{"compare", "NOTEBOOK[#BRANCH] NOTEBOOK[#BRANCH]... [--json]", "show what two to nine notebooks or branches have behind the cells that all begin with: prompts, answers, files, tests, tokens, cost, time", compareCommand, false},
		{"tree", "[DIR] [--json]", "list the agents of a folder", tree, false},
		{"mcp", "list [DIR] | add NAME ADDRESS|JSON|- | add NAME -- COMMAND... | remove NAME | import [FILE SERVER] | accept SERVER [TOOL] | test SERVER | call SERVER TOOL [JSON|-] | key NAME [--remove] | sign-in NAME | sign-out NAME | conformance URL  [--workspace DIR] [--trust] [--json]  | serve [DIR] [--model NAME] [--approve none|reads|all] [--trust]", "list the MCP servers of a folder and of the settings, and which tools changed since they were allowed; add one to the settings, remove one, or import those of other programs; accept such changes; start one and list its tools; call a tool; keep what ${keyring:NAME} stands for, read from standard input; sign in to one with the browser, or out; be the client of the protocol's conformance tests; serve: be an MCP server on standard input and output that offers a folder's notebooks to another program, to search, read and run", mcpCommand, true},
		{"acp", "[--trust]", "be an agent for an editor that speaks the Agent Client Protocol, on standard input and output: the notebooks of its folder are the conversations", acpCommand, true},
		{"sample", "[DIR]", "make the sample, a folder to try the program out in, where it is not there yet, and print where it is", sampleCommand, false},
		{"log", "[--follow]", "print the log of all folders: what ran, what was saved, what failed; follow: go on with what is added", logCommand, true},
		{"help", "", "show this", help, false},
		{"version", "[--json]", "show the version and the commit that the program was made from", versionCommand, false},
	}
}

// usageError is a wrong use of the command line.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func misused(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// Main runs the program and returns its exit status.
func Main(p Program) int {
	out, errs := onTerminal(p.Stdout), &visible{to: p.Stderr}
	p.Stdout, p.Stderr = out, errs
	err := p.dispatch()
	if v, ok := out.(*visible); ok {
		v.flush()
	}
	var use usageError
	switch {
	case err == nil:
		return ok
	case errors.As(err, &use):
		fmt.Fprintln(p.Stderr, "mutsumi: "+clip.OneLine(err.Error()))
		return misuse
	}
	fmt.Fprintln(p.Stderr, "mutsumi: "+clip.OneLine(err.Error()))
	return failed
}

func (p *Program) dispatch() error {
	if len(p.Args) > 0 {
		name := p.Args[0]
		switch name {
		case "--help", "-h":
			name = "help"
		case "--version":
			name = "version"
		}
		for _, c := range commands {
			if c.name == name {
				if c.long {
					p.lasts()
				}
				return c.run(p, p.Args[1:])
			}
		}
	}
	p.lasts()
	return window(p, p.Args)
}

func (p *Program) lasts() {
	if p.Lasts != nil {
		p.Lasts()
	}
}

// words parses flags anywhere among the arguments and returns the other words, of which there must
// be from least to most.
func words(flags *flag.FlagSet, args []string, least, most int) ([]string, error) {
	flags.SetOutput(io.Discard)
	var rest []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, misused("%s: %v: see `mutsumi help`", flags.Name(), err)
		}
		if flags.NArg() == 0 {
			break
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
	if len(rest) < least || len(rest) > most {
		return nil, misused("%s: got %d arguments: see `mutsumi help`", flags.Name(), len(rest))
	}
	return rest, nil
}

func help(p *Program, _ []string) error {
	var b strings.Builder
	b.WriteString("Mutsumi: several LLM agents at work on one folder of files.\n\n  mutsumi [DIR|NOTEBOOK]\n      open a window on a folder, or on a notebook's folder with the notebook in front; without either on the folder opened last\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %s\n      %s\n", strings.TrimSpace("mutsumi "+c.name+" "+c.use), c.what)
	}
	_, err := io.WriteString(p.Stdout, b.String())
	return err
}

func versionCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("version", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	if _, err := words(flags, args, 0, 0); err != nil {
		return err
	}
	build := version.Current()
	if *asJSON {
		return p.json(build)
	}
	_, err := fmt.Fprintln(p.Stdout, "mutsumi "+build.String())
	return err
}
