package providertest

// chatSpeaker speaks the chat API.
type chatSpeaker struct{ *player }

func (p chatSpeaker) text(s string)           { p.delta(object{"content": s}) }
func (p chatSpeaker) thought(field, s string) { p.delta(object{field: s}) }
func (p chatSpeaker) sign(string)             {}
func (p chatSpeaker) redacted(string)         {}
func (p chatSpeaker) phase(string)            {}

func (p chatSpeaker) call(index int, id, name, arguments string) {
	f := object{"arguments": arguments}
	c := object{"index": index, "type": "function", "function": f}
	if id != "" {
		c["id"] = id
	}
	if name != "" {
		f["name"] = name
	}
	p.delta(object{"tool_calls": []any{c}})
}

func (p chatSpeaker) arguments(index int, s string) {
	p.delta(object{"tool_calls": []any{object{"index": index, "function": object{"arguments": s}}}})
}

func (p chatSpeaker) finish(reason string, done bool) {
	p.event("", encode(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": p.model,
		"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}}}))
	if u := p.usage; u != nil && p.asked {
		p.event("", encode(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": p.model, "choices": []any{}, "usage": object{
			"prompt_tokens": u["in"], "completion_tokens": u["out"], "total_tokens": u["in"] + u["out"],
			"prompt_tokens_details":     object{"cached_tokens": u["cached"]},
			"completion_tokens_details": object{"reasoning_tokens": u["reasoning"]},
		}}))
	}
	if done {
		p.event("", "[DONE]")
	}
}

func (p chatSpeaker) failure(message string) string {
	return encode(object{"error": object{"message": message, "type": "server_error", "code": nil}})
}

func (p chatSpeaker) delta(d object) {
	p.event("", encode(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": p.model,
		"choices": []any{object{"index": 0, "delta": d, "finish_reason": nil}}}))
}
