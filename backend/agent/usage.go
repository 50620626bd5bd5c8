package agent

import (
	"unicode/utf8"

	"mutsumi/backend/chat"
)

// imageTokens is what an image costs, roughly, with most models.
const imageTokens = 1000

// estimate guesses the tokens of a text, for servers that report no usage:
// one for four characters of ASCII, one for a character of three bytes, half
// of one for a character of two.
func estimate(s string) int {
	runes := utf8.RuneCountInString(s)
	other := (len(s) - runes + 1) / 2
	return (runes-min(other, runes)+3)/4 + other
}

func estimateMessage(m chat.Message) int {
	n := 4 + estimate(m.Content.String()) + estimate(m.ReasoningContent)
	for _, p := range m.Content.Parts {
		if p.Type == chat.PartImage {
			n += imageTokens
		}
	}
	for _, c := range m.ToolCalls {
		n += 8 + estimate(c.Function.Name) + estimate(c.Function.Arguments)
	}
	return n
}

func (a *answer) estimate() int {
	n := estimate(a.text.String()) + estimate(a.reasoning.String())
	for _, c := range a.calls {
		n += 8 + estimate(c.name) + estimate(c.args.String())
	}
	return n
}
