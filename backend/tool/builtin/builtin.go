// Package builtin holds the tools that every agent has (SPEC 8), each a function next to the
// description that the model reads: x.go, x.md.
//
// All of them access the disk only through their agent's files.Roots, so none decides what may be
// touched. They ask for no approval: that is between the loop (package agent) and the person.
package builtin

import (
	"context"
	"embed"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/tool"
)

//go:embed *.md
var descriptions embed.FS

// Options is what the tools of one agent work with. They are made for each run, which is cheap.
type Options struct {
	Roots *files.Roots // what the agent may touch

	// Models lists what get_available_models shows; nil leaves that tool out.
	Models func() []Model

	// Image turns an image file into a part to show the model, scaled to the model's limit, with a
	// note for it ("1200x800, scaled to 768x512"). nil: unscaled, up to 5 MB.
	Image func(name string, data []byte) (part chat.Part, note string, err error)
	// Document turns a PDF document into a part to show the model. nil: the model accepts none.
	Document func(name string, data []byte) (part chat.Part, note string, err error)

	// Seen remembers what the agent has read, so that a file that has changed since is not
	// overwritten (SPEC 8). It lives as long as the notebook is open. nil: tools made together
	// share a new one.
	Seen *Seen

	// Child adds task_finish: only a child's work has an end that somebody
	// waits for (SPEC 5.1).
	Child bool

	// Shell adds shell, shell_output and shell_kill to All; nil leaves them out.
	Shell *Shell

	// Fork adds self_fork to All; nil leaves it out.
	Fork *Fork

	// Ask adds ask_user: it asks the person and blocks until they answer. nil omits that tool: no
	// person is there.
	Ask func(context.Context, tool.Env, Question) (Answer, error)

	// Consult adds call_agent: it asks another agent and returns its answer. nil
	// leaves that tool out.
	Consult func(context.Context, tool.Env, Consult) tool.Result

	// Compact adds compact_chat_history: it replaces the earlier cells of the agent's conversation
	// with a summary, and reports the result in a sentence. nil omits that tool.
	Compact func(ctx context.Context, note string) (string, error)

	// Skills adds use_skill: it reads a skill, whose files the agent can read from then on. nil
	// omits that tool.
	Skills *Skills

	peeking bool // see peek
}

// Reading makes the tools that change nothing, in the order in which a model
// reads about them.
func Reading(o Options) []tool.Tool { return build(o, false) }

// All returns the reading tools and those that change files. The caller has to ask the person
// before each call (agent.Approver).
func All(o Options) []tool.Tool { return build(o, true) }

func build(o Options, changing bool) []tool.Tool {
	if o.Seen == nil {
		o.Seen = NewSeen()
	}
	tools := []tool.Tool{readFile(o), ls(o), glob(o), grep(o), projectOutline(o)}
	if changing {
		tools = append(tools, editFile(o), writeFile(o), mkdir(o))
		if o.Shell != nil {
			tools = append(tools, shellTools(o)...)
		}
		if o.Fork != nil {
			tools = append(tools, selfFork(o))
		}
	}
	tools = append(tools, systemInfo(o))
	if o.Skills != nil {
		tools = append(tools, useSkill(o.Skills))
	}
	if o.Models != nil {
		tools = append(tools, availableModels(o))
	}
	if o.Consult != nil {
		tools = append(tools, callAgent(o.Consult))
	}
	if o.Compact != nil {
		tools = append(tools, compactChatHistory(o.Compact))
	}
	if o.Ask != nil {
		tools = append(tools, askUser(o.Ask))
	}
	if o.Child {
		tools = append(tools, taskFinish())
	}
	return tools
}

// Changes reports whether a name, or alias, is that of a tool which All makes and Reading
// does not.
func Changes(name string) bool {
	_, ok := changing().Get(name)
	return ok
}

var changing = sync.OnceValue(func() *tool.Registry {
	reading := tool.NewRegistry(Reading(Options{})...)
	return tool.NewRegistry(slices.DeleteFunc(All(Options{Shell: &Shell{}, Fork: &Fork{}}), func(t tool.Tool) bool {
		_, reads := reading.Get(t.Name())
		return reads
	})...)
})

// describe gives a tool's description.
func describe(name string) string {
	b, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic("builtin: " + err.Error())
	}
	return strings.TrimSpace(string(b))
}

// pathNames are the names that models give to the argument uri.
var pathNames = map[string]string{"path": "uri", "file": "uri", "file_path": "uri", "filename": "uri", "dir": "uri", "directory": "uri", "folder": "uri"}

func withPaths(more map[string]string) map[string]string {
	for k, v := range pathNames {
		if more[k] == "" {
			more[k] = v
		}
	}
	return more
}

// at returns the roots through which a path is read: the agent's, the scratch folder for files of
// long output, and a skill's folder for files of a skill that it used.
func (o Options) at(env tool.Env, path string) *files.Roots {
	if env.Scratch != "" && filepath.IsAbs(path) {
		rel, err := filepath.Rel(env.Scratch, path)
		if err == nil && filepath.IsLocal(rel) {
			if r, err := files.New(env.Scratch, []string{env.Scratch}); err == nil {
				return r
			}
		}
	}
	if o.Skills != nil && filepath.IsAbs(path) && !o.Roots.Allowed(path) {
		if r := o.Skills.Roots(path); r != nil {
			return r
		}
	}
	return o.Roots
}

// failed turns an error of package files into a helpful result that suggests similar names.
func failed(r *files.Roots, path string, err error) tool.Result {
	if err == nil {
		err = errors.New(path + " changed while it was read: try again")
	}
	if !fault.Is(err, fault.NotFound) {
		return tool.Error(err.Error())
	}
	msg := err.Error()
	if names := similar(r, path); len(names) > 0 {
		msg += ". Did you mean " + strings.Join(names, ", ") + "?"
	}
	return tool.Error(msg)
}

// similar finds entries of the same folder that resemble the last part of path.
func similar(r *files.Roots, path string) []string {
	dir, base := filepath.Split(filepath.FromSlash(path))
	if dir == "" {
		dir = "."
	}
	entries, err := r.List(dir)
	if err != nil {
		return nil
	}
	want := strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	var out []string
	for _, e := range entries {
		have := strings.ToLower(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
		if have == "" || want == "" || len(out) == 5 {
			continue
		}
		if have == want || strings.EqualFold(e.Name(), base) || len(want) > 3 && (strings.Contains(have, want) || strings.Contains(want, have) && len(have) > 3) {
			out = append(out, filepath.ToSlash(filepath.Join(dir, e.Name())))
		}
	}
	return out
}

// place names a folder in a sentence.
func place(r *files.Roots, dir string) string {
	if name := r.Rel(dir); name != "." {
		return name
	}
	return "the workspace"
}

func base(path string) string {
	path = strings.TrimRight(filepath.ToSlash(path), "/")
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		path = path[i+1:]
	}
	if len(path) > 60 {
		path = strings.ToValidUTF8(path[:57], "") + "..."
	}
	return path
}
