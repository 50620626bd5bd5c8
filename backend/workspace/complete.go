package workspace

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/finder"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/ref"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Bounds of a completion.
const (
	mostItems  = 50
	indexFiles = 300_000
	staleAfter = 30 * time.Second // an index that nothing was heard of is made again, behind the answer
)

// fileIndex holds the names of the folder's files for completion. It is made
// when it is first needed and again when files came or went.
type fileIndex struct {
	mu       sync.Mutex
	index    *finder.Index
	made     time.Time
	stale    bool
	building chan struct{} // closed when the build under way ends
}

// Complete gives what could follow in a prompt. kind is at (all that may
// follow an @), file, tool, notebook, macro or range; query is what is typed
// so far.
func (w *Workspace) Complete(path, kind, query string) ([]Completion, error) {
	out := []Completion{}
	switch kind {
	case "at":
		out = append(out, w.completeFiles(path, query)...)
		out = append(out, w.completeNotebooks(path, query)...)
		return append(out, w.completeTools(query)...), nil
	case "file":
		return append(out, w.completeFiles(path, query)...), nil
	case "tool":
		return append(out, w.completeTools(query)...), nil
	case "notebook":
		return append(out, w.completeNotebooks(path, query)...), nil
	case "range":
		return append(out, w.completeRange(path, query)...), nil
	case "macro":
		return w.completeMacros(path, query)
	}
	return nil, fault.New(fault.Invalid, "there is no completion of kind %q", kind)
}

// completeFiles gives the files and folders that fit a query. Files of tools
// and of the program itself are offered only where they are asked for by name.
// What the agent of the notebook may not touch is not offered.
func (w *Workspace) completeFiles(notebook, query string) []Completion {
	roots, err := w.rootsNow(notebook)
	if err != nil {
		return nil
	}
	var out []Completion
	for _, m := range append(w.names().Search(query, mostItems), w.namesIn(query)...) {
		if slices.ContainsFunc(out, func(c Completion) bool { return c.Label == m.Text }) || !roots.Allowed(m.Text) {
			continue
		}
		c := Completion{Kind: "file", Label: m.Text, Insert: "@[" + m.Text + "]", Match: utf16Positions(m.Text, m.At)}
		if dir, ok := strings.CutSuffix(m.Text, "/"); ok {
			c.Kind, c.Insert = "folder", "@["+dir+"]"
		}
		c.Detail = path.Dir(strings.TrimSuffix(m.Text, "/"))
		if c.Detail == "." {
			c.Detail = ""
		}
		out = append(out, c)
	}
	return out
}

// names gives the index, making it first if there is none. An index that is
// out of date is answered from while the next one is made.
func (w *Workspace) names() *finder.Index {
	x := &w.fileNames
	x.mu.Lock()
	if x.building == nil && (x.index == nil || x.stale || time.Since(x.made) > staleAfter) {
		x.building = make(chan struct{})
		w.tasks.Go(w.indexNames)
	}
	index, building := x.index, x.building
	x.mu.Unlock()
	if index != nil {
		return index
	}
	<-building
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.index
}

func (w *Workspace) indexNames() {
	x := &w.fileNames
	x.mu.Lock()
	x.stale = false
	x.mu.Unlock()
	var names []string
	if roots, err := w.roots(w.folder, []string{w.folder}); err == nil {
		roots.Walk(w.ctx, ".", func(e files.Entry) error {
			if len(names) >= indexFiles {
				return errEnough
			}
			switch {
			case isGenerated(e.Path):
			case e.Dir:
				names = append(names, e.Path+"/")
			default:
				names = append(names, e.Path)
			}
			return nil
		})
	}
	index := finder.New(names)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.index, x.made = index, time.Now()
	close(x.building)
	x.building = nil
}

var errEnough = fault.New(fault.Invalid, "there are more files than are looked through")

func (w *Workspace) completeTools(query string) []Completion {
	roots, err := w.roots(w.folder, []string{w.folder})
	if err != nil {
		return nil
	}
	byName := map[string]tool.Tool{}
	var names []string
	for _, t := range w.toolsFor(roots, job{role: w.roleOf(notebook.MetaView{})}).All() {
		if builtin.Talks(t.Name()) {
			continue
		}
		byName[t.Name()] = t
		names = append(names, t.Name())
	}
	var out []Completion
	for _, m := range finder.New(names).Search(query, mostItems) {
		t := byName[m.Text]
		about, _, _ := strings.Cut(strings.ReplaceAll(t.Description(), "`", ""), "\n")
		out = append(out, Completion{
			Kind: "tool", Label: m.Text, Detail: about, Insert: "@[" + m.Text + slots(t.Schema()) + "]", Match: utf16Positions(m.Text, m.At),
		})
	}
	return out
}

