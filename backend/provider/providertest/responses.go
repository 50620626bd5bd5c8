package providertest

import "fmt"

// responsesSpeaker speaks the Responses API.
type responsesSpeaker struct {
	*player
	started bool
	number  int    // of the event
	next    int    // the index of the next item
	kind    string // of the item under way; "": none. A call ends with the answer
	item    object // of the item under way
	said    string // of the item under way
	as      string // the phase of the next message
	calls   map[int]*responsesCall
	order   []*responsesCall
}

type responsesCall struct {
	index     int
	item      object
	arguments string
}

func (p *responsesSpeaker) send(kind string, o object) {
	o["type"], o["sequence_number"] = kind, p.number
	p.number++
	p.event(kind, encode(o))
}

func (p *responsesSpeaker) begin() {
	if !p.started {
		p.started = true
		p.send("response.created", object{"response": object{"id": "resp_1", "object": "response", "model": p.model, "status": "in_progress", "output": []any{}}})
	}
}

// open begins an item, if none of its kind is under way, and ends another.
func (p *responsesSpeaker) open(kind string, item object) {
	p.begin()
	if p.kind == kind {
		return
	}
	switch p.kind {
	case "message":
		part := object{"type": "output_text", "text": p.said, "annotations": []any{}}
		p.send("response.output_text.done", object{"output_index": p.next - 1, "content_index": 0, "item_id": p.item["id"], "text": p.said})
		p.send("response.content_part.done", object{"output_index": p.next - 1, "content_index": 0, "item_id": p.item["id"], "part": part})
		p.item["status"], p.item["content"] = "completed", []any{part}
		p.send("response.output_item.done", object{"output_index": p.next - 1, "item": p.item})
	case "reasoning":
		if p.said != "" {
			part := object{"type": "summary_text", "text": p.said}
			p.send("response.reasoning_summary_text.done", object{"output_index": p.next - 1, "summary_index": 0, "item_id": p.item["id"], "text": p.said})
			p.item["summary"] = []any{part}
		}
		p.send("response.output_item.done", object{"output_index": p.next - 1, "item": p.item})
	}
	p.kind, p.item, p.said = kind, item, ""
	if kind == "" {
		return
	}
	p.item["type"], p.item["id"] = kind, fmt.Sprintf("%s_%d", kind[:3], p.next)
	p.send("response.output_item.added", object{"output_index": p.next, "item": p.item})
	p.next++
}

func (p *responsesSpeaker) text(s string) {
	if p.kind != "message" {
		item := object{"role": "assistant", "status": "in_progress", "content": []any{}}
		if p.as != "" {
			item["phase"] = p.as
		}
		p.open("message", item)
		p.send("response.content_part.added", object{"output_index": p.next - 1, "content_index": 0, "item_id": p.item["id"],
			"part": object{"type": "output_text", "text": "", "annotations": []any{}}})
	}
	p.said += s
	p.send("response.output_text.delta", object{"output_index": p.next - 1, "content_index": 0, "item_id": p.item["id"], "delta": s})
}

func (p *responsesSpeaker) thought(_, s string) {
	if p.kind != "reasoning" {
		p.open("reasoning", object{"summary": []any{}})
		p.send("response.reasoning_summary_part.added", object{"output_index": p.next - 1, "summary_index": 0, "item_id": p.item["id"],
			"part": object{"type": "summary_text", "text": ""}})
	}
	p.said += s
	p.send("response.reasoning_summary_text.delta", object{"output_index": p.next - 1, "summary_index": 0, "item_id": p.item["id"], "delta": s})
}

func (p *responsesSpeaker) sign(s string) {
	p.open("reasoning", object{"summary": []any{}})
	p.item["encrypted_content"] = s
	p.open("", nil)
}

func (p *responsesSpeaker) redacted(s string) { p.sign(s) }

func (p *responsesSpeaker) phase(s string) {
	p.open("", nil)
	p.as = s
}

func (p *responsesSpeaker) call(index int, id, name, arguments string) {
	p.open("", nil)
	c := &responsesCall{index: p.next, item: object{"type": "function_call", "id": fmt.Sprintf("fc_%d", p.next), "call_id": id, "name": name, "arguments": "", "status": "in_progress"}}
	p.calls[index] = c
	p.order = append(p.order, c)
	p.send("response.output_item.added", object{"output_index": p.next, "item": c.item})
	p.next++
	if arguments != "" {
		p.arguments(index, arguments)
	}
}

func (p *responsesSpeaker) arguments(index int, s string) {
	c := p.calls[index]
	c.arguments += s
	p.send("response.function_call_arguments.delta", object{"output_index": c.index, "item_id": c.item["id"], "delta": s})
}

func (p *responsesSpeaker) finish(reason string, _ bool) {
	p.open("", nil)
	for _, c := range p.order {
		c.item["arguments"], c.item["status"] = c.arguments, "completed"
		p.send("response.function_call_arguments.done", object{"output_index": c.index, "item_id": c.item["id"], "arguments": c.arguments})
		p.send("response.output_item.done", object{"output_index": c.index, "item": c.item})
	}
	r := object{"id": "resp_1", "object": "response", "model": p.model, "status": "completed", "incomplete_details": nil, "error": nil}
	kind := "response.completed"
	if words := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}; words[reason] != "" {
		kind, r["status"], r["incomplete_details"] = "response.incomplete", "incomplete", object{"reason": words[reason]}
	}
	if u := p.usage; u != nil {
		r["usage"] = object{"input_tokens": u["in"], "input_tokens_details": object{"cached_tokens": u["cached"]},
			"output_tokens": u["out"], "output_tokens_details": object{"reasoning_tokens": u["reasoning"]}, "total_tokens": u["in"] + u["out"]}
	}
	p.send(kind, object{"response": r})
}

func (p *responsesSpeaker) failure(message string) string {
	return encode(object{"type": "error", "code": "server_error", "message": message, "param": nil})
}
