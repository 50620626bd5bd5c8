// Package inspect describes a request as it is sent: its content, the source of each segment, and
// the differences from the previous request (SPEC 5.7). The run, the meter, the preview and the
// command line all use it, so that there is one answer.
//
// It sends nothing and stores nothing: package agent makes the request, a client (provider.Wire)
// writes it, package agentfiles stores the last one.
package inspect

import (
	"cmp"
	"slices"
	"strings"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/jsontext"
	"mutsumi/backend/prompt"
	"mutsumi/backend/provider"
	"mutsumi/backend/tokens"
)

// Request is the next request of a notebook.
type Request struct {
	Sent provider.Request // as it is sent to its server

	// Parts cover all of Sent: the tools, then each message from beginning to end; then the parts
	// that are shown but not sent.
	Parts []prompt.Part
}

// Added is the source of what the program itself adds to a conversation.
const Added = "Mutsumi"

// Of returns the first request of a run of cfg, whose messages begin with those of built; the rest
// is the answer of cell so far, which continues. wire is the client of the server; nil: the
// server's particulars are unknown.
func Of(built prompt.Result, cfg agent.Config, cell string, wire provider.Wire) Request {
	return DraftOf(built, cfg, wire).Request(cell)
}

// Draft is a request whose parts are not computed yet, for callers that may only send it.
type Draft struct {
	Sent provider.Request // as it is sent to its server

	built prompt.Result
	cfg   agent.Config
	moves []agent.Move
}

// DraftOf returns the draft of Of.
func DraftOf(built prompt.Result, cfg agent.Config, wire provider.Wire) Draft {
	sent, moves := agent.First(cfg)
	if wire != nil {
		sent = wire.Outgoing(sent)
	}
	return Draft{sent, built, cfg, moves}
}

// Request returns the request with its parts, see Of.
func (d Draft) Request(cell string) Request {
	r := &reader{sent: d.Sent, count: d.cfg.Tokens.Begin()}
	r.parts = make([]prompt.Part, 0, len(d.Sent.Tools)+len(d.built.Parts)+len(d.Sent.Messages)/2)
	r.tools()
	r.known(d.built.Parts, d.moves)
	r.answer(d.cfg.Messages, len(d.built.Messages), cell, d.moves)
	r.calls()
	r.rest()
	r.parts = slices.DeleteFunc(r.parts, func(p prompt.Part) bool { // a message with only calls has no text
		return p.Kind == prompt.KindHistory && p.Place == prompt.PlaceContent && p.Start == p.End
	})
	slices.SortStableFunc(r.parts, order)
	return Request{d.Sent, append(r.parts, r.left...)}
}

// Sized returns the parts with the byte sizes of those that are JSON in the body, calls and tool
// definitions: computing them requires encoding.
func (r Request) Sized(wire provider.Wire) []prompt.Part {
	parts := append([]prompt.Part{}, r.Parts...)
	for i := range parts {
		p := &parts[i]
		switch p.Place {
		case prompt.PlaceTools:
			p.End = len(definition(wire, r.Sent.Tools[p.Piece]))
		case prompt.PlaceCalls:
			p.End = len(callText(wire, r.Sent.Messages[p.Message].ToolCalls[p.Piece]))
		default:
			continue
		}
		p.Bytes = p.End
	}
	return parts
}

// Tokens counts the whole request.
func (r Request) Tokens() (n int, estimated bool) {
	for _, p := range r.Parts {
		n += p.Tokens
		estimated = estimated || p.Estimated
	}
	return n, estimated
}

// reader finds the parts of a request.
type reader struct {
	sent        provider.Request
	count       *tokens.Count
	parts, left []prompt.Part
}