// slots writes the arguments that a tool must have as JSON with slots to fill in.
func slots(schema json.RawMessage) string {
	var s struct {
		Required   []string
		Properties map[string]struct{ Type any }
	}
	if json.Unmarshal(schema, &s) != nil {
		return "{}"
	}
	var b strings.Builder
	for i, name := range s.Required {
		slot := fmt.Sprintf("${%d:%s}", i+1, name)
		if s.Properties[name].Type == "string" {
			slot = `"` + slot + `"`
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:%s", name, slot)
	}
	return "{" + b.String() + "}"
}

// completeNotebooks gives the agents that fit a query, but for the one at path.
func (w *Workspace) completeNotebooks(path, query string) []Completion {
	const most = 8
	byLabel := map[string][]string{} // agents may have the same name
	var labels []string
	w.mu.Lock()
	for _, n := range w.nodes {
		if n.File == path {
			continue
		}
		if byLabel[n.Name] == nil {
			labels = append(labels, n.Name)
		}
		byLabel[n.Name] = append(byLabel[n.Name], n.File)
	}
	w.mu.Unlock()
	var out []Completion
	for _, m := range finder.New(labels).Search(query, most) {
		for _, file := range byLabel[m.Text] {
			out = append(out, Completion{
				Kind: "notebook", Label: m.Text, Detail: file, Insert: "@[" + file + "]", Match: utf16Positions(m.Text, m.At),
			})
		}
	}
	return out[:min(len(out), most)]
}

// completeMacros gives the macros that the notebook keeps.
func (w *Workspace) completeMacros(path, query string) ([]Completion, error) {
	out := []Completion{}
	err := w.with(path, func(_ *doc, nb *notebook.Document) error {
		var meta prompt.Meta
		meta.ReadMeta(nb.Raw(keyMacros), nil, nil)
		for _, m := range finder.New(slices.Sorted(maps.Keys(meta.MacroContext))).Search(query, mostItems) {
			out = append(out, Completion{
				Kind: "macro", Label: m.Text, Detail: meta.MacroContext[m.Text], Insert: "{{" + m.Text + "}}", Match: utf16Positions(m.Text, m.At),
			})
		}
		return nil
	})
	return out, err
}

// completeRange proposes the lines of a file: query is its path.
func (w *Workspace) completeRange(path, query string) []Completion {
	v, err := w.File(path, query)
	if err != nil {
		return nil
	}
	lines := strings.Count(v.Text, "\n")
	if !strings.HasSuffix(v.Text, "\n") && v.Text != "" {
		lines++
	}
	return []Completion{{
		Kind: "range", Label: fmt.Sprintf("%s:1:%d", query, lines), Detail: fmt.Sprintf("%d lines", lines),
		Insert: fmt.Sprintf("@[%s:${1:1}:${2:%d}]", query, lines), Match: []int{},
	}}
}

// utf16Positions turns positions in bytes into those that a web page counts in.
func utf16Positions(s string, at []int) []int {
	out := make([]int, 0, len(at))
	units, k := 0, 0
	for i, r := range s {
		for k < len(at) && at[k] < i {
			k++ // inside the letter before: it counts once
		}
		if k < len(at) && at[k] == i {
			out = append(out, units)
			k++
		}
		units += utf16.RuneLen(r)
	}
	return out
}

// fileLimit is the largest file that is shown, in bytes (SPEC 3.6).
const fileLimit = 2 << 20

// File opens the file of a reference that stands in a notebook.
func (w *Workspace) File(path, reference string) (FileView, error) {
	roots, r, err := w.follow(path, reference)
	if err != nil {
		return FileView{}, err
	}
	text, err := roots.Read(r.Path, fileLimit)
	if err != nil {
		return FileView{}, err
	}
	file, err := roots.Path(r.Path)
	if err != nil {
		return FileView{}, err
	}
	return FileView{Path: r.Path, File: file, Text: text, First: r.From, Last: r.To}, nil
}

// RevealFile shows the file of a reference in the system's file manager. It is
// not opened: a system opens some files by running them.
func (w *Workspace) RevealFile(path, reference string) error {
	roots, r, err := w.follow(path, reference)
	if err != nil {
		return err
	}
	if _, err := roots.Stat(r.Path); err != nil {
		return err
	}
	file, err := roots.Path(r.Path)
	if err != nil {
		return err
	}
	return desktop.Reveal(file)
}

func (w *Workspace) follow(path, reference string) (*files.Roots, ref.Ref, error) {
	r := ref.Parse(reference)
	if r.Tool != "" || r.Path == "" {
		return nil, r, fault.New(fault.Invalid, "%q names no file", reference)
	}
	roots, err := w.rootsNow(path)
	return roots, r, err
}
