package branches

import (
	"cmp"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/approval"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/cost"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// What of a cell a comparison holds, in bytes.
const (
	shownPrompt = 16 << 10
	shownAnswer = 64 << 10
)

// Place is a notebook, or a branch in it.
type Place struct {
	Path   string `json:"path"`
	Branch string `json:"branch,omitempty"` // "": the notebook as it is now
}

// maxSides is how many lines can be compared at once: each has a digit as its key.
const maxSides = 9

// Comparison is lines side by side.
type Comparison struct {
	Common     int        `json:"common"`     // cells at the beginning that all have
	SamePrompt bool       `json:"samePrompt"` // the first prompts after them are the same
	Place      *SamePlace `json:"place,omitempty"`
	Sides      []Side     `json:"sides"` // in the requested order
}

// Side is one of the lines, with the cells after those that all lines share. The sums cover these
// cells.
type Side struct {
	Path   string           `json:"path"`
	Branch string           `json:"branch,omitempty"`
	Name   string           `json:"name"`
	Status agenttree.Status `json:"status,omitempty"` // of the notebook's agent; "" for a branch
	Rows   []Row            `json:"rows"`
	Files  []FileChange     `json:"files"`
	Models []string         `json:"models"`
	Used   agenttree.Total  `json:"used"`
	Output int              `json:"output"` // tokens, part of Used
	Cost   string           `json:"cost"`   // "$0.31"; "" when no price is known
	TimeMs int64            `json:"timeMs"`
	State  notebook.Outcome `json:"state"` // of the last cell that ran; "" while it runs, or when none did
	EndMs  int64            `json:"endMs"` // when that one ended, Unix milliseconds; 0: not known
	Runs   bool             `json:"runs"`  // one of the cells runs
	Tests  *Tests           `json:"tests,omitempty"`
	edits  []edit
}

// Row is one cell of a side.
type Row struct {
	Cell    string            `json:"cell"`
	Number  int               `json:"number"` // from 1; 0: a summary
	Role    chat.Role         `json:"role"`
	Prompt  string            `json:"prompt"`
	Answer  string            `json:"answer"` // the last text of the agent's answer
	Files   []FileChange      `json:"files"`
	Calls   int               `json:"calls"`  // of tools
	Failed  int               `json:"failed"` // calls that failed
	Model   string            `json:"model"`
	Used    agenttree.Total   `json:"used"`
	Output  int               `json:"output"`
	Cost    string            `json:"cost"`
	TimeMs  int64             `json:"timeMs"`
	State   notebook.Outcome  `json:"state"` // "": it runs, or never ran
	Runs    bool              `json:"runs"`
	Carried *notebook.Carried `json:"carried,omitempty"`
}

// FileChange is a file that an agent wrote. Lines are counted for tools that report them; for a
// command, only the files that it names are known.
type FileChange struct {
	Path    string `json:"path"` // relative to the folder, with slashes, if it is inside
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Writes  int    `json:"writes"` // calls
}

// Compare shows two to nine lines side by side. Errors: NotFound; Invalid for another
// number of them.
func (c *Calls) Compare(places []Place) (Comparison, error) {
	all := make([]placed, len(places))
	for i, at := range places {
		var err error
		if all[i], err = c.line(at); err != nil {
			return Comparison{}, err
		}
	}
	return compare(all, c.with.Prices())
}

// CompareFiles compares files, which may be in different folders. Changed files are named relative
// to the folder that folderOf returns for each.
func CompareFiles(places []Place, folderOf func(file string) string, prices cost.Table) (Comparison, error) {
	all := make([]placed, len(places))
	for i, at := range places {
		nb, _, err := notebook.Load(at.Path)
		if err != nil {
			return Comparison{}, err
		}
		all[i] = placed{place: at, name: nameOf(at.Path, nb), folder: folderOf(at.Path)}
		if all[i].Line, err = nb.Lineage().Line(at.Branch); err != nil {
			return Comparison{}, err
		}
	}
	return compare(all, prices)
}

func compare(lines []placed, prices cost.Table) (Comparison, error) {
	if len(lines) < 2 || len(lines) > maxSides {
		return Comparison{}, fault.New(fault.Invalid, "Could not compare: 2 to %d branches or notebooks can stand beside each other, not %d.", maxSides, len(lines))
	}
	first := lines[0].Sums()
	v := Comparison{Common: len(first), SamePrompt: true}
	for _, line := range lines[1:] {
		v.Common = min(v.Common, notebook.CommonCells(first, line.Sums()))
	}
	before := lines[0].testsBefore(v.Common)
	for _, line := range lines {
		side := line.side(v.Common, prices)
		if side.Tests != nil && before != nil && side.Tests.Unit == before.Unit {
			side.Tests.Before = before.Total()
		}
		v.Sides = append(v.Sides, side)
		v.SamePrompt = v.SamePrompt && asksSame(side.Rows, v.Sides[0].Rows)
	}
	v.Place = samePlace(v.Sides)
	return v, nil
}

// asksSame reports whether the first prompts of two sides are the same.
func asksSame(a, b []Row) bool {
	return len(a) > 0 && len(b) > 0 && a[0].Role == b[0].Role && a[0].Prompt == b[0].Prompt
}

// placed is a line with the facts known about its notebook.
type placed struct {
	*notebook.Line
	place      Place
	name, uuid string
	folder     string // absolute: changed files are named relative to it
	status     agenttree.Status
}

// line reads the line at a place.
func (c *Calls) line(at Place) (placed, error) {
	p := placed{place: at, folder: c.with.Folder}
	err := c.with.Registry.ReadOnly(at.Path, func(tx *documents.Tx, nb *notebook.Document) (err error) {
		p.place.Path = tx.Path()
		p.name, p.uuid = nameOf(tx.Path(), nb), tx.Agent().UUID
		p.Line, err = nb.Lineage().Line(at.Branch)
		return err
	})
	if err != nil {
		if _, ok := errors.AsType[*fault.Error](err); ok {
			return p, err
		}
		return p, fault.New(fault.NotFound, "Could not read %s: %w", at.Path, err)
	}
	if at.Branch == "" {
		for _, n := range c.with.Registry.Agents() {
			if n.File == p.place.Path {
				p.status = n.Status
			}
		}
	}
	return p, nil
}

func nameOf(path string, nb *notebook.Document) string {
	return cmp.Or(nb.Meta().Name, strings.TrimSuffix(filepath.Base(path), ".mtm"))
}

// side makes the rows of a line from a place on.
func (p placed) side(from int, prices cost.Table) Side {
	s := Side{Path: p.place.Path, Branch: p.place.Branch, Name: p.name, Status: p.status, Rows: []Row{}, Files: []FileChange{}, Models: []string{}}
	var total cost.Total
	for i := from; i < p.Len(); i++ {
		cell := p.Cell(i)
		if tests := testsOf(cell); tests != nil {
			s.Tests = tests
		}
		row, spent := p.row(cell, prices)
		s.edits = append(s.edits, p.editsOf(cell)...)
		s.Rows = append(s.Rows, row)
		for _, f := range row.Files {
			s.Files = addFile(s.Files, f)
		}
		if row.Model != "" && !slices.Contains(s.Models, row.Model) {
			s.Models = append(s.Models, row.Model)
		}
		total = total.Add(spent)
		s.TimeMs += row.TimeMs
		if cell.Run != nil {
			s.State, s.EndMs = row.State, 0
			if row.State != "" {
				s.EndMs = cell.Run.StartedAtMs + cell.Run.TookMs
			}
		}
		s.Runs = s.Runs || row.Runs
	}
	s.Used, s.Output, s.Cost = documents.TreeTotal(total), total.Usage.Output, costText(total)
	return s
}

func costText(t cost.Total) string {
	if t.Requests == 0 || t.Unpriced > 0 {
		return ""
	}
	return t.Text()
}

func (p placed) row(cell notebook.LineCell, prices cost.Table) (Row, cost.Total) {
	r := Row{
		Cell: cell.ID, Number: cell.Number, Role: cell.Role, Prompt: clip.Bytes(cell.Prompt, shownPrompt), Files: []FileChange{},
		Runs: cell.Running, Carried: cell.Carried,
	}
	facts := map[string]*chat.CallFacts{}
	var usage *chat.Usage
	requests := 0
	for _, m := range cell.Messages {
		switch m.Role {
		case chat.Assistant:
			if text := strings.TrimSpace(m.Content.String()); text != "" {
				r.Answer = clip.Bytes(text, shownAnswer)
			}
			if m.Usage != nil {
				sum := *m.Usage
				if usage != nil {
					sum = usage.Add(sum)
				}
				usage = &sum
				requests++
			}
		case chat.Tool:
			facts[m.ToolCallID] = m.Facts
			if m.IsError {
				r.Failed++
			}
		}
	}
	for _, m := range cell.Messages {
		r.Calls += len(m.ToolCalls)
	}
	for call := range succeeded(cell) {
		for _, path := range p.written(call) {
			f := FileChange{Path: path, Writes: 1}
			if k := facts[call.ID]; k != nil {
				f.Added, f.Removed = k.Added, k.Removed
			}
			r.Files = addFile(r.Files, f)
		}
	}
	if cell.Run == nil {
		return r, cost.Total{}
	}
	run := *cell.Run
	if run.Usage == nil && usage != nil { // it is running or was cut off: use the requests' usage
		run.Usage, run.Requests = usage, requests
	}
	spent := documents.RunCost(prices, &run)
	r.Model, r.TimeMs, r.State = run.Model, run.WorkedMs(), run.Outcome
	r.Used, r.Output, r.Cost = documents.TreeTotal(spent), spent.Usage.Output, costText(spent)
	return r, spent
}

// succeeded yields the calls of a cell that did not fail, with their results.
func succeeded(cell notebook.LineCell) iter.Seq2[chat.ToolCall, notebook.Message] {
	return func(yield func(chat.ToolCall, notebook.Message) bool) {
		results := map[string]notebook.Message{}
		for _, m := range cell.Messages {
			if m.Role == chat.Tool && !m.IsError {
				results[m.ToolCallID] = m
			}
		}
		for _, m := range cell.Messages {
			for _, call := range m.ToolCalls {
				if result, ok := results[call.ID]; ok && !yield(call, result) {
					return
				}
			}
		}
	}
}

// written lists the files that a call names to write, as the interface names them.
func (p placed) written(call chat.ToolCall) (files []string) {
	for _, path := range approval.Writes(approval.Call{Tool: call.Function.Name, Arguments: call.Function.Arguments, Workspace: p.folder}) {
		files = append(files, p.shownPath(path))
	}
	return files
}

// shownPath names a file as the interface does.
func (p placed) shownPath(file string) string {
	if rel, err := filepath.Rel(p.folder, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// addFile adds a change to a list that has each file once.
func addFile(list []FileChange, f FileChange) []FileChange {
	i := slices.IndexFunc(list, func(x FileChange) bool { return x.Path == f.Path })
	if i < 0 {
		return append(list, f)
	}
	list[i].Added += f.Added
	list[i].Removed += f.Removed
	list[i].Writes += f.Writes
	return list
}
