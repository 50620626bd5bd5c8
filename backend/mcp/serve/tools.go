package serve

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/clip"
	"mutsumi/backend/textsearch"
)

// readBytes is the most that `read` returns at once.
const readBytes = 100_000

const (
	searchMatches = 50  // returned by `search` unless it is asked for another number
	mostMatches   = 500 // the most that it returns
)

func (s *server) addTools() {
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "search", Title: "Search notebooks", Annotations: reads,
		Description: "Finds text in the notebooks of the folder: in the names of agents and in prompts, answers, thoughts, tool calls and their results. Each match names the notebook and the number of the cell.",
	}, s.search)
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "read", Title: "Read a notebook", Annotations: reads,
		Description: "Gives a notebook as Markdown: prompts as quotes, answers, tool calls as lines. With `cell` it gives that cell alone, with the results of its tools.",
	}, s.read)
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: "run", Title: "Run a prompt", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(s.canChange()), OpenWorldHint: new(true)},
		Description: "Adds a prompt to the end of a notebook, or to a new agent when none is named, runs it to its end and returns the answer. The agent knows what its notebook holds. " +
			"Tool calls that need a person are refused and listed in the result. Cancelling the request stops the run; what had arrived is kept in the notebook.",
	}, s.run)
}

type searchInput struct {
	Text     string `json:"text" jsonschema:"what to search for"`
	Notebook string `json:"notebook,omitempty" jsonschema:"search only this notebook: its path, its address or the name of its agent"`
	Regexp   bool   `json:"regexp,omitempty" jsonschema:"text is a regular expression (RE2)"`
	Case     bool   `json:"case,omitempty" jsonschema:"upper and lower case count"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many matches to give, at most 500; 50 without it"`
}

type searchOutput struct {
	Matches []match  `json:"matches"`
	Total   int      `json:"total" jsonschema:"matches in all"`
	Partial bool     `json:"partial,omitempty" jsonschema:"there are more than total: the search stopped in a notebook with very many"`
	Unread  []string `json:"unread,omitempty" jsonschema:"notebooks that could not be read"`
}

type match struct {
	Notebook string `json:"notebook" jsonschema:"path of the notebook"`
	Agent    string `json:"agent" jsonschema:"name of its agent"`
	Cell     int    `json:"cell,omitempty" jsonschema:"number of the cell, for read; 0: the name of the agent, or a summary"`
	In       string `json:"in" jsonschema:"name, prompt, answer, reasoning, arguments or result"`
	Text     string `json:"text" jsonschema:"the match with what is around it"`
}

func (s *server) search(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, searchOutput, error) {
	query := textsearch.Query{Text: in.Text, Regexp: in.Regexp, Case: in.Case}
	pattern, err := textsearch.Compile(query)
	if err != nil {
		return nil, searchOutput{}, err
	}
	nodes := s.notebooks()
	if in.Notebook != "" {
		n, err := s.find(in.Notebook)
		if err != nil {
			return nil, searchOutput{}, err
		}
		nodes = []agenttree.Node{n}
	}
	limit := min(in.Limit, mostMatches)
	if limit <= 0 {
		limit = searchMatches
	}
	out := searchOutput{Matches: []match{}}
	add := func(m match) {
		if out.Total++; len(out.Matches) < limit {
			out.Matches = append(out.Matches, m)
		}
	}
	slices.SortStableFunc(nodes, func(a, b agenttree.Node) int { return int(min(max(b.ModifiedMs-a.ModifiedMs, -1), 1)) }) // the newest first
	for _, n := range nodes {
		pattern.Each(n.Name, textsearch.Options{}, func(int, int) bool {
			add(match{Notebook: n.File, Agent: n.Name, In: "name", Text: n.Name})
			return false
		})
	}
	for _, n := range nodes {
		if err := ctx.Err(); err != nil {
			return nil, searchOutput{}, err
		}
		if err := s.searchIn(n, query, add, &out); err != nil {
			out.Unread = append(out.Unread, n.File)
		}
	}
	return &mcp.CallToolResult{Content: text(out.lines())}, out, nil
}

