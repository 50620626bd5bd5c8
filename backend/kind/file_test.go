package kind

import (
	"slices"
	"strings"
	"testing"
)

// FuzzParse checks for any file: a kind without a problem has a valid name, only existing tools and
// lists that are not nil; one with a problem names its file and gets nothing.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "---\n---\n", "---\nname: a\ntools: [read]\n---\nrole", "---\ntools: *x\n---\n", "---\nx: &x [*x]\ntools: *x\n---\n", "---\nname: !!binary aGk=\n---\n",
		"---\n? [a]: b\n---", "---\nname: &n a\nmodel: *n\nchildren: [*n]\n---\n", "---\ntools: \"read,,shell\"\nrules: a,b\n---\n", "---\n<<: {name: x}\n---\n", "\uFEFF---\r\nname: chat\r\n---\r\n",
		"---\nname: a\u202Eb\ndescription: |\n  x\n\n  y\n---\n", "---\n'name': chat\n\"name\": b\n---\n",
	} {
		f.Add("x.md", s)
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		k := parse(file, text)
		if k.Tools == nil || k.Rules == nil || k.Children == nil || len(k.Tools)+len(k.Children)+len(k.Rules) > 3*maxList {
			t.Fatalf("%+v", k)
		}
		if strings.ContainsAny(k.Name+k.Description+k.Model, "\n\r") {
			t.Fatalf("%+v", k)
		}
		if k.Problem != "" {
			if !strings.HasPrefix(k.Problem, strings.Join(strings.Fields(file), " ")+", line ") || k.Offers("read_file") || k.Offers("ask_user") {
				t.Fatalf("%+v", k)
			}
			return
		}
		if !isName.MatchString(k.Name) || slices.ContainsFunc(k.Tools, func(s string) bool { return !isTool(s) }) || slices.ContainsFunc(k.Children, func(s string) bool { return !isName.MatchString(s) }) {
			t.Fatalf("%+v", k)
		}
	})
}

// A file may contain anything within its size, and is read whenever an agent runs.
func BenchmarkParseHostile(b *testing.B) {
	for name, inside := range map[string]string{
		"flow": "tools: " + strings.Repeat("[", 60<<10), "nested": strings.Repeat("- ", 30<<10), "keys": strings.Repeat("k: v\n", 12<<10),
		"anchors": strings.Repeat("a: &a b\n", 8<<10), "list": "tools: [" + strings.Repeat("a,", 30<<10) + "a]", "commas": "tools: " + strings.Repeat("a,", 30<<10),
	} {
		text := "---\n" + inside + "\n---\nbody"
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parse("x.md", text)
			}
		})
	}
}

func TestToolsOfServers(t *testing.T) {
	for text, want := range map[string]string{
		"[read, mcp]": "a__b a__c d__e", "[a__b]": "a__b", "['a__*']": "a__b a__c", "[read]": "",
	} {
		k := parse("x.md", "---\nname: x\ntools: "+text+"\n---\n")
		var got []string
		for _, name := range []string{"a__b", "a__c", "d__e", "shell"} {
			if k.Offers(name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want || k.Problem != "" || k.OffersServers() != (want != "") || k.Changes != (want != "") {
			t.Errorf("%s: %q, %+v", text, got, k)
		}
	}
	for _, bad := range []string{"['*']", "['read*']", "['a__b c']", "['__*x']"} {
		if k := parse("x.md", "---\nname: x\ntools: "+bad+"\n---\n"); k.Problem == "" || k.Offers("shell") || k.Offers("read_file") {
			t.Errorf("%s: %+v", bad, k)
		}
	}
}
