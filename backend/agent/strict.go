package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// Limits of strict servers (SPEC 1.5): one name that they refuse, anywhere in a conversation, would
// make them refuse every later request.
const (
	maxName  = 64  // characters of a name
	maxID    = 40  // characters of a call's id
	maxCalls = 128 // calls in a message
)

// wireName returns the name of a tool, or of a speaker, in a form that servers accept. The result
// depends on the name alone, so it stays the same from turn to turn, and two different names stay
// different.
func wireName(name string) string {
	if bare := tool.Bare(name); fits(bare, maxName) {
		return bare
	}
	return fitted(name, "tool", maxName)
}

// wireID is wireName for the id of a call.
func wireID(id string) string {
	if fits(id, maxID) {
		return id
	}
	return fitted(id, "call", maxID)
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func fits(s string, most int) bool {
	for i := range len(s) {
		if !isPlain(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// fitted makes a name of the characters of s that a name may have, or else of stem, and of a
// sum of all of s, which distinguishes it from others.
func fitted(s, stem string, most int) string {
	sum := sha256.Sum256([]byte(s))
	tail := "_" + hex.EncodeToString(sum[:6])
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < most-len(tail); i++ {
		switch {
		case isPlain(s[i]):
			b.WriteByte(s[i])
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if head := strings.TrimRight(b.String(), "_"); head != "" {
		stem = head
	}
	return stem + tail
}

// inGroups splits messages so that none has more calls than servers accept, and returns for each
// the index of its source (nil: its own). Each group of calls is followed by its results. Messages
// that need no change are returned unchanged.
func inGroups(messages []chat.Message) (out []chat.Message, from []int) {
	if !slices.ContainsFunc(messages, func(m chat.Message) bool { return len(m.ToolCalls) > maxCalls }) {
		return messages, nil
	}
	out, from = make([]chat.Message, 0, len(messages)), make([]int, 0, len(messages))
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if len(m.ToolCalls) <= maxCalls {
			out, from = append(out, m), append(from, i)
			continue
		}
		end := i + 1
		for end < len(messages) && messages[end].Role == chat.Tool {
			end++
		}
		calls := m.ToolCalls
		for first := true; len(calls) > 0; first = false {
			group := m
			group.ToolCalls = calls[:min(maxCalls, len(calls))]
			calls = calls[len(group.ToolCalls):]
			at := i
			if !first { // it was sent already
				group.Content, at = chat.Content{Null: true}, -1
			}
			out, from = append(out, group), append(from, at)
			within := map[string]bool{}
			for _, c := range group.ToolCalls {
				within[c.ID] = true
			}
			for k := i + 1; k < end; k++ {
				if within[messages[k].ToolCallID] {
					out, from = append(out, messages[k]), append(from, k)
				}
			}
		}
		i = end - 1
	}
	return out, from
}