// searchIn searches the texts of one notebook.
func (s *server) searchIn(n agenttree.Node, query textsearch.Query, add func(match), out *searchOutput) error {
	found, err := s.Workspace.FindText(n.File, query)
	if err != nil || found.Total == 0 {
		return err
	}
	line, _, err := s.Workspace.Line(n.File)
	if err != nil {
		return err
	}
	numbers := map[string]int{}
	for _, h := range line.Heads() {
		numbers[h.ID] = h.Number
	}
	for _, t := range found.Texts {
		for _, m := range t.Matches {
			add(match{Notebook: n.File, Agent: n.Name, Cell: numbers[t.Cell], In: string(t.Kind), Text: clip.OneLine(m.Before + m.Text + m.After)})
		}
	}
	out.Partial = out.Partial || found.Partial
	return nil
}

// lines is the result as text, for models that get no structured content.
func (o searchOutput) lines() string {
	var b strings.Builder
	for _, m := range o.Matches {
		where := m.In
		if m.Cell > 0 {
			where = fmt.Sprintf("cell %d, %s", m.Cell, m.In)
		}
		fmt.Fprintf(&b, "%s (%s), %s: %s\n", m.Notebook, m.Agent, where, m.Text)
	}
	switch {
	case o.Total == 0:
		b.WriteString("Nothing was found.\n")
	case o.Total > len(o.Matches):
		fmt.Fprintf(&b, "%d of %d matches are shown.\n", len(o.Matches), o.Total)
	}
	if len(o.Unread) > 0 {
		fmt.Fprintf(&b, "Could not be read: %s\n", strings.Join(o.Unread, ", "))
	}
	return b.String()
}

type readInput struct {
	Notebook string `json:"notebook" jsonschema:"path of the notebook, its address or the name of its agent"`
	Cell     int    `json:"cell,omitempty" jsonschema:"only this cell, by its number, counted from 1"`
	Offset   int    `json:"offset,omitempty" jsonschema:"where to go on, as an earlier result says"`
}

func (s *server) read(_ context.Context, _ *mcp.CallToolRequest, in readInput) (*mcp.CallToolResult, any, error) {
	n, err := s.find(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	if in.Cell < 0 {
		return nil, nil, errors.New("cell is counted from 1")
	}
	all, err := s.markdown(n.File, in.Cell)
	if err != nil {
		return nil, nil, err
	}
	piece, next := pieceOf(all, in.Offset, readBytes)
	content := text(piece)
	if next > 0 {
		content = append(content, text(fmt.Sprintf("[%d of %d bytes so far. Read on with offset %d.]", next, len(all), next))...)
	}
	return &mcp.CallToolResult{Content: content}, nil, nil
}

// notebooks lists the readable notebooks.
func (s *server) notebooks() []agenttree.Node {
	return slices.DeleteFunc(s.Workspace.Nodes(), func(n agenttree.Node) bool { return n.Problem != "" })
}

// find returns the notebook that a client means: by its path or address, or by the name of its
// agent if only one has it.
func (s *server) find(name string) (agenttree.Node, error) {
	path := strings.TrimSpace(name)
	if rest, ok := strings.CutPrefix(path, scheme); ok {
		if plain, err := url.PathUnescape(rest); err == nil {
			path = plain
		}
	}
	var named []agenttree.Node
	for _, n := range s.notebooks() {
		if n.File == path {
			return n, nil
		}
		if n.Name == path {
			named = append(named, n)
		}
	}
	switch len(named) {
	case 0:
		return agenttree.Node{}, fmt.Errorf("there is no notebook %q: the resources list those that there are", clip.Line(name, 200))
	case 1:
		return named[0], nil
	}
	var files []string
	for _, n := range named {
		files = append(files, n.File)
	}
	return agenttree.Node{}, fmt.Errorf("several agents have the name %q: %s", clip.Line(name, 200), strings.Join(files, ", "))
}

func text(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
