package macro_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"mutsumi/backend/macro"
)

// Each case names the line of the specification that it shows.
func TestProcess(t *testing.T) {
	prompt := macro.Options{Prompt: true}
	cases := []struct {
		name, text string
		opt        macro.Options
		macros     string // NAME=value, separated by spaces
		want       string
		warnings   []string // as Warning.String writes them
		after      string
	}{
		{name: "2.1 define and if", text: `@{define A, "1"}@{if A IS "1"}y@{else}n@{endif}`, want: "y", after: "A=1"},
		{name: "2.1 another macro on the right", text: `@{if A ISNT B}y@{else}n@{endif}`, macros: "A=1 B=1", want: "n", after: "A=1 B=1"},
		{name: "2.1 every operator", macros: "A=abc", after: "A=abc",
			text: `@{if A IS "abc"}1@{endif}@{if A ISNT "x"}2@{endif}@{if A CONTAINS "b"}3@{endif}@{if A DOESNT_CONTAIN "x"}4@{endif}@{if A MATCHES "^a.c$"}5@{endif}@{if A DOESNT_MATCH "^b"}6@{endif}`,
			want: "123456"},
		{name: "2.1 nesting", text: strings.Repeat("@{ifndef X}", 5000) + "deep" + strings.Repeat("@{endif}", 5000), want: "deep"},
		{name: "2.2 a } inside a value ends nothing", text: `@{define A, "a}b"}@{if A IS "a}b"}y@{endif}`, want: "y", after: "A=a}b"},
		{name: "2.2 escapes in a value", text: `@{define A, "say \"}\" \\ \d \\"}@{if A IS "say \"}\" \\ \d \\"}y@{endif}`, want: "y", after: `A=say_"}"_\_\d_\`},
		{name: "2.2 an expression means what it shows", macros: "A=1.2", after: "A=1.2", text: `@{if A MATCHES "^1\."}1@{endif}@{if A MATCHES "^1\\."}2@{endif}@{if A MATCHES "^\d\.\d$"}3@{endif}`, want: "123"},
		{name: "2.2 a quote that is escaped in what is no command", text: `@{nope "\"}"} @{ifdef A}x@{endif}`, want: `@{nope "\"}"} `, warnings: []string{`line 1: Invalid command syntax: @{nope "\"}"}`}},
		{name: "2.2 a value that ends with one backslash does not end", text: "@{define A, \"C:\\\"}\nx", want: "@{define A, \"C:\\\"}\nx", warnings: []string{`line 1: Invalid command syntax: @{define A, "C:\"}`}},
		{name: "2.2 CRLF goes with a define", text: "@{define A, \"1\"}\r\n\r\nx\r@{define A, \"2\"}\ry", want: "\r\nx\r\ry", after: "A=2"},
		{name: "2.2 an unknown command stays", text: "a @{nope \"}\"} b", want: "a @{nope \"}\"} b", warnings: []string{`line 1: Invalid command syntax: @{nope "}"}`}},
		{name: "2.2 a slip does not swallow the lines below", text: "@{define A, \"x}\n@{ifdef B}\nno\n@{endif}\n\"quoted\" }",
			want: "@{define A, \"x}\n\n\"quoted\" }", warnings: []string{`line 1: Invalid command syntax: @{define A, "x}`}},
		{name: "2.2 an undefined macro counts as empty", text: "1\n@{if A IS \"\"}y@{endif}", want: "1\ny", warnings: []string{`line 2: Undefined macro A counts as "".`}},
		{name: "2.2 a bad expression", macros: "A=x", after: "A=x", text: `@{if A MATCHES "("}y@{else}n@{endif}@{if A DOESNT_MATCH "(?=x)"}y@{else}n@{endif}`, want: "ny",
			warnings: []string{"line 1: Invalid regular expression \"(\": error parsing regexp: missing closing ): `(`", "line 1: Invalid regular expression \"(?=x)\": error parsing regexp: invalid or unsupported Perl syntax: `(?=`"}},
		{name: "2.2 an expression that is too large", macros: "A=x", after: "A=x", text: `@{if A MATCHES "` + strings.Repeat("a", 1001) + `"}y@{else}n@{endif}`, want: "n",
			warnings: []string{`line 1: Invalid regular expression "` + strings.Repeat("a", 1001) + `": it is too large`}},
		{name: "2.2 one line break goes with a define", text: "@{define A, \"1\"}\n\nx", want: "\nx", after: "A=1"},
		{name: "2.2 else, endif, a second else, never closed", text: "@{else}\n@{endif}\n@{ifdef A}\n@{else}\n@{else}\nx", want: "\n\n\n\nx",
			warnings: []string{"line 1: Unmatched else encountered.", "line 2: Unmatched endif encountered.", "line 5: Duplicate else encountered in the same conditional block.", "line 3: Unclosed conditional block."}},
		{name: "2.2 warnings carry the file", opt: macro.Options{File: "a.md"}, text: "@{x}", want: "@{x}", warnings: []string{"a.md:1: Invalid command syntax: @{x}"}},
		{name: "2.3 a #define line", opt: prompt, text: "#define A  v 2 \nx\n#define B\ny", want: "x\ny", after: "A=v_2 B="},
		{name: "2.3 a #define as the last line", opt: prompt, text: "x\n#define A 1", want: "x\n", after: "A=1"},
		{name: "2.3 with CRLF", opt: prompt, text: "#define A 1\r\nx\r\n", want: "x\r\n", after: "A=1"},
		{name: "2.3 not in a file", text: "#define A 1\n", want: "#define A 1\n"},
		{name: "2.3 only at the start of a line", opt: prompt, text: " #define A 1\nx #define A 1\n", want: " #define A 1\nx #define A 1\n"},
		{name: "2.3 not in a code fence", opt: prompt, text: "```c\n#define A 1\n````x\n#define A 2\n```\n#define B 1\n", want: "```c\n#define A 1\n````x\n#define A 2\n```\n", after: "B=1"},
		{name: "2.3 nor between tildes, nor in a fence that is never closed", opt: prompt, text: "~~~\n#define A 1\n~~~\n```\n#define B 1", want: "~~~\n#define A 1\n~~~\n```\n#define B 1"},
		{name: "2.3 C with arguments is no macro", opt: prompt, text: "#define F(x) x\n#define 1X 2\n#defineX 1\n", want: "#define F(x) x\n#define 1X 2\n#defineX 1\n"},
		{name: "2.6 only in active branches", opt: prompt, text: "@{ifdef N}\n#define A 1\n@{define B, \"1\"}\n@{else}\n#define C 1\n@{endif}", want: "\n", after: "C=1"},
		{name: "2.3 the directive above does not hide the line", opt: prompt, text: "@{define A, \"1\"}\n#define B 2\nx", want: "x", after: "A=1 B=2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			table := macro.New(nil)
			for _, m := range strings.Fields(c.macros) {
				name, value, _ := strings.Cut(m, "=")
				table.Define(name, value)
			}
			got := macro.Process(c.text, table, c.opt)
			if got.Text != c.want {
				t.Errorf("text %q\nwant %q", got.Text, c.want)
			}
			var warnings []string
			for _, w := range got.Warnings {
				warnings = append(warnings, w.String())
			}
			if !slices.Equal(warnings, c.warnings) {
				t.Errorf("warnings %q\nwant     %q", warnings, c.warnings)
			}
			var after []string
			for _, n := range slices.Sorted(maps.Keys(table.Map())) {
				v, _ := table.Lookup(n)
				after = append(after, n+"="+strings.ReplaceAll(v, " ", "_"))
			}
			if got := strings.Join(after, " "); got != c.after {
				t.Errorf("macros %q, want %q", got, c.after)
			}
		})
	}
}

// SPEC 2.4: undefined names stay, values are not expanded again.
func TestExpand(t *testing.T) {
	table := macro.New(map[string]string{"A": "{{B}}", "B": "b", "E": "", "版": "x"})
	for text, want := range map[string]string{
		"{{A}}{{B}}": "{{B}}b", "{{C}} {{ A }} {{}} {{A": "{{C}} {{ A }} {{}} {{A", "{{{B}}}": "{b}", "{{E}}": "", "{{版}}": "{{版}}",
		"{{{{B}}": "{{b", "{{B}}{{": "b{{", "{B}": "{B}",
	} {
		if got := macro.Expand(text, table); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// FuzzProcess checks for any text: no panic, text without directives is returned unchanged, and the
// output has no more bytes than the input.
func FuzzProcess(f *testing.F) {
	for _, s := range []string{"@{ifdef A}x@{else}y@{endif}", `@{define A, "}"}`, "#define A 1\n", `@{if A MATCHES "("}`, "@{", "```\n#define", "@{\"", "@{x \"}\"\n}"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, prompt bool) {
		table := macro.New(map[string]string{"A": "1"})
		got := macro.Process(text, table, macro.Options{Prompt: prompt})
		if len(got.Text) > len(text) {
			t.Fatalf("%q grew to %q", text, got.Text)
		}
		if !strings.Contains(text, "@{") && !(prompt && strings.Contains(text, "#define")) && got.Text != text {
			t.Fatalf("%q became %q", text, got.Text)
		}
		for _, w := range got.Warnings {
			if w.Line < 1 || w.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("%q: warning in line %d", text, w.Line)
			}
		}
		for _, name := range got.Defined {
			if !macro.IsName(name) {
				t.Fatalf("%q defined %q", text, name)
			}
		}
		macro.Expand(text, table)
	})
}

func BenchmarkProcess(b *testing.B) {
	for name, unit := range map[string]string{
		"open": "@{", "openQuote": `@{"`, "openDefine": `@{define A, "`, "quotedEnds": `@{"}"`, "braces": "{{", "values": "{{A}}", "ifs": "@{ifdef A}", "lines": "a\n#define A 1\n", "text": "plain text, ",
	} {
		text := strings.Repeat(unit, 100<<10/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				table := macro.New(map[string]string{"A": "1"})
				macro.Expand(macro.Process(text, table, macro.Options{Prompt: true}).Text, table)
			}
		})
	}
}
