package skills

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/clip"
	"mutsumi/backend/frontmatter"
	"mutsumi/backend/lazyregexp"
)

// Limits of the fields of a SKILL.md, in characters (agentskills.io/specification).
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

// read fills in the contents of the SKILL.md. dir is the skill's path in root.
func (s *Skill) read(root *os.Root, dir string) {
	if s.Problem != "" {
		return
	}
	f, err := root.Open(filepath.FromSlash(path.Join(dir, s.File)))
	if err != nil {
		s.Problem = s.File + " cannot be read"
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	switch {
	case err != nil:
		s.Problem = s.File + " cannot be read"
	case len(text) > maxSize:
		s.Problem = fmt.Sprintf("%s is larger than %d KB: move parts of it into files beside it, which agents read when they need them", s.File, maxSize>>10)
	default:
		s.Text = string(text)
		s.parse()
	}
}

// wrong notes the first problem.
func (s *Skill) wrong(format string, args ...any) {
	if s.Problem == "" {
		s.Problem = fmt.Sprintf(format, args...)
	}
}

// parse parses Text.
func (s *Skill) parse() {
	if !utf8.ValidString(s.Text) || strings.ContainsRune(s.Text, 0) {
		s.wrong("it is not text in UTF-8: save it as that")
		return
	}
	fields, body, err := frontmatter.Split(s.Text)
	if err != nil {
		if f, b, again := frontmatter.Split(quoted(s.Text)); again == nil && f != nil {
			fields, body, err = f, b, nil
		}
	}
	var bad *frontmatter.Error
	switch {
	case errors.As(err, &bad):
		s.wrong("line %d: the front matter is not YAML: %s", bad.Line(), bad.Reason())
		return
	case fields == nil:
		s.wrong("it has no front matter: begin it with a line ---, then name and description, then a line ---")
		return
	}
	s.Body = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	s.fields(fields)
}

// fields reads the front matter. It ignores fields of other programs; allowed-tools grants nothing,
// because only the person says what an agent may do.
func (s *Skill) fields(fields *yaml.Node) {
	said := map[string]string{}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		key, value := fields.Content[i], fields.Content[i+1]
		switch key.Value {
		case "name", "description", "compatibility", "disable-model-invocation":
		default:
			continue
		}
		if _, twice := said[key.Value]; twice {
			s.wrong("line %d: %s stands here a second time: keep one of them", frontmatter.Line(key), key.Value)
		}
		text, ok := scalar(value)
		if !ok {
			s.wrong("line %d: %s has to be a text", frontmatter.Line(value), key.Value)
		}
		said[key.Value] = strings.TrimSpace(text)
	}
	folder := s.Name
	name, description := said["name"], said["description"]
	switch {
	case name == "":
		s.wrong("it says no name: add one, %s", folder)
	case utf8.RuneCountInString(name) > maxName:
		s.wrong("its name is longer than %d characters", maxName)
	case !isName(name):
		s.wrong("%q cannot name a skill: use small letters, digits, and single hyphens between them", clip.Line(name, 80))
	case name != folder:
		s.wrong("it says that its name is %s, and its folder is %s: make them the same", name, clip.Line(folder, 80))
	}
	switch {
	case description == "":
		s.wrong("it has no description, by which a model knows when to use it")
	case utf8.RuneCountInString(description) > maxDescription:
		s.wrong("its description is longer than %d characters: shorten it, the text below has room", maxDescription)
	default:
		s.Description = strings.Join(strings.Fields(description), " ")
	}
	if utf8.RuneCountInString(said["compatibility"]) > maxCompatibility {
		s.wrong("its compatibility is longer than %d characters", maxCompatibility)
	}
	if off, err := strconv.ParseBool(said["disable-model-invocation"]); err == nil && off {
		s.wrong("it says that no model may use it by itself (disable-model-invocation)")
	}
}

// scalar returns the value of a node as written: a version or a number counts as text.
func scalar(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return "", true
	}
	return n.Value, n.Kind == yaml.ScalarNode
}

// isName reports whether a name consists of lower-case letters of any script, digits and single
// hyphens between them, like the reference parser.
func isName(name string) bool {
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") || strings.ToLower(name) != name {
		return false
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}

// plainLine matches a field whose unquoted value holds ": ": YAML forbids it, but other programs
// accept it.
var plainLine = lazyregexp.New(`^(description|compatibility|license): +([^"'|>&*!%@\[{#\s].*: .*?)\r?$`)

// quoted puts quotes around such values in a front matter.
func quoted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 && strings.TrimRight(line, " \t\r") == "---" {
			break
		}
		if m := plainLine.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + ": '" + strings.ReplaceAll(m[2], "'", "''") + "'"
		}
	}
	return strings.Join(lines, "\n")
}
