package offer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mutsumi/backend/clip"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/tool"
	"mutsumi/backend/tool/builtin"
)

// Ask puts a question to the person, as for ask_user.
type Ask func(context.Context, tool.Env, builtin.Question) (builtin.Answer, error)

// The program's own choices in the questions of servers.
const (
	opened = "I opened it"
	done   = "I am done there"
	yes    = "Yes"
	no     = "No"
	leave  = "Leave it empty"
)

// asks passes a server's questions during a tool call to the person: one question for an address,
// one for each field of a form. Declining one declines all.
func asks(server string, env tool.Env, ask Ask) client.Asks {
	return func(ctx context.Context, q client.Question) (client.Answer, error) {
		head := fmt.Sprintf("The MCP server %s asks:\n\n%s", short(server), quote(q.Text))
		if q.Address != "" {
			text, agreed := head+"\n\nIt wants you to open this address, which it chose:\n\n"+quote(q.Address), opened
			if q.First {
				text, agreed = text+"\n\nIt does what the agent asked for once you are done there.", done
			}
			a, err := ask(ctx, env, builtin.Question{Text: text, Choices: []string{agreed, no}})
			if err != nil || a.Declined || a.Text != agreed {
				return client.Answer{Action: client.Decline}, err
			}
			return client.Answer{Action: client.Accept}, nil
		}
		if len(q.Fields) == 0 {
			a, err := ask(ctx, env, builtin.Question{Text: head, Choices: []string{yes, no}})
			if err != nil || a.Declined || a.Text != yes {
				return client.Answer{Action: client.Decline}, err
			}
			return client.Answer{Action: client.Accept}, nil
		}
		values := map[string]any{}
		for _, f := range q.Fields {
			value, declined, err := field(ctx, env, ask, head, f)
			if err != nil || declined {
				return client.Answer{Action: client.Decline}, err
			}
			if value != nil {
				values[f.Name] = value
			}
		}
		return client.Answer{Action: client.Accept, Values: values}, nil
	}
}

// quote marks a server's text as a quotation, not the program's own words.
func quote(s string) string {
	return "> " + strings.ReplaceAll(clip.Text(strings.TrimSpace(clip.Visible(s)), 2000), "\n", "\n> ")
}

// field asks for one field, repeatedly while the answer does not fit; nil: it is left empty.
func field(ctx context.Context, env tool.Env, ask Ask, head string, f client.Field) (value any, declined bool, err error) {
	label := f.Name
	if f.Title != "" {
		label = f.Title
	}
	label = clip.VisibleLine(label, 200)
	if f.Description != "" {
		label += ": " + clip.VisibleLine(f.Description, 500)
	}
	text := head + "\n>\n" + quote(label)
	if len(f.Default) > 0 && json.Valid(f.Default) {
		text += "\n\nIt proposes " + clip.VisibleLine(string(f.Default), 200) + "."
	}
	q := builtin.Question{Text: text, Several: f.Several}
	labels, values := choicesOf(f)
	q.Choices = slices.Clone(labels)
	if !f.Required {
		q.Choices = append(q.Choices, leave)
	}
	for {
		a, err := ask(ctx, env, q)
		if err != nil || a.Declined {
			return nil, true, err
		}
		if a.Text == leave && !f.Required {
			return nil, false, nil
		}
		if value, problem := valueOf(f, a.Text, labels, values); problem == "" {
			return value, false, nil
		} else {
			q.Text = text + "\n\n" + problem
		}
	}
}

// choicesOf returns the labels of a field's choices and the values behind them.
func choicesOf(f client.Field) (labels []string, values []any) {
	if f.Kind == "boolean" {
		return []string{yes, no}, []any{true, false}
	}
	const most = 19 // choices of a question, including one of our own
	for i, c := range f.Choices {
		if i == most {
			break
		}
		label := c
		if i < len(f.Labels) {
			label = f.Labels[i]
		}
		if label = clip.VisibleLine(label, 100); label == "" || label == leave || slices.Contains(labels, label) {
			label = fmt.Sprintf("%d: %s", i+1, clip.VisibleLine(c, 100))
		}
		labels, values = append(labels, label), append(values, c)
	}
	return labels, values
}

// valueOf converts an answer to the type of a field, or says what is wrong with it.
func valueOf(f client.Field, answer string, labels []string, values []any) (value any, problem string) {
	answer = strings.TrimSpace(answer)
	if len(labels) > 0 {
		var chosen []any
		for rest := answer; rest != "" || len(chosen) == 0; {
			i := firstOf(labels, rest, f.Several)
			if i < 0 {
				return nil, "Take what is offered."
			}
			chosen = append(chosen, values[i])
			rest = strings.TrimPrefix(strings.TrimPrefix(rest, labels[i]), ", ")
		}
		if f.Several {
			return chosen, outside(f, float64(len(chosen)), "Choose at least %s.", "Choose at most %s.")
		}
		return chosen[0], ""
	}
	switch f.Kind {
	case "integer":
		if n, err := strconv.ParseInt(answer, 10, 64); err == nil {
			return n, outside(f, float64(n), "Enter a number from %s on.", "Enter a number up to %s.")
		}
		return nil, "Enter a whole number."
	case "number":
		if n, err := strconv.ParseFloat(answer, 64); err == nil && n-n == 0 {
			return n, outside(f, n, "Enter a number from %s on.", "Enter a number up to %s.")
		}
		return nil, "Enter a number."
	}
	return answer, outside(f, float64(utf8.RuneCountInString(answer)), "Enter at least %s characters.", "Enter at most %s characters.")
}

// outside reports that a number is outside the limits of a field; "": it is not. The server would
// refuse the whole form without a reason.
func outside(f client.Field, n float64, less, more string) string {
	shown := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	switch {
	case f.Least != nil && n < *f.Least:
		return fmt.Sprintf(less, shown(*f.Least))
	case f.Most != nil && n > *f.Most:
		return fmt.Sprintf(more, shown(*f.Most))
	}
	return ""
}

// firstOf returns the index of the longest choice that an answer is, or with several begins with.
func firstOf(labels []string, answer string, several bool) int {
	best := -1
	for i, l := range labels {
		if (answer == l || several && strings.HasPrefix(answer, l+", ")) && (best < 0 || len(l) > len(labels[best])) {
			best = i
		}
	}
	return best
}
