package assemble

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mutsumi/backend/jsontext"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
)

// toolResult is the result of a call, made once per build.
type toolResult struct {
	content string
	problem string
}

// NotRun replaces a result in a preview if only sending the prompt can produce it (SPEC 4.3).
const NotRun = "(not run in a preview: this tool changes something, so it runs when the prompt is sent)"

// tool runs a tool call, or says why it cannot.
func (w *walker) tool(r ref.Ref) result {
	res := result{kind: Tool, key: r.Tool}
	args, err := Arguments(r.Args, w.a.cfg.Macros)
	if err != nil {
		res.args = jsontext.AppendString(nil, r.Args)
		return w.failed(res, "the arguments are not JSON: "+err.Error())
	}
	res.args = args
	if w.skip != nil && w.skip(Tool, r.Tool, args) {
		res.inert = true
		return res
	}
	return w.run(res, w.typed && (w.foreign == nil || !w.foreign(r.Inner)))
}

// run carries out a call with known arguments, if allowed. typed reports that the person typed it
// here.
func (w *walker) run(res result, typed bool) result {
	if byAgent := w.typed && w.fromAgent && !typed; w.inert || byAgent || !typed && !w.a.cfg.Trusted {
		why := "it stands in a file, and this folder is not trusted"
		switch {
		case byAgent:
			why = "another agent wrote this prompt"
		case w.typed:
			why = "it came in with this notebook and was not typed here, and this folder is not trusted"
		}
		w.warn(w.line, fmt.Sprintf("the call of %s was left alone: %s", res.key, why))
		res.inert = true
		return res
	}
	if w.a.cfg.Tools == nil {
		return w.failed(res, "no tools can be run here")
	}
	reads, known := w.a.cfg.Tools.Reads(res.key)
	switch {
	case !known:
		return w.failed(res, "there is no tool of this name")
	case !reads && !typed && w.typed:
		return w.failed(res, "it changes something, and a call that was not typed here may only read: write it in a new prompt to have it run")
	case !reads && !typed:
		return w.failed(res, "it changes something, and a call that stands in a rule or file may only read")
	case !reads && w.a.cfg.Preview:
		res.content = NotRun
		return res
	}
	if err := w.a.take(0); err != nil {
		return w.failed(res, err.Error())
	}
	got := w.a.call(w, res.key, res.args)
	if got.problem != "" {
		return w.failed(res, got.problem)
	}
	w.a.taken += len(got.content) + perFile
	res.content = got.content
	return res
}

func (w *walker) failed(res result, problem string) result {
	res.problem = strings.TrimSpace(problem)
	res.content = fmt.Sprintf("> Error executing %s: %s", res.key, res.problem)
	w.a.taken += len(res.content) + perFile
	w.warn(w.line, fmt.Sprintf("Error executing %s: %s", res.key, res.problem))
	return res
}

// call runs a tool once for a build, and once for a series of previews.
func (a *Assembler) call(w *walker, name string, args json.RawMessage) toolResult {
	key := name + "\x00" + string(args)
	if got, ok := a.tools[key]; ok {
		return got
	}
	// What one agent may see another may not: the places are part of the name.
	shared := strings.Join(a.cfg.Roots.Places(), "\x00") + "\x00\x00" + key
	if a.cfg.Preview {
		if got, ok := a.cfg.Cache.tool(shared); ok {
			a.tools[key] = got
			return got
		}
	}
	a.taken += perCall
	content, err := a.cfg.Tools.Call(w.ctx, name, args)
	got := toolResult{content: content}
	if err != nil {
		got.problem = err.Error()
	}
	a.tools[key] = got
	if a.cfg.Preview && w.ctx.Err() == nil {
		a.cfg.Cache.putTool(shared, got)
	}
	return got
}

// Arguments returns the arguments of a call as compact JSON, with macros replaced in its strings. A
// value cannot break out of its string. If the text is JSON only with its macros replaced (`{"n":
// {{N}}}`), they are replaced as text. The error says why it is not JSON.
func Arguments(raw string, t *macro.Table) (json.RawMessage, error) {
	if strings.Contains(raw, "{{") {
		if json.Valid([]byte(raw)) {
			raw = expandStrings(raw, t)
		} else {
			raw = macro.Expand(raw, t)
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(raw)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// expandStrings replaces macros in each string of valid JSON.
func expandStrings(raw string, t *macro.Table) string {
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			b.WriteByte(raw[i])
			i++
			continue
		}
		end := i + 1
		for raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		literal := raw[i : end+1]
		i = end + 1
		var s string
		if strings.Contains(literal, "{{") && json.Unmarshal([]byte(literal), &s) == nil {
			if expanded := macro.Expand(s, t); expanded != s {
				literal = string(jsontext.AppendString(nil, expanded))
			}
		}
		b.WriteString(literal)
	}
	return b.String()
}
