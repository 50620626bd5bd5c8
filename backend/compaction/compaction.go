// Package compaction plans how a long conversation is replaced by a summary
// (SPEC 11.4-11.8): when that is due, what is covered and what stays, how the
// covered part is given to a model so that it fits, whether the summary is good
// enough, what it costs, and what the summary leaves out of the covered part. It asks no
// model and changes no notebook.
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

// Bounds of what a summary is made of and of what it may be.
const (
	// WordsTokens is how much of the person's own words a summary repeats at most.
	WordsTokens = 20_000
	// MaxSummary is how many tokens a summary has at most.
	MaxSummary = 16_000
	// maxShare is how much of what it replaces a summary may be, in percent.
	maxShare = 60
	// ResultsKept is how many tokens of the newest results stay whole when results
	// are cut without a model.
	ResultsKept = 40_000
)

// TooLong says why a summary of so many tokens cannot replace before tokens; ""
// when it can.
func TooLong(summary, before int) string {
	switch {
	case summary > MaxSummary:
		return "The summary is longer than 16,000 tokens."
	case summary*100 > before*maxShare:
		return "The summary is not smaller than 60 % of what it replaces."
	}
	return ""
}
