package rules

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guideLimit is how much of an AGENTS.md is used, in bytes (SPEC 13.4).
const guideLimit = 32 << 10

// guideNames are the files with which a folder instructs agents of any program. The
// first that is there counts.
var guideNames = []string{"AGENTS.md", "CLAUDE.md"}

// GuidePath is the absolute path of the AGENTS.md of a workspace, or of its CLAUDE.md
// where it has none; "" where it has neither. Links that lead out of it do not count.
func GuidePath(workspace string) string {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return ""
	}
	defer root.Close()
	for _, name := range guideNames {
		if info, err := root.Stat(name); err == nil && info.Mode().IsRegular() {
			return filepath.Join(workspace, name)
		}
	}
	return ""
}

// Guide returns the AGENTS.md of a workspace as a rule, false where it has none. A long
// one is cut at the end of a line. others are the rules beside it: its name is like none
// of theirs.
func Guide(workspace string, others []Rule) (Rule, bool) {
	path := GuidePath(workspace)
	if path == "" {
		return Rule{}, false
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return Rule{}, false
	}
	defer root.Close()
	name := filepath.Base(path)
	f, err := root.Open(name)
	if err != nil {
		return Rule{}, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, guideLimit+1))
	if err != nil {
		return Rule{}, false
	}
	r := Rule{Name: name, Path: path, Text: string(text), Note: "the folder has it for agents of any program"}
	if len(text) > guideLimit {
		cut := string(text[:guideLimit])
		r.Text, r.Cut = strings.ToValidUTF8(cut[:max(1, strings.LastIndexByte(cut, '\n')+1)], ""), true
	}
	if slices.ContainsFunc(others, func(o Rule) bool { return o.Name == r.Name }) {
		r.Name = "./" + name
	}
	return r, true
}
