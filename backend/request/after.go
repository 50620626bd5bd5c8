package request

import (
	"encoding/json"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
)

// Placeholders for the turn after a request that is not sent yet.
const (
	someAnswer = "Done."
	somePrompt = "And then?"
)

// Asking returns s with a short prompt if its own is empty: a request that is sent has
// one.
func (s Spec) Asking() Spec {
	if s.Prompt.Parts == nil && strings.TrimSpace(s.Prompt.String()) == "" {
		s.Prompt = chat.Text(somePrompt)
	}
	return s
}

// After returns the basis of the request after that of s: the prompt was sent as built, a short
// answer came, and a short prompt follows.
func (s Spec) After(built prompt.Result) (Spec, error) {
	sent, err := json.Marshal(built.Sent)
	s.Turns = append(slices.Clip(s.Turns),
		notebook.HistoryMessage{Cell: s.Cell, Message: chat.Message{Role: chat.User, Content: s.Prompt}, Sent: sent},
		notebook.HistoryMessage{Cell: s.Cell, Message: chat.Message{Role: chat.Assistant, Content: chat.Text(someAnswer)}})
	s.Cell += "+" // no cell has such an id
	s.Prompt, s.Answer, s.Continues, s.sent = chat.Text(somePrompt), nil, false, nil
	return s, err
}
