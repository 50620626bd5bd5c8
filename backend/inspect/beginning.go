package inspect

import (
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/promptcache"
)

// Beginning returns what a request shares with the previous one, to estimate the server's cache,
// and describes the first difference.
//
// last is the first request of a run. The requests of its later steps continued it with the
// messages of the answer, so those count as sent too, except the last of them, which was in no
// request.
func Beginning(last, this Record, now time.Time) (b promptcache.Beginning, brokenBy string) {
	if last.Number == 0 {
		return promptcache.Beginning{NoneSent: true}, ""
	}
	if last.SentMs > 0 {
		b.Ago = max(0, now.Sub(time.UnixMilli(last.SentMs)))
	}
	cache := prefix(last, this)
	b.Same = cache.Tokens
	for _, m := range last.Messages {
		b.Last += m.tokens()
	}
	if cache.BrokenBy != "" || b.Same < b.Last {
		b.Marked = last.breakpoints()
		return b, cache.BrokenBy
	}
	answer := this.Messages[min(len(last.Messages), len(this.Messages)):]
	for i, m := range answer {
		steps := m.Role == string(chat.Assistant) || m.Role == string(chat.Tool)
		if !steps || i+1 == len(answer) || answer[i+1].Role != string(chat.Assistant) && answer[i+1].Role != string(chat.Tool) {
			break
		}
		b.Same += m.tokens()
	}
	b.Last = b.Same
	b.Marked = append(last.breakpoints(), b.Same)
	return b, ""
}

// breakpoints are the token counts before each place of a request that encoders mark for a cache:
// before the conversation, before the last prompt, and at the end.
func (r Record) breakpoints() []int {
	head, prompt, total := 0, 0, 0
	begun := false
	for _, m := range r.Messages {
		switch m.Role {
		case ToolsRole, string(chat.System):
			if !begun {
				head = total + m.tokens()
			}
		case string(chat.User):
			begun = true
			prompt = total
		default:
			begun = true
		}
		total += m.tokens()
	}
	return []int{head, max(head, prompt), total}
}

func (m Message) tokens() (n int) {
	for _, s := range m.Segments {
		n += s.Tokens
	}
	return n
}
