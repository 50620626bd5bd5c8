package openai

import (
	openai "github.com/sashabaranov/go-openai"

	"mutsumi/backend/chat"
)

// markedPart is a part of a message that ends with a breakpoint of the cache: routers
// hand it on to models that cache only what is marked.
type markedPart struct {
	part
	CacheControl cacheControl `json:"cache_control"`
}

type cacheControl struct {
	Type string `json:"type"`
}

// markForCache puts a breakpoint behind the instructions, before the last prompt, and at
// the end (SPEC 12.3). What has no text in it, as a message with nothing but calls, is
// passed over: the breakpoint stands behind what is before it.
func markForCache(list []message) {
	head, prompt := -1, len(list)
	for i, m := range list {
		switch {
		case m.Role == chat.System && head == i-1:
			head = i
		case m.Role == chat.User:
			prompt = i
		}
	}
	for _, end := range []int{head, prompt - 1, len(list) - 1} {
		for i := end; i > head || i == head && i >= 0; i-- {
			if mark(&list[i]) {
				break
			}
		}
	}
}

// mark puts a breakpoint behind a message, and reports whether it has one.
func mark(m *message) bool {
	var parts []part
	switch content := m.Content.(type) {
	case string:
		if content == "" {
			return false
		}
		parts = []part{{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: content}}}
	case chat.Content:
		parts = []part{{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: content.String()}}}
	case []part:
		parts = content
	case []any:
		return true // marked already
	}
	if len(parts) == 0 || parts[len(parts)-1].Type != openai.ChatMessagePartTypeText {
		return false
	}
	marked := make([]any, len(parts))
	for i, p := range parts {
		marked[i] = p
	}
	marked[len(parts)-1] = markedPart{parts[len(parts)-1], cacheControl{"ephemeral"}}
	m.Content = marked
	return true
}
