package anthropic

import (
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/lazyregexp"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/exchange"
)

// thinking is the request's wish for thoughts. Newer models think as they see
// fit and take an effort; those before them take a number of tokens.
type thinking struct {
	adaptive bool
	effort   string // "": not set
	budget   int    // tokens; 0: none
	display  bool   // a summary of the thoughts is wanted
}

// unthinking are models that do not think; budgeted those that think with a number of tokens, as
// other vendors' models do.
var (
	unthinking = lazyregexp.New(`claude-(2|instant|3-5|3-opus|3-sonnet|3-haiku)`)
	budgeted   = lazyregexp.New(`claude-(3-7|(opus|sonnet)-4(-[015])?(-2\d{7})?$|haiku-4|(opus|sonnet)-4-[015](-|$))`)
)

// budgets are tokens by effort.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 12000, "high": 24000}

// think decides about the thoughts of a request with room for so many tokens.
func think(req provider.Request, off exchange.Features, room int, maker string) thinking {
	name := strings.ToLower(req.Model[strings.LastIndexByte(req.Model, '/')+1:])
	effort := req.ReasoningEffort
	if effort == "" || unthinking.MatchString(name) {
		return thinking{}
	}
	adaptive := strings.Contains(name, "claude") && !budgeted.MatchString(name)
	switch {
	case adaptive && off&adaptiveThinking != 0:
		adaptive = false
	case !adaptive && off&thinkingBudget != 0:
		adaptive = true
	}
	if effort == "minimal" && adaptive {
		effort = "low" // its least
	}
	switch {
	case adaptive && off&adaptiveThinking == 0:
		t := thinking{adaptive: true, effort: effort, display: off&thinkingDisplay == 0}
		if off&effortLevel != 0 {
			t.effort = ""
		}
		return t
	case !adaptive && off&thinkingBudget == 0 && !thoughtless(req.Messages, maker):
		budget := min(budgets[effort], room/2)
		if budget >= 1024 { // the least that is taken
			return thinking{budget: budget}
		}
	}
	return thinking{}
}

// thoughtless reports whether the turn under way has calls without a thought
// before them: the model that thinks with a number of tokens refuses to go on
// from an answer that it did not begin with one.
func thoughtless(messages []chat.Message, maker string) bool {
	for i := len(messages) - 1; i >= 0 && messages[i].Role != chat.User; i-- {
		if m := messages[i]; len(m.ToolCalls) > 0 {
			if p := exchange.Pieces(m, maker); p[0].Kept == nil {
				return true
			}
		}
	}
	return false
}

// appendThinking writes the members of a request that are about thoughts.
func appendThinking(dst []byte, t thinking) []byte {
	switch {
	case t.adaptive:
		dst = append(dst, `,"thinking":{"type":"adaptive"`...)
		if t.display {
			dst = append(dst, `,"display":"summarized"`...)
		}
		dst = append(dst, '}')
		if t.effort != "" {
			dst = append(dst, `,"output_config":{"effort":"`+t.effort+`"}`...)
		}
	case t.budget > 0:
		dst = appendNumber(append(dst, `,"thinking":{"type":"enabled","budget_tokens":`...), t.budget)
		dst = append(dst, '}')
	}
	return dst
}
