// Package compaction plans how to replace a long conversation with a summary (SPEC 11.4-11.8): when
// that is due, what is covered and what stays, how to give the covered part to a model so that it
// fits, whether the summary is good enough, what it costs, and what it omits. It asks no model and
// changes no notebook.
package compaction

import (
	"mutsumi/backend/chat"
)

// Message is a message of the conversation, oldest first.
type Message struct {
	chat.Message
	Cell   string
	Failed bool // of a tool: it ended in an error, or its command with a status other than 0
	Exit   int  // status of a command that failed
	// Summary: it is an earlier summary, which the new one replaces.
	Summary bool
	Tokens  int
}

// Limits for summaries and their input.
const (
	// WordsTokens is how many tokens of the person's own words a summary repeats at most.
	WordsTokens = 20_000
	// MaxSummary is the maximum size of a summary in tokens.
	MaxSummary = 16_000
	// maxShare is the maximum size of a summary, in percent of the part that it replaces.
	maxShare = 60
	// ResultsKept is how many tokens of the newest results stay whole when results are cut without
	// a model.
	ResultsKept = 40_000
)

// TooLong says why a summary of so many tokens cannot replace before tokens; "" if it can.
func TooLong(summary, before int) string {
	switch {
	case summary > MaxSummary:
		return "The summary is longer than 16,000 tokens."
	case summary*100 > before*maxShare:
		return "The summary is not smaller than 60 % of what it replaces."
	}
	return ""
}
