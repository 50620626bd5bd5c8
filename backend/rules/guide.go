package rules

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GuideLimit is how many bytes of all AGENTS.md files are used (SPEC 13.4).
const GuideLimit = 32 << 10

// guideNames are files in which a folder instructs agents of any program. The first one that exists
// counts.
var guideNames = []string{"AGENTS.md", "CLAUDE.md"}

// GuidePath returns the absolute path of the AGENTS.md of a workspace, or else of its CLAUDE.md; ""
// if it has neither. Links that lead out of the workspace do not count.
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

// Guide returns the AGENTS.md of a workspace as a rule, false if it has none. A long one is cut at
// the end of a line. others are the other rules: its name differs from all of theirs.
func Guide(workspace string, others []Rule) (Rule, bool) {
	path := GuidePath(workspace)
	if path == "" {
		return Rule{}, false
	}
	r, ok := ReadGuide(workspace, filepath.Base(path), GuideLimit, others)
	r.Note = "the folder has it for agents of any program"
	return r, ok
}

// ReadGuide returns the AGENTS.md at a path, relative to the workspace, as a rule; false if there
// is none. If it has more than room bytes, it is cut at the end of a line. others are the other
// rules: its name differs from all of theirs.
func ReadGuide(workspace, name string, room int, others []Rule) (Rule, bool) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return Rule{}, false
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return Rule{}, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(room)+1))
	if err != nil {
		return Rule{}, false
	}
	r := Rule{Name: name, Path: filepath.Join(workspace, filepath.FromSlash(name)), Text: string(text)}
	if len(text) > room {
		cut := string(text[:room])
		if end := strings.LastIndexByte(cut, '\n') + 1; end > 0 {
			cut = cut[:end]
		}
		r.Text, r.Cut = strings.ToValidUTF8(cut, ""), true
	}
	if slices.ContainsFunc(others, func(o Rule) bool { return o.Name == r.Name }) {
		r.Name = "./" + name
	}
	return r, true
}
