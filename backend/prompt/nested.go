package prompt

import (
	"encoding/json"
	"path"
	"strings"

	"mutsumi/backend/chat"
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
	add := func(name string, wasRead bool) {
		rel := b.roots.Rel(name)
		if name == "" || path.IsAbs(rel) || strings.HasPrefix(rel, "../") {
			return
		}
		if read[rel] = read[rel] || wasRead; !seen[rel] {
			seen[rel] = true
			paths = append(paths, rel)
		}
	}
	for _, e := range b.files.list {
		if e.kind == KindResource {
			continue
		}
		add(ref.Parse(e.key).Path, e.note == "")
	}
	for _, e := range b.tools.list {
		add(fileOf(e.args), false)
	}
	called := make([][]string, len(b.in.History)) // by the calls of each message
	halves.Do(len(called), manyMessages, func(from, to int) {
		for i := from; i < to; i++ {
			m := &b.in.History[i].Message
			if m.Role != chat.Assistant {
				continue
			}
			for _, call := range m.ToolCalls {
				called[i] = append(called[i], fileOf(json.RawMessage(call.Function.Arguments)))
			}
		}
	})
	for _, names := range called {
		for _, name := range names {
			add(name, false)
		}
	}
	return paths, read
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
