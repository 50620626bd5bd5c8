package complete

import (
	"context"
	"errors"
	"slices"
	"testing"

	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/slashcommand"
)

// Resources of servers are offered after an @, by address and by name, unless no reference can name
// them.
func TestResourcesOfServers(t *testing.T) {
	c := completer(t, "note.txt")
	c.source.Commands = func() []slashcommand.Command { return []slashcommand.Command{{Name: "demo:mine", Path: "mine.md"}} }
	c.source.Text = func(string, string) (string, error) { return "", errors.New("no such file") }
	c.source.Offers = func(context.Context) []mcp.Offers {
		return []mcp.Offers{{Server: "demo", Resources: []client.Resource{
			{URI: "memo://1", Name: "Monday's \u202enotes", Description: "What was\nsaid."}, {URI: "memo://a]b"}, {URI: "memo://{{X}}"}, {URI: "no address"},
		}, Prompts: []client.Prompt{
			{Name: "greet", Description: "Greets.\u202e", Arguments: []client.Argument{{Name: "who", Required: true}, {Name: "how"}}}, {Name: "mine"}, {Name: "no name"},
		}, Templates: []client.Template{{URI: "memo://day/{day}/{+rest}", Name: "day"}, {URI: "memo://bad/{"}}}, {Server: "c", Resources: []client.Resource{{URI: "memo://2"}}}}
	}
	c.source.Resting = func() []string { return []string{"away", "odd[name"} }
	for query, want := range map[string][]string{
		"demo":   {"@[demo:memo://1]", "@[demo:memo://day/${1:day}/${2:rest}]"},
		"monday": {"@[demo:memo://1]"},
		"awa":    {"@[away:"},
		"memo":   {"@[demo:memo://1]", "@[demo:memo://day/${1:day}/${2:rest}]"},
	} {
		got := inserts(t, c, "", "at", query)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", query, got)
		}
	}
	if got := inserts(t, c, "", "range", "demo"); len(got) != 2 {
		t.Errorf("after the colon: %q", got)
	}
	if got := inserts(t, c, "", "command", "demo"); len(got) != 2 {
		t.Errorf("commands: %q", got)
	}
	items, _ := c.Complete("", "command", "greet")
	if len(items) != 1 || items[0].Insert != "/demo:greet " || items[0].Hint != "<who> [how]" || items[0].Detail != "Greets.<U+202E>" {
		t.Errorf("%+v", items)
	}
	items, _ = c.Complete("", "at", "monday")
	if items[0].Kind != "resource" || items[0].Label != "demo:memo://1" || items[0].Detail != "Monday's <U+202E>notes: What was said." || len(items[0].Match) != 0 {
		t.Errorf("%+v", items[0])
	}
}
