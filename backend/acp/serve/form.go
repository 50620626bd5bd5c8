package serve

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/coder/acp-go-sdk"

	"mutsumi/backend/approval"
	"mutsumi/backend/clip"
)

// The fields of the form for a question.
const (
	fieldChoice = "choice"
	fieldText   = "text"
)

// showsForms reports whether an editor that initializes the protocol can show a form.
func showsForms(raw json.RawMessage) bool {
	var p struct {
		Capabilities struct {
			Elicitation struct {
				Form *struct{} `json:"form"`
			} `json:"elicitation"`
		} `json:"clientCapabilities"`
	}
	return json.Unmarshal(raw, &p) == nil && p.Capabilities.Elicitation.Form != nil
}

// form asks the person a question with a form: a choice, if there are choices, and a text.
func (t *turn) form(ctx context.Context, call acp.ToolCallId, q approval.Question) (d approval.Decision, err error) {
	type schema = map[string]any
	fields, required := schema{fieldText: schema{"type": "string", "title": "Answer"}}, []string{fieldText}
	if len(q.Choices) > 0 {
		choice := schema{"type": "string", "title": "Answer", "enum": q.Choices}
		if q.Several {
			choice = schema{"type": "array", "title": "Answers", "items": schema{"type": "string", "enum": q.Choices}}
		}
		fields, required = schema{fieldChoice: choice, fieldText: schema{"type": "string", "title": "Or in your own words"}}, []string{}
	}
	var answer struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if err := t.ask(ctx, acp.ClientMethodElicitationCreate, schema{
		"sessionId": t.id, "toolCallId": call, "mode": "form", "message": clip.Text(clip.Visible(q.Text), 20_000),
		"requestedSchema": schema{"type": "object", "properties": fields, "required": required},
	}, &answer); err != nil {
		return d, err
	}
	if said := answered(q, answer.Content); answer.Action == "accept" && said != "" {
		return approval.Decision{Allow: true, Answer: said}, nil
	}
	return d, nil
}

// answered is the answer in the fields of a form: the choices that were offered, and the text; "":
// nothing was said.
func answered(q approval.Question, content map[string]json.RawMessage) string {
	var parts, several []string
	var one, text string
	if json.Unmarshal(content[fieldChoice], &several) != nil && json.Unmarshal(content[fieldChoice], &one) == nil {
		several = []string{one}
	}
	for _, choice := range several {
		if slices.Contains(q.Choices, choice) {
			parts = append(parts, choice)
		}
	}
	if json.Unmarshal(content[fieldText], &text) == nil && strings.TrimSpace(text) != "" {
		parts = append(parts, strings.TrimSpace(text))
	}
	return strings.Join(parts, ", ")
}
