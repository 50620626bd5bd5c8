// Package assemble completes one document: it carries out directives, replaces macros, follows
// references to files, folders and tools, and reads front matter (SPEC 2, 3).
//
// It reads through package files and writes nothing; it knows no notebook and no messages. prompt
// calls it for rules and prompts, cli for `mutsumi assemble`. Errors appear in the text in place of
// the content, so that nothing else is lost (SPEC 3.6).
package assemble

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/macro"
)

const (
	// MaxDepth is how deep files may be in files (SPEC 3.4).
	MaxDepth = 20
	// BuildLimit is how many bytes one build may read from files (SPEC 3.6).
	BuildLimit = 16 << 20
	// perFile is counted for every inclusion in addition to its bytes, so that files which only
	// include each other come to an end too.
	perFile = 64
	// perCall is counted for every tool that runs.
	perCall = 16 << 10
	// perScan is the part of a file too large to be read whole that is counted
	// for each range of lines looked for in it.
	perScan = 64
	// warningLimit is the maximum number of warnings of one document.
	warningLimit = 500
)

// Config is shared by the documents of one build.
type Config struct {
	Roots  *files.Roots
	Macros *macro.Table // definitions in the documents go into it (SPEC 2.6)
	Tools  ToolCaller   // nil: there are no tools

	Resources Resources // of MCP servers; nil: none

	Trusted bool   // without it tool calls that are in files do nothing (SPEC 4.2)
	Preview bool   // tools that change something are not run (SPEC 4.3)
	Cache   *Cache // what earlier builds read; nil: nothing is kept
}

// Assembler assembles the documents of one build. It is not safe for concurrent use.
type Assembler struct {
	cfg   Config
	from  source
	taken int // bytes, against BuildLimit
	files map[string]loaded
	ahead ahead
	tools map[string]toolResult

	resources map[string]readResource
	silent    map[string]bool // servers that did not answer in time
}

// New starts a build, which Close ends.
func New(cfg Config) *Assembler {
	if cfg.Macros == nil {
		cfg.Macros = macro.New(nil)
	}
	from := source{door: cfg.Roots, from: cfg.Roots.Reader(), cache: cfg.Cache}
	return &Assembler{cfg: cfg, from: from, files: map[string]loaded{}, tools: map[string]toolResult{}, resources: map[string]readResource{}, silent: map[string]bool{}}
}

// Close closes the files that the build keeps open. The Assembler stays usable.
func (a *Assembler) Close() {
	a.ahead.close()
	a.from.from.Close()
}

// Text is a document to be made whole.
type Text struct {
	Text string
	File string // where it comes from, as Roots take it; "" if it is not a file
	// Typed: a person typed it as a prompt. `#define` lines count, and its
	// tool calls may do more than read.
	Typed bool
	// Processed: its directives were carried out already.
	Processed bool
	// Moved: its lines differ from those that a person sees; warnings name none.
	Moved bool
	// Foreign reports that a call of a typed text, as written between its brackets, was not typed
	// here: it is treated like one in a file. nil: none is.
	Foreign func(call string) bool
	// FromAgent: an agent wrote the foreign calls, which then do nothing.
	FromAgent bool
	// Inert: its own tool calls are shown and do nothing (SPEC 4.2).
	Inert bool
	Skip  Skip // nil: nothing is passed over
}

// Skip is called before a reference of the text itself is followed, and makes Append skip it and
// Inline leave it as text. args are those of a tool call. It must not block.
type Skip func(kind ItemType, key string, args json.RawMessage) bool

// markdown reports whether the text may have front matter: a prompt has none,
// and a text that is not a file is taken for Markdown.
func (t Text) markdown() bool { return !t.Typed && (t.File == "" || markdown(t.File)) }

// Document is a document made whole.
type Document struct {
	Content     string          `json:"content"`
	Description string          `json:"description"`
	Params      []string        `json:"params"`
	Items       []Item          `json:"items"`
	Warnings    []macro.Warning `json:"warnings"`
}

// Item is the result of a reference in an appended document.
type Item struct {
	Type     ItemType        `json:"type"`
	Key      string          `json:"key"` // the reference as it was written, macros replaced; of a tool: its name
	Content  string          `json:"content"`
	Metadata json.RawMessage `json:"metadata,omitempty"` // of a tool: its arguments

	Blobs []Blob `json:"-"` // of a resource

	// Problem says why Content is an error text; "" if it is not.
	Problem string `json:"-"`
	// Gone: the problem is that the file no longer exists.
	Gone bool `json:"-"`
	// Start and End are the reference's bytes in the text after its
	// directives, before its macros.
	Start int `json:"-"`
	End   int `json:"-"`
}

// ItemType is the kind of a reference's target.
type ItemType string

const (
	File     ItemType = "file" // or a folder
	Tool     ItemType = "tool"
	Resource ItemType = "resource" // of an MCP server
)

// Inline replaces every reference by its content (SPEC 3.3).
func (a *Assembler) Inline(ctx context.Context, t Text) Document {
	w := a.walk(ctx, t)
	text := w.start(t)
	if t.markdown() {
		text = w.frontMatter(text, true)
	}
	w.doc.Content = w.inline(text)
	return w.finish()
}

