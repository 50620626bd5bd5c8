package assemble

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/macro"
	"mutsumi/backend/ref"
)

// inline replaces the references of a text. Macros are replaced around and
// inside references only after these were found: no value makes a reference.
func (w *walker) inline(text string) string {
	refs := ref.Find(text)
	if len(refs) == 0 {
		return macro.Expand(text, w.a.cfg.Macros)
	}
	var b strings.Builder
	b.Grow(len(text))
	at, lines := 0, w.lines()
	for _, r := range refs {
		b.WriteString(macro.Expand(text[at:r.Start], w.a.cfg.Macros))
		lines.enter(w, text[at:r.Start], text[r.Start:r.End])
		at = r.End
		found := w.resolve(r)
		if found.inert {
			b.WriteString(macro.Expand(text[r.Start:r.End], w.a.cfg.Macros))
			continue
		}
		b.WriteString(found.content)
	}
	b.WriteString(macro.Expand(text[at:], w.a.cfg.Macros))
	return b.String()
}

// lines counts the lines of a text while its references are followed.
type lines struct {
	next    int
	unknown bool
}

func (w *walker) lines() *lines {
	if w.moved {
		return &lines{unknown: true}
	}
	return &lines{next: 1 + w.above}
}

// enter advances over the text before a reference and over the reference itself.
func (l *lines) enter(w *walker, before, tag string) {
	if l.unknown {
		w.line = 0
		return
	}
	l.next += strings.Count(before, "\n")
	w.line = l.next
	l.next += strings.Count(tag, "\n")
}

// collect makes items of the references of a text.
func (w *walker) collect(text string) {
	var tools []Item
	at, lines := 0, w.lines()
	for _, r := range ref.Find(text) {
		lines.enter(w, text[at:r.Start], text[r.Start:r.End])
		at = r.End
		found := w.resolve(r)
		if found.inert {
			continue
		}
		item := w.item(found)
		item.Start, item.End = r.Start, r.End
		if item.Type == Tool {
			tools = append(tools, item)
		} else {
			w.doc.Items = append(w.doc.Items, item)
		}
	}
	w.doc.Items = append(w.doc.Items, tools...)
}

func (w *walker) item(r result) Item {
	return Item{Type: r.kind, Key: r.key, Content: r.content, Metadata: r.args, Problem: r.problem, Gone: r.gone, Blobs: r.blobs}
}

// result is the result of one reference.
type result struct {
	kind    ItemType
	key     string
	content string
	args    json.RawMessage
	problem string
	gone    bool
	inert   bool // a call that is shown but not run (SPEC 4.2)
	blobs   []Blob
}

func (w *walker) resolve(r ref.Ref) result {
	if r.IsTool() {
		return w.tool(r)
	}
	if res, ok := w.resource(r); ok {
		return res
	}
	if strings.Contains(r.Inner, "{{") {
		r = asPath(macro.Expand(r.Inner, w.a.cfg.Macros))
	}
	return w.path(r)
}

// path follows a reference to a file or folder.
func (w *walker) path(r ref.Ref) result {
	res := result{kind: File, key: r.Key()}
	if w.skip != nil && w.skip(File, res.key, nil) {
		res.inert = true
		return res
	}
	content, err := w.include(r)
	if err != nil {
		res.problem = reason(err, w.relative(r.Path))
		res.gone = fault.Is(err, fault.NotFound)
		res.content = fmt.Sprintf("> Error including %s: %s", res.key, res.problem)
		w.a.taken += len(res.content) + perFile
		w.warnAll([]macro.Warning{{
			File: w.file, Line: w.line, Text: fmt.Sprintf("Error including %s: %s", w.place(r), res.problem),
			About: r.Path, Outside: fault.Of(err).Code == fault.CodeOutside,
		}})
		return res
	}
	res.content = content
	return res
}

