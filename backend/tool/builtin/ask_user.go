package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/tool"
)

// AskUser is the name of the tool that asks the person.
const AskUser = "ask_user"

// Talks reports whether a tool talks with the person or with other agents, or
// changes the conversation: an agent calls it while it works, and it cannot be in a prompt or a file.
func Talks(name string) bool {
	return name == AskUser || name == callAgentName || name == selfForkName || name == CompactChatHistory
}

// Asks reports whether a tool is offered only while a person can be asked.
func Asks(name string) bool { return name == AskUser || name == callAgentName }

// Bounds of a question.
const (
	maxQuestion = 16 << 10 // bytes
	maxChoices  = 20
	maxChoice   = 300 // bytes
)

// Question is an agent's question to the person.
type Question struct {
	Text    string   // Markdown
	Choices []string // none: the answer is free text, which is always possible
	Several bool     // more than one choice may be taken
}

// Answer is the person's answer to a question.
type Answer struct {
	Text     string
	Declined bool   // the person does not answer
	Reason   string // why not, if they gave a reason
}

type askUserIn struct {
	Question string   `json:"question" jsonschema:"the question, Markdown"`
	Choices  []string `json:"choices,omitempty" jsonschema:"answers to choose from, a few words each"`
	Several  bool     `json:"several,omitempty" jsonschema:"more than one choice may be taken"`
}

func (in askUserIn) Action() string { return "asking you" }

func (in askUserIn) Check() error {
	seen := map[string]bool{}
	switch {
	case strings.TrimSpace(in.Question) == "":
		return errors.New("the question is empty: say what you need to know")
	case len(in.Question) > maxQuestion:
		return fmt.Errorf("the question is longer than %d KB: name files instead of quoting them", maxQuestion>>10)
	case len(in.Choices) > maxChoices:
		return fmt.Errorf("there are more than %d choices: offer the best ones", maxChoices)
	}
	for _, c := range in.Choices {
		c = strings.TrimSpace(c)
		switch {
		case c == "":
			return errors.New("a choice is empty: leave it out")
		case len(c) > maxChoice:
			return fmt.Errorf("a choice is longer than %d bytes: explain it in the question", maxChoice)
		case seen[c]:
			return fmt.Errorf("the choice %q stands there twice", c)
		}
		seen[c] = true
	}
	if in.Several && len(in.Choices) < 2 {
		return errors.New("several needs choices to take from")
	}
	return nil
}

// askUser asks the person through ask, which blocks until there is an answer.
func askUser(ask func(context.Context, tool.Env, Question) (Answer, error)) tool.Tool {
	return tool.New(tool.Spec{
		Name: AskUser, Description: describe(AskUser), Reads: true,
		Arguments: map[string]string{"text": "question", "prompt": "question", "options": "choices", "multiple": "several"},
	}, func(ctx context.Context, env tool.Env, in askUserIn) tool.Result {
		q := Question{Text: strings.TrimSpace(in.Question), Choices: slices.Clone(in.Choices), Several: in.Several}
		for i := range q.Choices {
			q.Choices[i] = strings.Join(strings.Fields(q.Choices[i]), " ")
		}
		a, err := ask(ctx, env, q)
		switch {
		case err != nil:
			return tool.Error(fmt.Sprintf("Nobody answered (%v). Go on without an answer, and say what you assumed.", err))
		case a.Declined:
			res := tool.Text("The person does not answer this question. Go on without it and say what you assumed, or end your answer here if you cannot.")
			if a.Reason != "" {
				res.Content = "The person does not answer this question, and says why: " + a.Reason
			}
			res.Facts = &chat.CallFacts{Declined: true, Reason: a.Reason}
			return res
		}
		res := tool.Text("The person answers: " + a.Text)
		res.Facts = &chat.CallFacts{Answer: a.Text}
		return res
	})
}
