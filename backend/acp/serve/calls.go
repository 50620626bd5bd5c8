package serve

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/clip"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// ours are the program's tools, to read calls with: none of them runs here.
var ours = sync.OnceValue(func() *tool.Registry {
	return tool.NewRegistry(builtin.All(builtin.Options{
		Shell: &builtin.Shell{}, Fork: &builtin.Fork{}, Child: true,
		Ask:     func(context.Context, tool.Env, builtin.Question) (a builtin.Answer, err error) { return a, nil },
		Consult: func(context.Context, tool.Env, builtin.Consult) (r tool.Result) { return r },
		Compact: func(context.Context, string) (s string, err error) { return s, nil },
	})...)
})

// foreign begins the names of the calls of agents that answer over ACP; the kind follows.
const foreign = "acp_"

// kinds are those of our tools that are not other.
var kinds = map[string]acp.ToolKind{
	"read_file": acp.ToolKindRead, "ls": acp.ToolKindRead, "project_outline": acp.ToolKindRead, "use_skill": acp.ToolKindRead,
	"glob": acp.ToolKindSearch, "grep": acp.ToolKindSearch, "search_tools": acp.ToolKindSearch,
	"edit_file": acp.ToolKindEdit, "write_file": acp.ToolKindEdit, "mkdir": acp.ToolKindEdit,
	"shell": acp.ToolKindExecute, "shell_output": acp.ToolKindExecute, "shell_kill": acp.ToolKindExecute,
}

// kindOf is the kind of a tool.
func kindOf(name string) acp.ToolKind {
	if kind, ok := strings.CutPrefix(name, foreign); ok {
		switch k := acp.ToolKind(kind); k {
		case acp.ToolKindRead, acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove, acp.ToolKindSearch, acp.ToolKindExecute,
			acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode:
			return k
		}
		return acp.ToolKindOther
	}
	if kind, ok := kinds[ours().Name(name)]; ok {
		return kind
	}
	return acp.ToolKindOther
}

// description is a call for the editor. input is nil while the arguments are no JSON.
type description struct {
	title     string
	kind      acp.ToolKind
	locations []acp.ToolCallLocation
	input     any
	changes   []acp.ToolCallContent
}

// describe reads a call of the model.
func (f *folder) describe(name, arguments string) description {
	d := description{title: callTitle(name, arguments), kind: kindOf(name)}
	if json.Valid([]byte(arguments)) {
		d.input = json.RawMessage(arguments)
	}
	if strings.HasPrefix(name, foreign) {
		f.describeForeign(&d, arguments)
		return d
	}
	call, err := ours().Prepare(name, arguments)
	if err != nil {
		return d
	}
	var args struct {
		URI     string `json:"uri"`
		Start   int    `json:"start_line"`
		Content *string
		Edits   []struct{ Old, New string }
	}
	if json.Unmarshal(call.Args, &args) != nil || args.URI == "" {
		return d
	}
	file := f.absolute(args.URI)
	if file == "" {
		return d
	}
	d.locations = []acp.ToolCallLocation{{Path: file}}
	if args.Start > 0 {
		d.locations[0].Line = &args.Start
	}
	if args.Content != nil {
		d.changes = append(d.changes, acp.ToolDiffContent(file, *args.Content))
	}
	for _, e := range args.Edits {
		d.changes = append(d.changes, acp.ToolDiffContent(file, e.New, e.Old))
	}
	return d
}

// describeForeign reads a call of an agent that answers over ACP.
func (f *folder) describeForeign(d *description, arguments string) {
	var call struct {
		Title     string          `json:"title"`
		Locations []string        `json:"locations"`
		Input     json.RawMessage `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &call) != nil {
		return
	}
	if call.Title != "" {
		d.title = title(call.Title)
	}
	d.input = nil
	if len(call.Input) > 0 {
		d.input = call.Input
	}
	for _, l := range call.Locations {
		at := acp.ToolCallLocation{Path: l}
		if i := strings.LastIndexByte(l, ':'); i > 0 {
			if line, err := strconv.Atoi(l[i+1:]); err == nil {
				at = acp.ToolCallLocation{Path: l[:i], Line: &line}
			}
		}
		if at.Path = f.absolute(at.Path); at.Path != "" {
			d.locations = append(d.locations, at)
		}
	}
}

// absolute is the absolute path of a file as agents name it; "": it names none.
func (f *folder) absolute(name string) string {
	path, err := files.FromURI(name)
	if err != nil || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.ws.Folder(), filepath.FromSlash(path))
	}
	return filepath.Clean(path)
}

// callTitle says in a few words what a call does; without arguments it is the name of the tool.
func callTitle(name, arguments string) string {
	if call, err := ours().Prepare(name, arguments); err == nil && arguments != "" {
		return titled(call.Action)
	}
	return titled(strings.ReplaceAll(strings.TrimPrefix(name, foreign), "_", " "))
}

// titled is a text of one line that begins with a capital letter.
func titled(s string) string {
	s = clip.VisibleLine(strings.TrimSpace(s), 200)
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return "Call"
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