// asPath parses text that contains a macro's value: it always names a path, so that no value makes
// a tool call.
func asPath(inner string) ref.Ref {
	r := ref.Parse(inner)
	if r.IsTool() {
		return ref.Ref{Inner: inner, Path: strings.TrimSpace(inner)}
	}
	return r
}

// include returns the content for a reference to a file or folder.
func (w *walker) include(r ref.Ref) (string, error) {
	if err := w.ctx.Err(); err != nil {
		return "", err
	}
	if r.Problem != "" {
		return "", fault.New(fault.Invalid, "%s", r.Problem)
	}
	if err := w.a.take(0); err != nil {
		return "", err
	}
	p := w.relative(r.Path)
	name := w.a.cfg.Roots.Rel(p)
	text, folder, err := w.a.load(p, name, r.From, r.To)
	if err != nil {
		return "", err
	}
	if err := w.a.take(len(text) + perFile); err != nil {
		return "", err
	}
	if folder || !followed(name) {
		return text, nil
	}
	return w.descend(name, text, r)
}

// place names a reference's target relative to the workspace: a path in a file may be relative to
// that file, which a person who reads a list of warnings does not see.
func (w *walker) place(r ref.Ref) string {
	p := w.relative(r.Path)
	return p + strings.TrimPrefix(r.Key(), r.Path)
}

// take counts towards the limit of a build.
func (a *Assembler) take(n int) error {
	a.taken += n
	if a.taken > BuildLimit {
		return fault.New(fault.Invalid, "one build takes at most %d MB from files and tools: name ranges of lines, or fewer of them", BuildLimit>>20)
	}
	return nil
}

// relative resolves `./x` and `../x` next to the file they are in; other paths start at the
// workspace (SPEC 3.1).
func (w *walker) relative(p string) string {
	if p == "" {
		return "."
	}
	if w.file != "" && (strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || p == "." || p == "..") {
		return path.Join(path.Dir(w.file), p)
	}
	return p
}

// descend walks over the text of a file that may hold references itself.
func (w *walker) descend(name, text string, r ref.Ref) (string, error) {
	key := name
	if r.From != 0 {
		key = fmt.Sprintf("%s:%d:%d", name, r.From, r.To)
	}
	if slices.Contains(w.chain, key) {
		return "", fault.New(fault.Invalid, "cycle: %s -> %s", strings.Join(w.chain[slices.Index(w.chain, key):], " -> "), key)
	}
	if len(w.chain) >= MaxDepth {
		return "", fault.New(fault.Invalid, "files stand in files more than %d deep here: %s", MaxDepth, strings.Join(w.chain, " -> "))
	}
	above := *w
	w.file, w.typed, w.inert, w.skip, w.above = name, false, false, nil, max(0, r.From-1)
	w.chain = append(w.chain, key)
	defer func() {
		seen, unsaid := w.seen, w.unsaid
		*w = above
		w.seen, w.unsaid = seen, unsaid
	}()
	text = w.process(text)
	if markdown(name) {
		if r.From == 1 && w.onlyFrontMatter(name, r) {
			return "", nil
		}
		text = w.frontMatter(text, false)
	}
	return w.inline(text), nil
}

// onlyFrontMatter reports whether lines 1 to r.To of a file all belong to its front matter; its
// parameters then apply, and the content is empty.
func (w *walker) onlyFrontMatter(name string, r ref.Ref) bool {
	whole, _, err := w.a.load(name, name, 0, 0)
	if err != nil {
		return false
	}
	_, body, _ := splitFrontMatter(whole)
	if len(body) == len(whole) || strings.Count(whole[:len(whole)-len(body)], "\n") < r.To {
		return false
	}
	w.frontMatter(whole, false)
	return true
}

// reason is an error's text without the path it starts with, on one line.
func reason(err error, p string) string {
	s := strings.TrimPrefix(err.Error(), p+": ")
	return strings.Join(strings.Fields(s), " ")
}
