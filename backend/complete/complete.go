// Package complete proposes completions while a person types a prompt: files, agents, tools,
// macros, commands and line ranges.
package complete

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/finder"
	"mutsumi/backend/mcp"
	"mutsumi/backend/media"
	"mutsumi/backend/slashcommand"
	"mutsumi/backend/tool"
)

const (
	maxItems  = 50
	maxAgents = 8
)

// Item is a completion (GET /api/complete).
type Item struct {
	Kind   string `json:"kind"`           // file, folder, tool, macro, notebook, command, resource, server (to be started first)
	Label  string `json:"label"`          // the shown text
	Detail string `json:"detail"`         // shown beside it: the folder, the value, what a tool does
	Insert string `json:"insert"`         // the whole text from the @, {{ or / on; ${1:name} are fields to fill in
	Hint   string `json:"hint,omitempty"` // of a command: its arguments
	Match  []int  `json:"match"`          // positions in Label that matched, in UTF-16 units
	// Arguments are the arguments of an MCP server's prompt, in order.
	Arguments []Argument `json:"arguments,omitempty"`
}

// Argument is an argument of an MCP server's prompt.
type Argument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Source gives a Completer access to its folder. The functions may be called from any goroutine. A
// path is that of the notebook in which the person types.
type Source struct {
	Folder func() (*files.Roots, error)                 // the whole folder
	Roots  func(path string) (*files.Roots, error)      // what the notebook's agent may touch
	Text   func(path, reference string) (string, error) // of a file
	Tools  func() []tool.Tool                           // tools that can be called in a prompt
	Agents func() []agenttree.Node                      // never changed in place
	Macros func(path string) (map[string]string, error) // values by name
	// Commands returns the commands that take effect, sorted by name.
	Commands func() []slashcommand.Command
	// Offers lists what the running MCP servers offer besides their tools, Resting names the
	// servers that could be started; nil: there are none.
	Offers  func(context.Context) []mcp.Offers
	Resting func() []string
	// Values proposes values for an argument of a prompt of a running server; nil: none.
	Values func(ctx context.Context, server, prompt, argument, typed string, others map[string]string) ([]string, error)
	Start  func(func(context.Context)) // runs a function in the background
}

// Completer proposes completions in the prompts of a folder. It is safe for concurrent use.
type Completer struct {
	source Source
	index  index
}

// New returns a completer. It reads nothing before the first request.
func New(source Source) *Completer {
	return &Completer{source: source, index: index{folder: source.Folder, start: source.Start}}
}

// FilesChanged notes that files of the folder were added or removed.
func (c *Completer) FilesChanged() { c.index.changed() }

// Complete returns completions for a prompt of the notebook at path. kind is at (all that may
// follow an @), file, tool, notebook, macro, command or range; query is the text typed so far. An
// unknown kind is Invalid.
func (c *Completer) Complete(path, kind, query string) ([]Item, error) {
	out := []Item{}
	switch kind {
	case "at":
		out = append(out, c.files(path, query)...)
		out = append(out, c.agents(path, query)...)
		out = append(out, c.resources(query, maxResources)...)
		return append(out, c.tools(query)...), nil
	case "file":
		return append(out, c.files(path, query)...), nil
	case "tool":
		return append(out, c.tools(query)...), nil
	case "notebook":
		return append(out, c.agents(path, query)...), nil
	case "range":
		if lines := c.lines(path, query); len(lines) > 0 {
			return append(out, lines...), nil
		}
		return append(out, c.resources(query+":", maxItems)...), nil // the part before the colon is a server
	case "command":
		return append(out, c.commands(query)...), nil
	case "macro":
		return c.macros(path, query)
	}
	return nil, fault.New(fault.Invalid, "there is no completion of kind %q", kind)
}

// reference refers to a file or a folder of the workspace.
func reference(roots *files.Roots, p string) string {
	return media.Reference(roots.Workspace(), filepath.Join(roots.Workspace(), filepath.FromSlash(p)))
}

// documentLink links a PDF document, which is not text that a reference could include.
func documentLink(roots *files.Roots, p string) string {
	label := strings.NewReplacer("[", "(", "]", ")").Replace(path.Base(p))
	switch {
	case strings.ContainsAny(p, "<>%"):
		return reference(roots, p)
	case strings.ContainsAny(p, " ()\"'"):
		return "![" + label + "](<" + p + ">)"
	}
	return "![" + label + "](" + p + ")"
}

// files returns the files and folders that match a query. Files of tools and of the program itself
// are offered only when the query names them. Files that the notebook's agent may not touch are
// never offered.
func (c *Completer) files(notebook, query string) []Item {
	roots, err := c.source.Roots(notebook)
	if err != nil {
		return nil
	}
	var out []Item
	for _, m := range append(c.index.get().Search(query, maxItems), c.index.namesIn(query)...) {
		if slices.ContainsFunc(out, func(i Item) bool { return i.Label == m.Text }) || !roots.Allowed(m.Text) {
			continue
		}
		item := Item{Kind: "file", Label: m.Text, Insert: reference(roots, m.Text), Match: utf16Positions(m.Text, m.At)}
		if strings.HasSuffix(m.Text, "/") {
			item.Kind = "folder"
		} else if strings.EqualFold(path.Ext(m.Text), ".pdf") {
			item.Insert = documentLink(roots, m.Text)
		}
		item.Detail = path.Dir(strings.TrimSuffix(m.Text, "/"))
		if item.Detail == "." {
			item.Detail = ""
		}
		out = append(out, item)
	}
	return out
}

