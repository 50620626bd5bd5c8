package cli

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"mutsumi/backend/assemble"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/macro"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preview"
	"mutsumi/backend/request"
	"mutsumi/backend/workspace"
)

// preprocess carries out the directives of a text.
func preprocess(p *Program, args []string) error {
	flags := flag.NewFlagSet("preprocess", flag.ContinueOnError)
	macros := map[string]string{}
	flags.Func("D", "", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok || !macro.IsName(name) {
			return fmt.Errorf("%q is not NAME=VALUE", s)
		}
		macros[name] = value
		return nil
	})
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 0, 1)
	if err != nil {
		return err
	}
	text, _, err := p.input(rest)
	if err != nil {
		return err
	}
	table := macro.New(macros)
	done := macro.Process(text, table, macro.Options{})
	if !*asJSON {
		p.warn(done.Warnings)
		_, err = io.WriteString(p.Stdout, done.Text)
		return err
	}
	return p.json(struct {
		Result   string            `json:"result"`
		Warnings []macro.Warning   `json:"warnings"`
		Macros   map[string]string `json:"macros"`
	}{done.Text, append([]macro.Warning{}, done.Warnings...), maps.Clone(table.Map())})
}

// assembleCommand makes one document whole: its references are followed.
func assembleCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("assemble", flag.ContinueOnError)
	appendMode := flags.Bool("append", false, "")
	trust := flags.Bool("trust", false, "")
	folder := flags.String("workspace", "", "")
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 0, 1)
	if err != nil {
		return err
	}
	text, file, err := p.input(rest)
	if err != nil {
		return err
	}
	if *folder == "" {
		*folder = "."
	}
	open, err := openWorkspace(p, openOptions{Folder: *folder, Trust: *trust, NoModels: true, Quiet: true})
	if err != nil {
		return err
	}
	defer open.Close()
	sayWhatIsInert(p, open.ws, "")
	doc, err := open.ws.Assemble(context.Background(), text, file, *appendMode)
	if err != nil {
		return err
	}
	if *asJSON {
		doc.Params = append([]string{}, doc.Params...)
		doc.Items = append([]assemble.Item{}, doc.Items...)
		doc.Warnings = append([]macro.Warning{}, doc.Warnings...)
		return p.json(doc)
	}
	p.warn(doc.Warnings)
	out := doc.Content
	for _, item := range doc.Items {
		out += "\n\n" + item.Key + "\n\n" + item.Content
	}
	_, err = io.WriteString(p.Stdout, out)
	return err
}

// contextCommand shows what a model would get for a cell.
func contextCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("context", flag.ContinueOnError)
	cell := flags.Int("cell", -1, "")
	text := flags.String("prompt", "", "")
	folder := flags.String("workspace", "", "")
	trust := flags.Bool("trust", false, "")
	model := flags.String("model", "", "")
	approve := flags.String("approve", "reads", "")
	goesOn := flags.Bool("continue", false, "")
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 1, 1)
	if err != nil {
		return err
	}
	if p.Large != nil {
		p.Large()
	}
	policy := request.Policy(*approve)
	if !policy.Known() {
		return misused("context: --approve is none, reads, all or ask (as in the window), not %q", *approve)
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *text == "-" {
		if *text, err = p.stdin(); err != nil {
			return err
		}
	}
	file, err := existing(rest[0])
	if err != nil {
		return err
	}
	if *folder == "" {
		*folder = folderFor(file)
	}
	open, err := openWorkspace(p, openOptions{Folder: *folder, Notebook: file, Model: *model, Tools: policy, Trust: *trust, Quiet: true})
	if err != nil {
		return err
	}
	defer open.Close()
	sayWhatIsInert(p, open.ws, open.ws.PathOf(file))
	if *model == "" {
		open.ws.AskEnvironment(context.Background())
	}
	id, draft, err := chosenCell(open.ws, open.ws.PathOf(file), *cell, given, *text)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[0], err)
	}
	next, err := open.ws.Request(context.Background(), open.ws.PathOf(file), id, draft, *goesOn)
	if err != nil {
		return fmt.Errorf("%s: %w", rest[0], err)
	}
	if *asJSON {
		return next.WriteJSON(p.Stdout)
	}
	for _, w := range next.Warnings {
		fmt.Fprintf(p.Stderr, "mutsumi: %s\n", clip.OneLine(macro.Warning{File: w.File, Line: w.Line, Text: w.Text}.String()))
	}
	return printRequest(p, next)
}

