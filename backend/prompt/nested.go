package prompt

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/files"
	"mutsumi/backend/halves"
	"mutsumi/backend/ref"
)

// collectNested adds the AGENTS.md files of the folders that this notebook has to do with
// (SPEC 13.4). They come after the other rules and with the newest prompt, as all rules do:
// nothing that was sent changes.
func (b *build) collectNested() {
	if b.in.Nested == nil {
		return
	}
	var joined []string
	for _, item := range b.in.Meta.ContextItems {
		if item.Type == string(KindRule) {
			joined = append(joined, item.Key)
		}
	}
	touched, read := b.touched()
	allowed := func(p string) bool { return read[p] || b.roots.Allowed(p) } // files that were read are allowed
	for _, r := range b.in.Nested(touched, allowed, joined) {
		if !b.in.Trusted {
			b.left = append(b.left, &entry{kind: KindRule, key: r.Name, note: noteTrust, state: StateInert})
			continue
		}
		b.addRule(r, "all AGENTS.md files together are longer than 32 KB: the rest of this one is not sent")
	}
}

// touched lists the files that prompts refer to and that tools read or wrote, relative to
// the workspace, and which of them this build read.
func (b *build) touched() (paths []string, read map[string]bool) {
	seen := map[string]bool{}
	read = map[string]bool{}
	add := func(rel string) {
		if rel != "" && !seen[rel] {
			seen[rel] = true
			paths = append(paths, rel)
		}
	}
	for _, e := range b.files.list {
		if e.kind == KindResource {
			continue
		}
		rel := below(b.roots, ref.Parse(e.key).Path)
		if rel != "" && e.note == "" {
			read[rel] = true
		}
		add(rel)
	}
	for _, e := range b.tools.list {
		add(below(b.roots, fileOf(e.args)))
	}
	var first, second []string // by the calls of each half of the history
	halves.Do(len(b.in.History), manyMessages, func(from, to int) {
		if half := called(b.roots, b.in.History[from:to]); from == 0 {
			first = half
		} else {
			second = half
		}
	})
	for _, rel := range slices.Concat(first, second) {
		add(rel)
	}
	return paths, read
}

// called lists the files that calls are about, each once.
func called(roots *files.Roots, history []HistoryMessage) (paths []string) {
	seen := map[string]bool{}
	for i := range history {
		m := &history[i].Message
		if m.Role != chat.Assistant {
			continue
		}
		for _, call := range m.ToolCalls {
			if rel := below(roots, fileOf(json.RawMessage(call.Function.Arguments))); rel != "" && !seen[rel] {
				seen[rel] = true
				paths = append(paths, rel)
			}
		}
	}
	return paths
}

// below returns a path relative to the workspace; "" if there is none, or it leads out of it.
func below(roots *files.Roots, name string) string {
	if name == "" {
		return ""
	}
	if rel := roots.Rel(name); !path.IsAbs(rel) && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return ""
}

// manyMessages is the number of messages from which two goroutines read them.
const manyMessages = 256

// fileOf is the file or folder that a call is about; "": it is about none.
func fileOf(args json.RawMessage) string {
	var of struct{ URI, Path string }
	if json.Unmarshal(args, &of) != nil {
		return ""
	}
	if of.URI != "" {
		return of.URI
	}
	return of.Path
}
