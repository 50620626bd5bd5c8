// Package slashcommand reads the commands of a folder (SPEC 13.4): Markdown files whose text is
// sent instead of a prompt `/name arguments`.
//
// It does not decide whether the folder's commands are trusted (package request does), and
// processes neither directives nor references (package prompt does).
package slashcommand

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/ref"
	"mutsumi/backend/rules"
)

const (
	sizeLimit  = 1 << 20 // of a file, in bytes
	countLimit = 500     // files in a folder of commands
	lineLimit  = 400     // of a description or a hint, in bytes
)

// Command is a command of a folder.
type Command struct {
	Name        string // as typed after the slash: review, or git:commit for git/commit.md
	Path        string // of its file, relative to the folder, with slashes
	Description string
	Hint        string // of its arguments
	// Text is the text to send, before arguments, directives and references are processed.
	// References relative to the file are written relative to the folder.
	Text    string
	Above   int    // lines of the file above Text
	Problem string // of its front matter; "": none
	File    string // the whole file
}

// folders returns the folders with commands; of two commands with one name, the first folder's counts.
func folders(folder string) []rules.Dir {
	dir := rules.Dir{Workspace: folder, Name: "commands", What: "command", Size: sizeLimit, Count: countLimit}
	claude := dir
	claude.Parent = ".claude"
	return []rules.Dir{dir, claude}
}

// Paths returns the absolute paths of all command files of a folder.
func Paths(folder string) (paths []string) {
	for _, dir := range folders(folder) {
		found, _ := dir.List() // a folder that cannot be listed has no commands to run
		for _, r := range found {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// List returns the readable commands of a folder, sorted by name.
func List(folder string) (all []Command) {
	seen := map[string]bool{}
	for _, dir := range folders(folder) {
		found, _ := dir.List()
		for _, r := range found {
			name := nameOf(r.Name)
			if seen[name] || !isName.MatchString(name) {
				continue
			}
			if c, err := read(dir, r); err == nil {
				seen[name] = true
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns a command by name. The error is NotFound if the folder has none; other errors say
// why it cannot be read.
func Find(folder, name string) (Command, error) {
	for _, dir := range folders(folder) {
		found, err := dir.List()
		if err != nil {
			return Command{}, err
		}
		for _, r := range found {
			if nameOf(r.Name) == name {
				return read(dir, r)
			}
		}
	}
	return Command{}, fault.New(fault.NotFound, "there is no command %s", name)
}

// Watch watches each folder with commands until ctx ends: it calls ready, unless that is nil, and
// changed when commands changed on disk; see rules.Dir.Watch. start runs a function in the
// background.
func Watch(ctx context.Context, folder string, start func(func()), ready, changed func()) {
	for _, dir := range folders(folder) {
		start(func() { dir.Watch(ctx, ready, changed) })
	}
}

// nameOf returns the name of the command in a file.
func nameOf(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", ":")
}

var (
	isName = lazyregexp.New(`^[\p{L}\p{N}_.:-]+$`)
	typed  = lazyregexp.New(`^/([\p{L}\p{N}_.:-]+)(?:\s|$)`)
)

// Split splits a prompt that begins with a command's name; ok is false for any other prompt. It
// does not check whether the command exists.
func Split(prompt string) (name, arguments string, ok bool) {
	found := typed.FindStringSubmatch(prompt)
	if found == nil {
		return "", "", false
	}
	return found[1], strings.TrimSpace(prompt[1+len(found[1]):]), true
}

func read(dir rules.Dir, r rules.Rule) (Command, error) {
	text, err := dir.Read(r.Name)
	if err != nil {
		return Command{}, err
	}
	rel, err := filepath.Rel(dir.Workspace, r.Path)
	if err != nil {
		return Command{}, err
	}
	c := Command{Name: nameOf(r.Name), Path: filepath.ToSlash(rel), File: text}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Command{}, fault.New(fault.Invalid, "%s is not text in UTF-8: save it as that", c.Path)
	}
	h, body, err := split(text)
	if err != nil {
		c.Problem = "the front matter is not YAML and was left in the text: " + err.Error()
	}
	c.Description, c.Hint = clip.Line(h.description, lineLimit), clip.Line(h.hint, lineLimit)
	kept := strings.TrimLeft(body, "\r\n")
	c.Above = strings.Count(text[:len(text)-len(kept)], "\n")
	c.Text = fromFolder(strings.TrimRight(strings.ReplaceAll(kept, "\r\n", "\n"), " \t\n"), path.Dir(c.Path))
	if strings.TrimSpace(c.Text) == "" {
		return Command{}, fault.New(fault.Invalid, "%s has no text to send", c.Path)
	}
	return c, nil
}

// fromFolder rewrites references `@[./x]` of a file in dir relative to the folder, as the text is
// sent without its file.
func fromFolder(text, dir string) string {
	var b strings.Builder
	at := 0
	for _, r := range ref.Find(text) {
		if r.IsTool() || !strings.HasPrefix(r.Path, "./") && !strings.HasPrefix(r.Path, "../") {
			continue
		}
		b.WriteString(text[at:r.Start])
		b.WriteString("@[" + path.Join(dir, r.Path) + strings.TrimPrefix(r.Key(), r.Path) + "]")
		at = r.End
	}
	b.WriteString(text[at:])
	return b.String()
}