// chosenCell finds the cell and its prompt: the cell at a given place, counted from 0 as in
// `notebook cells --json`; a new one after the others if only a prompt is given; otherwise the last
// prompt.
func chosenCell(ws *workspace.Workspace, path string, cell int, given map[string]bool, text string) (id, draft string, err error) {
	v, err := ws.Notebook(path)
	if err != nil {
		return "", "", err
	}
	if v.Problem != nil {
		return "", "", &notebook.DamagedError{Problem: *v.Problem}
	}
	if given["prompt"] && !given["cell"] {
		return "", text, nil
	}
	if !given["cell"] {
		for cell = len(v.Cells) - 1; cell >= 0 && v.Cells[cell].Role != chat.User; cell-- {
		}
	}
	if cell < 0 || cell >= len(v.Cells) {
		return "", "", fault.New(fault.Invalid, "there is no cell %d: it has %d, counted from 0", cell, len(v.Cells))
	}
	id = v.Cells[cell].ID
	if v.Cells[cell].Role != chat.User {
		return "", "", fault.New(fault.Invalid, "cell %d is not a prompt", cell)
	}
	if given["prompt"] {
		return id, text, nil
	}
	_, cells, err := ws.Cells(path, []string{id})
	if err != nil {
		return "", "", err
	}
	return id, cells[0].Body.Text, nil
}

// printRequest prints a request for a person: its parameters, the tools, then the messages.
func printRequest(p *Program, next preview.NextRequest) error {
	var b strings.Builder
	tokens, estimated := 0, ""
	for _, part := range next.Parts {
		tokens += part.Tokens
		if part.Estimated {
			estimated = "about "
		}
	}
	fmt.Fprintf(&b, "--- request\nmodel %s, %s%d tokens\n", cmp.Or(next.Sent.Model, "none"), estimated, tokens)
	for _, q := range next.Parameters {
		if q.Name != "model" {
			fmt.Fprintf(&b, "%s %s\n", q.Name, q.Value)
		}
	}
	if len(next.Sent.Tools) > 0 {
		b.WriteString("--- tools\n")
	}
	for _, t := range next.Sent.Tools {
		fmt.Fprintf(&b, "%s\n", t.Name)
	}
	for _, m := range next.Sent.Messages {
		fmt.Fprintf(&b, "--- %s\n%s\n", m.Role, m.Content)
		for _, part := range m.Content.Parts {
			if part.ImageURL != nil {
				fmt.Fprintf(&b, "(image, %d bytes)\n", len(part.ImageURL.URL))
			}
			if part.File != nil {
				fmt.Fprintf(&b, "(document %s, %s)\n", part.File.Name, media.Measure(part.File.Pages, part.File.Size()))
			}
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "%s %s\n", c.Function.Name, c.Function.Arguments)
		}
	}
	_, err := io.WriteString(p.Stdout, b.String())
	return err
}

// input reads the file that was named, or standard input for none or "-".
func (p *Program) input(rest []string) (text, file string, err error) {
	if len(rest) == 0 || rest[0] == "-" {
		b, err := io.ReadAll(p.Stdin)
		if err != nil {
			return "", "", fmt.Errorf("read standard input: %w", err)
		}
		return string(b), "", nil
	}
	b, err := os.ReadFile(rest[0])
	if err != nil {
		return "", "", fault.New(fault.NotFound, "read %s: %w", rest[0], err)
	}
	file, err = filepath.Abs(rest[0])
	return string(b), file, err
}

// stdin reads a prompt, without the line break that a shell leaves at its end.
func (p *Program) stdin() (string, error) {
	b, err := io.ReadAll(p.Stdin)
	if err != nil {
		return "", fmt.Errorf("read the prompt from standard input: %w", err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

func (p *Program) warn(warnings []macro.Warning) {
	for _, w := range warnings {
		fmt.Fprintln(p.Stderr, "mutsumi: "+clip.OneLine(w.String()))
	}
}

// json writes a value for a program to read.
func (p *Program) json(v any) error {
	text, err := jsontext.Indented(v)
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return err
}
