package settings

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"mutsumi/backend/lazyregexp"
)

var (
	yamlLine  = lazyregexp.New(`^line (\d+): `)
	wrongType = lazyregexp.New("^(line \\d+): cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.+)$")
)

// explain turns an error of yaml into one for a person, with the line.
func explain(raw []byte, err error) error {
	if te, ok := errors.AsType[*yaml.TypeError](err); ok && len(te.Errors) > 0 {
		return errors.New(explainType(te.Errors[0]))
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	problem := yamlLine.ReplaceAllString(text, "")
	if line := lineOf(raw, problem); line > 0 {
		return fmt.Errorf("line %d: %s", line, problem)
	}
	return errors.New(text)
}

// lineOf finds the line where a problem begins: yaml often names the start
// of the block around it, or no line. It is the end of the shortest beginning
// of the file that has the same problem.
func lineOf(raw []byte, problem string) int {
	const tooMany = 1000
	lines := bytes.SplitAfter(raw, []byte("\n"))
	if len(lines) > tooMany || len(raw) > 64<<10 {
		return 0
	}
	end := 0
	for i, line := range lines {
		end += len(line)
		err := yaml.Unmarshal(raw[:end], &yaml.Node{})
		if err != nil && yamlLine.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "") == problem {
			return i + 1
		}
	}
	return 0
}

func explainType(text string) string {
	m := wrongType.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	found := map[string]string{"seq": "a list", "map": "a block of keys", "str": "text", "int": "a number", "float": "a number with a fraction", "bool": "true or false", "null": "nothing", "timestamp": "a date"}[m[2]]
	if found == "" {
		found = m[2]
	}
	if m[3] != "" {
		found += " (" + m[3] + ")"
	}
	want := map[string]string{
		"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "text", "settings.fileProvider": "a provider with `id` and `baseUrl`", "settings.plain": "a model's name, or a block with `id`",
		"settings.filePrefs": "a block of keys", "settings.content": "`providers:` and `preferences:`", "[]settings.fileProvider": "a list of providers", "[]settings.fileModel": "a list of models",
	}[m[4]]
	if want == "" {
		want = "something else"
	}
	return fmt.Sprintf("%s: here is %s where %s should be", m[1], found, want)
}
