package complete

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"mutsumi/backend/clip"
	"mutsumi/backend/finder"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/ref"
	"mutsumi/backend/slashcommand"
)

// listWait is how long a completion waits for the lists of servers.
const listWait = time.Second

// maxResources is how many resources are proposed among files and tools.
const maxResources = 20

// offers returns what the running servers offer besides their tools.
func (c *Completer) offers() []mcp.Offers {
	if c.source.Offers == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), listWait)
	defer cancel()
	return c.source.Offers(ctx)
}

// resources returns the resources and templates of servers that match a query, followed by the
// servers that have to be started first. It starts none.
func (c *Completer) resources(query string, limit int) (out []Item) {
	var words []string
	var items []Item
	add := func(server, uri, insert, name, about string) {
		label := server + ":" + uri
		name = clip.VisibleLine(name, 100)
		words = append(words, label+" "+name)
		detail := name
		if about = clip.VisibleLine(about, 200); about != "" {
			detail = strings.TrimPrefix(name+": "+about, ": ")
		}
		items = append(items, Item{Kind: "resource", Label: label, Detail: detail, Insert: insert})
	}
	for _, o := range c.offers() {
		for _, r := range o.Resources {
			if inner := ref.ResourceOf(o.Server, r.URI); inner != "" {
				add(o.Server, r.URI, "@["+inner+"]", cmp.Or(r.Title, r.Name), r.Description)
			}
		}
		for _, t := range o.Templates {
			if insert := templateFields(o.Server, t); insert != "" {
				add(o.Server, t.URI, insert, cmp.Or(t.Title, t.Name), t.Description)
			}
		}
	}
	byWords := map[string]int{}
	for i, w := range words {
		byWords[w] = i
	}
	for _, m := range finder.New(words).Search(query, limit) {
		item := items[byWords[m.Text]]
		item.Match = within(utf16Positions(m.Text, m.At), len(utf16.Encode([]rune(item.Label))))
		out = append(out, item)
	}
	if c.source.Resting == nil {
		return out
	}
	resting := c.source.Resting()
	for i, name := range resting {
		resting[i] = name + ":"
	}
	for _, m := range finder.New(resting).Search(query, maxAgents) {
		if name := strings.TrimSuffix(m.Text, ":"); ref.ResourceOf(name, "a:b") != "" {
			out = append(out, Item{Kind: "server", Label: name, Insert: "@[" + m.Text, Match: within(utf16Positions(m.Text, m.At), len(utf16.Encode([]rune(name))))})
		}
	}
	return out
}

var place = lazyregexp.New(`\{[+#./;?&]?([A-Za-z0-9_.,*:%-]+)\}`)

// templateFields returns a reference with the places of a template as fields to fill in; "": it
// cannot be written as one.
func templateFields(server string, t client.Template) string {
	plain := place.ReplaceAllString(t.URI, "x")
	if strings.ContainsAny(plain, "{}$\\") || ref.ResourceOf(server, plain) == "" {
		return ""
	}
	n := 0
	return "@[" + server + ":" + place.ReplaceAllStringFunc(t.URI, func(field string) string {
		n++
		return "${" + strconv.Itoa(n) + ":" + place.FindStringSubmatch(field)[1] + "}"
	}) + "]"
}

// within returns the positions before end.
func within(at []int, end int) []int {
	for i, n := range at {
		if n >= end {
			return at[:i]
		}
	}
	return at
}

// valuesWait is how long to wait for the values that a server proposes.
const valuesWait = 3 * time.Second

// PromptValues returns the values that the MCP server of a command proposes for an argument of its
// prompt. It starts no server. It leaves out values that would name a file, a tool or a macro in a
// prompt: only a person may do that.
func (c *Completer) PromptValues(ctx context.Context, command, argument, typed string, others map[string]string) ([]string, error) {
	server, name, ok := strings.Cut(command, ":")
	if !ok || c.source.Values == nil {
		return []string{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, valuesWait)
	defer cancel()
	values, err := c.source.Values(ctx, server, name, argument, typed, others)
	return append([]string{}, slices.DeleteFunc(values, func(v string) bool {
		return slices.ContainsFunc([]string{"@[", "@{", "{{", "]("}, func(s string) bool { return strings.Contains(v, s) })
	})...), err
}

// serverPrompts returns the prompts of running servers as commands, and their arguments by the
// command's name. It leaves out names that cannot be typed.
func (c *Completer) serverPrompts() (all []slashcommand.Command, arguments map[string][]Argument) {
	arguments = map[string][]Argument{}
	for _, o := range c.offers() {
		for _, p := range o.Prompts {
			name := o.Server + ":" + p.Name
			if typed, _, ok := slashcommand.Split("/" + name); !ok || typed != name {
				continue
			}
			var hints []string
			for _, a := range p.Arguments {
				if hint := a.Name; a.Required {
					hints = append(hints, "<"+hint+">")
				} else {
					hints = append(hints, "["+hint+"]")
				}
				arguments[name] = append(arguments[name], Argument{Name: a.Name, Description: clip.VisibleLine(a.Description, 200), Required: a.Required})
			}
			all = append(all, slashcommand.Command{
				Name: name, Path: o.Server, Description: clip.VisibleLine(cmp.Or(p.Description, p.Title), 200), Hint: clip.VisibleLine(strings.Join(hints, " "), 200),
			})
		}
	}
	return all, arguments
}
