package kind

import (
	"strings"
	"testing"

	"mutsumi/backend/mcp/toolname"
)

// A kind names servers and their tools, and what of them is left out; a wrong entry is named
// with its line.
func TestServersOfAKind(t *testing.T) {
	type tool struct{ server, tool string }
	for list, want := range map[string]struct{ offered, not []tool }{
		"[mcp]":                            {[]tool{{"tracker", "search"}, {"git hub", "x y"}, {"tracker", ""}}, nil},
		"[mcp:tracker, read]":              {[]tool{{"tracker", "search"}, {"tracker", ""}}, []tool{{"track", "search"}, {"git", ""}}},
		"['mcp:git hub/x y']":              {[]tool{{"git hub", "x y"}, {"git hub", ""}}, []tool{{"git hub", "x"}, {"tracker", ""}}},
		"[mcp, -mcp:tracker]":              {[]tool{{"git", "x"}}, []tool{{"tracker", "search"}, {"tracker", ""}}},
		"[mcp, -mcp:tracker/delete]":       {[]tool{{"tracker", "search"}, {"tracker", ""}}, []tool{{"tracker", "delete"}}},
		"[mcp:tracker, -mcp:tracker/drop]": {[]tool{{"tracker", "search"}}, []tool{{"tracker", "drop"}, {"git", "x"}}},
		"[tracker__search]":                {[]tool{{"tracker", "search"}, {"tracker", ""}}, []tool{{"tracker", "drop"}, {"git", ""}}},
		"[tracker__*]":                     {[]tool{{"tracker", "drop"}, {"tracker", ""}}, []tool{{"git", "x"}, {"git", ""}}},
		"[-mcp:tracker, read]":             {nil, []tool{{"tracker", "search"}, {"git", "x"}, {"git", ""}}},
	} {
		k := parse("a.md", "---\ntools: "+list+"\n---\n")
		if k.Problem != "" {
			t.Errorf("%s: %s", list, k.Problem)
		}
		for _, x := range want.offered {
			if !k.OffersOf(x.server, x.tool) {
				t.Errorf("%s does not offer %+v", list, x)
			}
		}
		for _, x := range want.not {
			if k.OffersOf(x.server, x.tool) {
				t.Errorf("%s offers %+v", list, x)
			}
		}
		if finds := k.Offers(toolname.Search) && k.Offers(toolname.Call); finds != (want.offered != nil) || k.OffersServers() != finds || k.Changes != finds {
			t.Errorf("%s: it finds tools: %v", list, finds)
		}
	}
	for entry, line := range map[string]string{"mcp:": "4", "mcp:tracker/": "4", "-mcp:": "4", "-read": "4", "mcp/tracker": "4", "-": "4"} {
		k := parse("a.md", "---\ntools:\n  - read\n  - \""+entry+"\"\n---\n")
		if !strings.HasPrefix(k.Problem, "a.md, line "+line+": there is no tool") || k.OffersServers() {
			t.Errorf("%s: %q", entry, k.Problem)
		}
	}
}
