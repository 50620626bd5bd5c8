package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

const (
	grepDefault = 200
	grepMost    = 5000
)

type grepIn struct {
	Keyword    string `json:"keyword" jsonschema:"what to look for: a regular expression (RE2), matched line by line"`
	URI        string `json:"uri,omitempty" jsonschema:"file or folder to search; default: the workspace"`
	Include    string `json:"include,omitempty" jsonschema:"only files that match this pattern: *.go or src/**/*.ts"`
	Literal    bool   `json:"literal,omitempty" jsonschema:"keyword is plain text"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Context    int    `json:"context,omitempty" jsonschema:"lines to show before and after each match, up to 20"`
	FilesOnly  bool   `json:"files_only,omitempty" jsonschema:"only the names of the files and how many lines match"`
	Limit      int    `json:"limit,omitempty" jsonschema:"most matching lines (or files, with files_only) to show; default 200"`
}

func (in grepIn) Action() string { return "searching " + clip.Text(in.Keyword, 50) }

func (in grepIn) Check() error {
	switch {
	case in.Keyword == "":
		return errors.New("keyword is empty: say what to look for")
	case in.Context < 0 || in.Context > 20:
		return fmt.Errorf("context must be from 0 to 20, not %d", in.Context)
	case in.Limit < 0 || in.Limit > grepMost:
		return fmt.Errorf("limit must be from 1 to %d, not %d", grepMost, in.Limit)
	case in.Include != "" && !doublestar.ValidatePattern(in.Include):
		return fmt.Errorf("include %q is not a pattern: a bracket or brace is not closed", in.Include)
	}
	return nil
}

func grep(o Options) tool.Tool {
	return tool.New(tool.Spec{
		Name: "grep", Description: describe("grep"), Reads: true,
		Arguments: withPaths(map[string]string{"pattern": "keyword", "query": "keyword", "regex": "keyword", "text": "keyword",
			"glob": "include", "case_insensitive": "ignore_case", "max_results": "limit"}),
	}, func(ctx context.Context, env tool.Env, in grepIn) tool.Result {
		dir := cmp.Or(in.URI, ".")
		r := o.at(env, dir)
		info, err := r.Stat(dir)
		if err != nil {
			return failed(r, dir, err)
		}
		f, note := in.finder()
		s := &search{roots: r, dir: dir, finder: f, context: in.Context, names: in.FilesOnly, limit: cmp.Or(in.Limit, grepDefault), leaves: leavesOut(r, dir, in.Include)}
		if in.Include != "" {
			s.include = matcher(strings.TrimPrefix(in.Include, "./"))
		}
		if !info.IsDir() {
			err = s.one(ctx)
		} else {
			err = s.run(ctx)
		}
		if err != nil {
			return failed(r, dir, err)
		}
		res := tool.Text(in.show(s))
		matches := s.matches
		res.Facts = &chat.CallFacts{Matches: &matches, More: s.more}
		if note != "" {
			res.Content = note + "\n\n" + res.Content
		}
		return res
	})
}

// finder compiles the keyword. An invalid regular expression is nearly always plain text with a
// bracket in it: it is searched as such, with a note.
func (in grepIn) finder() (*finder, string) {
	if !in.Literal {
		f, err := newFinder(in.Keyword, in.IgnoreCase)
		if err == nil {
			return f, ""
		}
		f, _ = newFinder(regexp.QuoteMeta(in.Keyword), in.IgnoreCase)
		return f, fmt.Sprintf("[%q is not a regular expression (%v): it was searched as plain text.]", in.Keyword, err)
	}
	f, _ := newFinder(regexp.QuoteMeta(in.Keyword), in.IgnoreCase)
	return f, ""
}

func (in grepIn) show(s *search) string {
	var b strings.Builder
	for i, file := range s.found {
		if in.FilesOnly {
			fmt.Fprintf(&b, "%s (%d)\n", file.path, file.matches)
			continue
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n%s", file.path, file.text)
	}
	switch {
	case s.matches == 0:
		notebooks := ""
		if s.left > 0 {
			notebooks = ", agents' notebooks"
		}
		fmt.Fprintf(&b, "No line matches in %s (%s searched; what .gitignore excludes%s and binary files are left out).", place(s.roots, s.dir), numberOf(s.searched, "file"), notebooks)
	case s.more:
		fmt.Fprintf(&b, "\n[The first %s in %s; there are more. Narrow the keyword, the folder or include.]", numberOf(s.matches, "matching line"), numberOf(len(s.found), "file"))
	default:
		fmt.Fprintf(&b, "\n[%s in %s.]", numberOf(s.matches, "matching line"), numberOf(len(s.found), "file"))
	}
	if s.skipped > 0 {
		were := "were"
		if s.skipped == 1 {
			were = "was"
		}
		fmt.Fprintf(&b, "\n[%s larger than %s %s not searched.]", numberOf(s.skipped, "file"), files.Size(searchLimit), were)
	}
	return b.String()
}

// numberOf writes a number with its noun: "1 file", "2 files".
func numberOf(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