// InlineFile is Inline for a file that is read through its own Roots: the program reads rules,
// while their references are limited to what the agent may touch. The error says why the file
// itself cannot be read.
func (a *Assembler) InlineFile(ctx context.Context, door *files.Roots, path string) (Document, error) {
	from := source{door: door, from: door.Reader(), cache: a.cfg.Cache}
	defer from.from.Close()
	got := from.read(path)
	if got.err == nil && got.folder {
		got.err = fault.New(fault.Invalid, "%s is a folder, not a file", path)
	}
	if got.err != nil {
		return Document{}, got.err
	}
	return a.Inline(ctx, Text{Text: got.text, File: path}), nil
}

// Append leaves the references in place and collects their contents: files in order, then tools in
// order (SPEC 3.3). Directives are carried out and macros replaced in Content; front matter stays
// in it.
func (a *Assembler) Append(ctx context.Context, t Text) Document {
	w := a.walk(ctx, t)
	text := w.start(t)
	if t.markdown() {
		w.frontMatter(text, true)
	}
	w.collect(text)
	w.doc.Content = macro.Expand(text, a.cfg.Macros)
	return w.finish()
}

// Reference follows one reference to a file or folder, written without its
// brackets. It never calls a tool, whatever the text looks like.
func (a *Assembler) Reference(ctx context.Context, inner string) (Item, []macro.Warning) {
	w := a.walk(ctx, Text{})
	item := w.item(w.path(asPath(inner)))
	return item, w.finish().Warnings
}

// Call runs a tool that only reads, in a folder that is trusted, as if the
// call was in a file. args are compact JSON, macros replaced.
func (a *Assembler) Call(ctx context.Context, tool string, args json.RawMessage) (Item, []macro.Warning) {
	w := a.walk(ctx, Text{})
	item := w.item(w.run(result{kind: Tool, key: tool, args: args}, false))
	return item, w.finish().Warnings
}

func (a *Assembler) walk(ctx context.Context, t Text) *walker {
	w := &walker{a: a, ctx: ctx, doc: &Document{Params: []string{}, Items: []Item{}, Warnings: []macro.Warning{}}, typed: t.Typed, foreign: t.Foreign, fromAgent: t.FromAgent, inert: t.Inert, skip: t.Skip, file: t.File}
	if t.File != "" {
		name := a.cfg.Roots.Rel(t.File)
		w.file, w.chain = name, []string{name}
	}
	return w
}

// walker is the state of one document while it is assembled recursively.
type walker struct {
	a   *Assembler
	ctx context.Context
	doc *Document

	file  string   // the file that is being walked over, "" for a text
	chain []string // files and ranges on the way here
	typed bool     // the text itself was typed; false below it
	inert bool     // its tool calls do nothing; false below it

	foreign   func(call string) bool // of the text itself
	fromAgent bool

	skip  Skip // of the text itself; nil below it
	line  int  // of the reference that is being followed, 0 if not known
	above int  // lines of the file above the text
	moved bool // line numbers of the text differ from those of the file

	seen   map[string]bool // parameters
	unsaid int             // warnings past the limit
}

func (w *walker) start(t Text) string {
	if t.Processed {
		w.moved = t.Moved
		return t.Text
	}
	return w.process(t.Text)
}

func (w *walker) finish() Document {
	if w.unsaid > 0 {
		w.doc.Warnings = append(w.doc.Warnings, macro.Warning{Text: fmt.Sprintf("and %d warnings more", w.unsaid)})
	}
	return *w.doc
}

func (w *walker) warn(line int, text string) {
	w.warnAll([]macro.Warning{{File: w.file, Line: line, Text: text}})
}

func (w *walker) warnAll(warnings []macro.Warning) {
	room := max(0, min(len(warnings), warningLimit-len(w.doc.Warnings)))
	w.doc.Warnings = append(w.doc.Warnings, warnings[:room]...)
	w.unsaid += len(warnings) - room
}

// process carries out directives.
func (w *walker) process(text string) string {
	r := macro.Process(text, w.a.cfg.Macros, macro.Options{File: w.file, Prompt: w.typed})
	w.warnAll(r.Warnings)
	w.moved = len(r.Text) != len(text) && strings.Count(r.Text, "\n") != strings.Count(text, "\n")
	return r.Text
}

// frontMatter moves the front matter of a Markdown text into the document and returns the text
// without it. Only the requested document sets its description (SPEC 3.5).
func (w *walker) frontMatter(text string, top bool) string {
	fm, body, problem := splitFrontMatter(text)
	if problem != "" {
		w.warn(1, problem)
	}
	w.above += strings.Count(text[:len(text)-len(body)], "\n")
	if top {
		w.doc.Description = fm.Description
	}
	for _, p := range fm.Params {
		if !w.seen[p] {
			if w.seen == nil {
				w.seen = map[string]bool{}
			}
			w.seen[p] = true
			w.doc.Params = append(w.doc.Params, p)
		}
	}
	return body
}

// followed reports whether a file is gone into (SPEC 3.4).
func followed(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".txt"
}

func markdown(name string) bool { return strings.EqualFold(path.Ext(name), ".md") }
