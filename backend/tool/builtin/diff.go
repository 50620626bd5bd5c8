package builtin

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/linediff"
)

// unified writes the difference of two texts, with at most most lines.
func unified(before, after string, most int) string {
	return linediff.Unified(linediff.TextLines(before), linediff.TextLines(after), most)
}

// changeFacts counts the lines that a change of a file adds and removes.
func changeFacts(before, after string) *chat.CallFacts {
	f := &chat.CallFacts{}
	f.Added, f.Removed = linediff.Count(linediff.Changes(linediff.TextLines(before), linediff.TextLines(after)))
	return f
}
