package openai

import (
	openai "github.com/sashabaranov/go-openai"

	"mutsumi/backend/chat"
)

// markedPart is a part of a message that ends with a cache breakpoint: routers pass it on to models
// that cache only marked text.
type markedPart struct {
	part
	CacheControl cacheControl `json:"cache_control"`
}

type cacheControl struct {
	Type string `json:"type"`
}

// markForCache puts a breakpoint after the instructions, before the last prompt, and at the end
// (SPEC 12.3), and returns the contents of the messages that end with one, by their places. It
// skips messages without text, such as those with only calls: the breakpoint then goes to the
// message before.
func markForCache(messages []chat.Message) map[int]any {
	head, prompt := -1, len(messages)
	for i, m := range messages {
		switch {
		case m.Role == chat.System && head == i-1:
			head = i
		case m.Role == chat.User:
			prompt = i
		}
	}
	marked := map[int]any{}
	for _, end := range []int{head, prompt - 1, len(messages) - 1} {
		for i := end; i > head || i == head && i >= 0; i-- {
			if marked[i] != nil {
				break
			}
			if content := withMark(content(&messages[i])); content != nil {
				marked[i] = content
				break
			}
		}
	}
	return marked
}

// withMark returns a content followed by a breakpoint; nil: it can have none.
func withMark(content any) any {
	var parts []part
	switch content := content.(type) {
	case string:
		if content == "" {
			return nil
		}
		parts = textPart(content)
	case *chat.Content:
		parts = textPart(content.String())
	case []part:
		parts = content
	}
	if len(parts) == 0 || parts[len(parts)-1].Type != openai.ChatMessagePartTypeText {
		return nil
	}
	marked := make([]any, len(parts))
	for i, p := range parts {
		marked[i] = p
	}
	marked[len(parts)-1] = markedPart{parts[len(parts)-1], cacheControl{"ephemeral"}}
	return marked
}

func textPart(text string) []part {
	return []part{{ChatMessagePart: openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text}}}
}