func (c *Completer) tools(query string) []Item {
	byName := map[string]tool.Tool{}
	var names []string
	for _, t := range c.source.Tools() {
		byName[t.Name()] = t
		names = append(names, t.Name())
	}
	var out []Item
	for _, m := range finder.New(names).Search(query, maxItems) {
		t := byName[m.Text]
		about, _, _ := strings.Cut(strings.ReplaceAll(t.Description(), "`", ""), "\n")
		out = append(out, Item{
			Kind: "tool", Label: m.Text, Detail: about, Insert: "@[" + m.Text + argumentFields(t.Schema()) + "]", Match: utf16Positions(m.Text, m.At),
		})
	}
	return out
}

// argumentFields returns a tool's required arguments, as JSON with fields to fill in (a snippet).
func argumentFields(schema json.RawMessage) string {
	var s struct {
		Required   []string
		Properties map[string]struct{ Type any }
	}
	if json.Unmarshal(schema, &s) != nil {
		return "{}"
	}
	var b strings.Builder
	for i, name := range s.Required {
		field := fmt.Sprintf("${%d:%s}", i+1, name)
		if s.Properties[name].Type == "string" {
			field = `"` + field + `"`
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:%s", name, field)
	}
	return "{" + b.String() + "}"
}

// agents returns the agents that match a query, except the one at path.
func (c *Completer) agents(path, query string) []Item {
	roots, err := c.source.Folder()
	if err != nil {
		return nil
	}
	byLabel := map[string][]string{} // agents may have the same name
	var labels []string
	for _, n := range c.source.Agents() {
		if n.File == path {
			continue
		}
		if byLabel[n.Name] == nil {
			labels = append(labels, n.Name)
		}
		byLabel[n.Name] = append(byLabel[n.Name], n.File)
	}
	var out []Item
	for _, m := range finder.New(labels).Search(query, maxAgents) {
		for _, file := range byLabel[m.Text] {
			out = append(out, Item{
				Kind: "notebook", Label: m.Text, Detail: file, Insert: reference(roots, file), Match: utf16Positions(m.Text, m.At),
			})
		}
	}
	return out[:min(len(out), maxAgents)]
}

// macros returns the notebook's macros.
func (c *Completer) macros(path, query string) ([]Item, error) {
	values, err := c.source.Macros(path)
	out := []Item{}
	for _, m := range finder.New(slices.Sorted(maps.Keys(values))).Search(query, maxItems) {
		out = append(out, Item{
			Kind: "macro", Label: m.Text, Detail: values[m.Text], Insert: "{{" + m.Text + "}}", Match: utf16Positions(m.Text, m.At),
		})
	}
	return out, err
}

// commands returns the commands that match a query.
func (c *Completer) commands(query string) (out []Item) {
	byName := map[string]slashcommand.Command{}
	var names []string
	for _, command := range c.source.Commands() {
		byName[command.Name] = command
		names = append(names, command.Name)
	}
	prompts, arguments := c.serverPrompts()
	for _, command := range prompts {
		if _, has := byName[command.Name]; has { // a folder's command of that name comes first
			delete(arguments, command.Name)
			continue
		}
		byName[command.Name] = command
		names = append(names, command.Name)
	}
	for _, m := range finder.New(names).Search(query, maxItems) {
		command := byName[m.Text]
		out = append(out, Item{
			Kind: "command", Label: m.Text, Detail: cmp.Or(command.Description, command.Path), Hint: command.Hint,
			Insert: "/" + m.Text + " ", Match: utf16Positions(m.Text, m.At), Arguments: arguments[m.Text],
		})
	}
	return out
}

// lines proposes the lines of a file: query is its path.
func (c *Completer) lines(path, query string) []Item {
	text, err := c.source.Text(path, query)
	if err != nil {
		return nil
	}
	lines := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		lines++
	}
	return []Item{{
		Kind: "range", Label: fmt.Sprintf("%s:1:%d", query, lines), Detail: fmt.Sprintf("%d lines", lines),
		Insert: fmt.Sprintf("@[%s:${1:1}:${2:%d}]", query, lines), Match: []int{},
	}}
}

// utf16Positions converts byte offsets to UTF-16 offsets, which a web page uses.
func utf16Positions(s string, at []int) []int {
	out := make([]int, 0, len(at))
	units, k := 0, 0
	for i, r := range s {
		for k < len(at) && at[k] < i {
			k++ // still inside the same letter
		}
		if k < len(at) && at[k] == i {
			out = append(out, units)
			k++
		}
		units += utf16.RuneLen(r)
	}
	return out
}