// order is the order of the body; a frame comes before its content.
func order(a, b prompt.Part) int {
	if tool := prompt.PlaceTools; (a.Place == tool) != (b.Place == tool) {
		if a.Place == tool {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(a.Message, b.Message),
		cmp.Compare(rank[a.Place], rank[b.Place]),
		cmp.Compare(a.Piece, b.Piece),
		cmp.Compare(a.Start, b.Start),
		cmp.Compare(b.End, a.End),
	)
}

var rank = map[prompt.Place]int{prompt.PlaceReasoning: 1, prompt.PlaceKept: 2, prompt.PlaceCalls: 3}

func (r *reader) add(p prompt.Part, texts ...string) {
	for _, text := range texts {
		n, exact := r.count.Text(text)
		p.Tokens += n
		p.Estimated = p.Estimated || !exact
	}
	r.parts = append(r.parts, p)
}

// tools adds the definitions of tools. It is unknown how a server presents them to its model, so
// they are always estimated.
func (r *reader) tools() {
	for i, t := range r.sent.Tools {
		p := prompt.Part{
			ID: string(prompt.KindDefinition) + ":" + t.Name, Kind: prompt.KindDefinition, Source: t.Name,
			Place: prompt.PlaceTools, Piece: i, Estimated: true,
		}
		r.add(p, t.Name, t.Description, string(t.Parameters))
	}
}

// definition is a tool as encoded in the body.
func definition(wire provider.Wire, t provider.ToolSpec) string {
	if wire == nil {
		return t.Name + "\n" + t.Description + "\n" + string(t.Parameters)
	}
	text, err := wire.Tool(t)
	if err != nil {
		return "" // a schema that is not JSON: the request fails for the same reason
	}
	return string(text)
}

type pieceAt struct{ message, piece int }

// known puts the parts of the build to where their pieces went.
func (r *reader) known(parts []prompt.Part, moves []agent.Move) {
	to := make(map[pieceAt]agent.Move, len(moves))
	for _, m := range moves {
		to[pieceAt{m.From, m.Piece}] = m
	}
	for _, p := range parts {
		m, sent := to[pieceAt{p.Message, p.Piece}]
		switch {
		case p.Message < 0:
			r.left = append(r.left, p)
		case sent:
			p.Message, p.Piece, p.Start, p.End = m.To, m.ToPiece, p.Start+m.Start, p.End+m.Start
			r.parts = append(r.parts, p)
		}
	}
}

// answer adds the messages that came already of an answer that continues.
func (r *reader) answer(messages []chat.Message, from int, cell string, moves []agent.Move) {
	for _, m := range moves {
		if m.From < from {
			continue
		}
		was := messages[m.From]
		p := prompt.Part{
			ID: string(prompt.KindHistory) + ":" + string(was.Role), Kind: prompt.KindHistory, Source: string(was.Role), Cell: cell,
			Message: m.To, Piece: m.ToPiece, Start: m.Start,
		}
		text := was.Content.String()
		if was.Content.Parts != nil {
			if image := was.Content.Parts[m.Piece].ImageURL; image != nil {
				p.ID, p.Kind, p.Source = "image:"+was.Name, prompt.KindImage, was.Name
				p.Bytes, p.Tokens, p.Estimated = len(image.URL), tokens.Image(r.sent.Model, 0, 0), true
				r.add(p)
				continue
			}
			if f := was.Content.Parts[m.Piece].File; f != nil {
				p.Source = f.Name
				r.add(prompt.DocumentPart(f, r.sent.Model, p))
				continue
			}
			text = was.Content.Parts[m.Piece].Text
		}
		p.Bytes, p.End = len(text), m.Start+len(text)
		r.add(p, text)
	}
}

// calls adds what messages contain besides their content.
func (r *reader) calls() {
	cells := map[int]string{}
	for _, p := range r.parts {
		if p.Cell != "" && p.Kind == prompt.KindHistory && p.Place == prompt.PlaceContent {
			cells[p.Message] = p.Cell
		}
	}
	for i, m := range r.sent.Messages {
		p := prompt.Part{ID: string(prompt.KindHistory) + ":" + string(m.Role), Kind: prompt.KindHistory, Source: string(m.Role), Cell: cells[i], Message: i}
		if m.ReasoningContent != "" {
			p.Place, p.Bytes, p.End = prompt.PlaceReasoning, len(m.ReasoningContent), len(m.ReasoningContent)
			r.add(p, m.ReasoningContent)
		}
		if m.Kept != nil {
			for k, item := range m.Kept.Items { // only its server knows its tokens
				kept := p
				kept.Place, kept.Piece, kept.Bytes, kept.End, kept.Estimated = prompt.PlaceKept, k, len(item.Item), len(item.Item), true
				r.add(kept, string(item.Item))
			}
		}
		for k, c := range m.ToolCalls {
			p.Place, p.Piece, p.Bytes, p.End = prompt.PlaceCalls, k, 0, 0
			r.add(p, c.Function.Name, c.Function.Arguments)
		}
	}
}

// callText is a call as encoded in the body.
func callText(wire provider.Wire, c chat.ToolCall) string {
	var text []byte
	var err error
	if wire == nil {
		text, err = jsontext.Marshal(c)
	} else {
		text, err = wire.Call(c)
	}
	if err != nil {
		return c.Function.Name + " " + c.Function.Arguments // a server added invalid JSON: the request fails for the same reason
	}
	return string(text)
}

// rest adds bytes that belong to no part: a frame's line breaks, and the program's additions to the
// conversation.
func (r *reader) rest() {
	covered := map[pieceAt][]int{} // indices of parts
	for i, p := range r.parts {
		if p.Place == prompt.PlaceContent {
			at := pieceAt{p.Message, p.Piece}
			covered[at] = append(covered[at], i)
		}
	}
	for i, m := range r.sent.Messages {
		for k := range max(1, len(m.Content.Parts)) {
			if m.Content.Parts != nil && (m.Content.Parts[k].ImageURL != nil || m.Content.Parts[k].File != nil) {
				continue
			}
			parts := covered[pieceAt{i, k}]
			slices.SortStableFunc(parts, func(a, b int) int { return order(r.parts[a], r.parts[b]) })
			text, at := pieceOf(m.Content, k), 0
			for _, part := range parts {
				p := &r.parts[part]
				if p.Kind == prompt.KindFrame && p.Start > at && strings.TrimSpace(text[at:p.Start]) == "" {
					r.extend(p, at, text)
				}
				end := p.End
				r.gap(i, k, at, p.Start, text)
				at = max(at, end)
			}
			r.gap(i, k, at, len(text), text)
		}
	}
}

// extend has a frame begin earlier: what parts it from the prompt is its own.
func (r *reader) extend(p *prompt.Part, from int, text string) {
	n, exact := r.count.Text(text[from:p.Start])
	p.Bytes += p.Start - from
	p.Tokens += n
	p.Estimated = p.Estimated || !exact
	p.Start = from
}

func (r *reader) gap(message, piece, from, to int, text string) {
	if from >= to {
		return
	}
	r.add(prompt.Part{
		ID: string(prompt.KindHistory) + ":" + Added, Kind: prompt.KindHistory, Source: Added,
		Bytes: to - from, Message: message, Piece: piece, Start: from, End: to,
	}, text[from:to])
}

// pieceOf is the text of a piece of a content; of an image its address, of a document
// its data.
func pieceOf(c chat.Content, piece int) string {
	if c.Parts == nil {
		return c.String()
	}
	if piece >= len(c.Parts) {
		return ""
	}
	if image := c.Parts[piece].ImageURL; image != nil {
		return image.URL
	}
	if f := c.Parts[piece].File; f != nil {
		return f.Data
	}
	return c.Parts[piece].Text
}
