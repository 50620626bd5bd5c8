package providertest

import "cmp"

// messagesSpeaker speaks the Messages API.
type messagesSpeaker struct {
	*player
	started bool
	next    int         // the index of the next block
	kind    string      // of the block under way; "": none
	blocks  map[int]int // indices of the blocks of calls
}

func (p *messagesSpeaker) send(o object) { p.event(o["type"].(string), encode(o)) }

// open begins a block, if none of its kind is under way, and ends another.
func (p *messagesSpeaker) open(kind string, block object) {
	if !p.started {
		p.started = true
		p.send(object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": p.model,
			"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 0, "output_tokens": 0}}})
	}
	if p.kind == kind && kind != "tool_use" || kind == "" && p.kind == "" {
		return
	}
	if p.kind != "" {
		p.send(object{"type": "content_block_stop", "index": p.next - 1})
	}
	if p.kind = kind; kind == "" {
		return
	}
	block["type"] = kind
	p.send(object{"type": "content_block_start", "index": p.next, "content_block": block})
	p.next++
}

func (p *messagesSpeaker) delta(index int, kind, field, s string) {
	p.send(object{"type": "content_block_delta", "index": index, "delta": object{"type": kind, field: s}})
}

func (p *messagesSpeaker) text(s string) {
	p.open("text", object{"text": ""})
	p.delta(p.next-1, "text_delta", "text", s)
}

func (p *messagesSpeaker) thought(_, s string) {
	p.open("thinking", object{"thinking": "", "signature": ""})
	p.delta(p.next-1, "thinking_delta", "thinking", s)
}

// sign ends the thought: a signature is the last thing in its block.
func (p *messagesSpeaker) sign(s string) {
	p.open("thinking", object{"thinking": "", "signature": ""})
	p.delta(p.next-1, "signature_delta", "signature", s)
	p.open("", nil)
}

func (p *messagesSpeaker) redacted(s string) {
	p.open("", nil)
	p.open("redacted_thinking", object{"data": s})
	p.open("", nil)
}

func (p *messagesSpeaker) phase(string) {}

func (p *messagesSpeaker) call(index int, id, name, arguments string) {
	p.open("tool_use", object{"id": id, "name": name, "input": object{}})
	p.blocks[index] = p.next - 1
	p.delta(p.next-1, "input_json_delta", "partial_json", "")
	if arguments != "" {
		p.arguments(index, arguments)
	}
}

func (p *messagesSpeaker) arguments(index int, s string) {
	p.delta(p.blocks[index], "input_json_delta", "partial_json", s)
}

func (p *messagesSpeaker) finish(reason string, done bool) {
	p.open("", nil)
	words := map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}
	usage := object{"output_tokens": 0}
	if u := p.usage; u != nil {
		usage = object{"input_tokens": u["in"] - u["cached"], "cache_creation_input_tokens": 0, "cache_read_input_tokens": u["cached"], "output_tokens": u["out"]}
	}
	p.send(object{"type": "message_delta", "delta": object{"stop_reason": cmp.Or(words[reason], reason), "stop_sequence": nil}, "usage": usage})
	if done {
		p.send(object{"type": "message_stop"})
	}
}

func (p *messagesSpeaker) failure(message string) string {
	return encode(object{"type": "error", "error": object{"type": "api_error", "message": message}})
}
