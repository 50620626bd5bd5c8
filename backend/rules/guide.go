package rules

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GuideLimit is how much of all AGENTS.md files is used, in bytes (SPEC 13.4).
const GuideLimit = 32 << 10

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
	r, ok := ReadGuide(workspace, filepath.Base(path), GuideLimit, others)
	r.Note = "the folder has it for agents of any program"
	return r, ok
}

// ReadGuide returns the AGENTS.md at a path, relative to the workspace, as a rule; false if
// there is none. One of more than room bytes is cut at the end of a line. others are the
// rules beside it: its name is like none of theirs.
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
