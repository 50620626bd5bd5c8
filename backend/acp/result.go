package acp

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mutsumi/backend/agent"
	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/linediff"
	"mutsumi/backend/tool"
)

// Limits of a result, besides tool.DefaultLimit.
const (
	maxImages    = 4
	maxImage     = 8 << 20 // bytes, encoded
	maxDiffs     = 20      // with their text
	maxDiffLines = 400
	maxCounted   = 4 << 20 // bytes of a text whose lines are compared
)

// noReason is the result of a call that failed without a word.
const noReason = "It failed, and the agent did not say why."

// textOf returns what a block says, as text.
func textOf(b contentBlock) string {
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return "[" + clip.VisibleLine(b.Name, maxLabel) + "](" + clip.VisibleLine(b.URI, maxSaid) + ")"
	case "resource":
		if b.Resource != nil {
			return b.Resource.Text
		}
	case "image":
		return "[an image]"
	case "audio":
		return "[a sound]"
	}
	return ""
}

// result returns the result of the call, complete but for its place.
func (c *call) result() agent.Put {
	var texts []string
	var images []chat.Part
	facts := chat.CallFacts{End: c.end}
	last := ""                              // the line that tells why it failed
	if c.left == "" || c.left == noResult { // it may have shown something nevertheless
		texts, images, last = c.contents(&facts)
	}
	text := strings.TrimRight(strings.Join(texts, "\n\n"), "\n")
	switch {
	case c.plan != "":
		text = "Plan noted."
	case c.left != "" && text == "":
		text = c.left
	case strings.TrimSpace(text) == "" && c.status == "failed":
		text = noReason
	case strings.TrimSpace(text) == "" && images == nil:
		text = agent.NoOutput
	}
	failed := c.status == "failed" || c.end != ""
	if failed && c.end == "" {
		switch {
		case c.rejected:
			facts.End = chat.CallRejected
		case c.unanswered:
			facts.End = chat.CallStopped
		default:
			facts.Line = cmp.Or(clip.VisibleLine(last, 200), noReason) // not the first line of a change that it shows
		}
	}
	m := chat.Message{Role: chat.Tool, ToolCallID: c.id, Name: c.name(), Content: chat.Text(text)}
	if images != nil {
		m.Content = chat.Content{Parts: append([]chat.Part{{Type: chat.PartText, Text: text}}, images...)}
	}
	p := agent.Put{Message: m, IsError: failed}
	if facts != (chat.CallFacts{}) {
		p.Facts = &facts
	}
	if c.called && c.plan == "" {
		p.At, p.Took = c.began, time.Since(c.began)
	}
	return p
}

// contents returns what the agent gave as a result, within the limits, and fills in the facts.
func (c *call) contents(facts *chat.CallFacts) (texts []string, images []chat.Part, last string) {
	left := tool.DefaultLimit
	add := func(text string) {
		text = strings.TrimRight(strings.ToValidUTF8(text, "\uFFFD"), "\n")
		if strings.TrimSpace(text) == "" {
			return
		}
		last = lastLine(text)
		if left.Bytes <= 0 || left.Lines <= 0 {
			texts = append(texts, "[More output is left out.]")
			return
		}
		cut := tool.Cut(text, left)
		left.Bytes -= cut
		left.Lines -= strings.Count(text[:cut], "\n") + 1
		if cut < len(text) {
			text = fmt.Sprintf("%s\n\n[Output cut: %d of %d bytes are shown.]", strings.TrimRight(text[:cut], "\n"), cut, len(text))
		}
		texts = append(texts, text)
	}
	diffs := 0
	for _, x := range c.content {
		switch x.Type {
		case "content":
			if part, is := imageOf(x.Content); is && len(images) < maxImages {
				images = append(images, part)
				continue
			}
			add(unfenced(textOf(x.Content)))
		case "diff":
			if diffs++; diffs <= maxDiffs {
				texts = append(texts, c.diff(x, facts, maxDiffLines/min(diffs, 4)))
			}
		case "terminal":
			if t := c.reply.terminal(x.Terminal); t != nil {
				output, exit := t.end(facts)
				add(output)
				if exit != "" {
					texts = append(texts, exit)
				}
			}
		}
	}
	if diffs > maxDiffs {
		texts = append(texts, fmt.Sprintf("[%d more changes are left out.]", diffs-maxDiffs))
	}
	output, exit := outputOf(c.output)
	if facts.Exit == 0 {
		facts.Exit = exit
	}
	if len(texts) == 0 && images == nil {
		add(output)
	}
	return texts, images, last
}

// lastLine returns the last line of a text that says something.
func lastLine(text string) string {
	for text != "" {
		i := strings.LastIndexByte(text, '\n')
		line := strings.TrimSpace(text[i+1:])
		if line != "" && !strings.HasPrefix(line, "```") {
			return line
		}
		text = text[:max(i, 0)]
	}
	return ""
}

// imageOf returns an image as a part of a message.
func imageOf(b contentBlock) (chat.Part, bool) {
	switch b.MIMEType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return chat.Part{}, false
	}
	if b.Type != "image" || b.Data == "" || len(b.Data) > maxImage {
		return chat.Part{}, false
	}
	if _, err := base64.StdEncoding.DecodeString(b.Data); err != nil {
		return chat.Part{}, false
	}
	return chat.Part{Type: chat.PartImage, ImageURL: &chat.ImageURL{URL: "data:" + b.MIMEType + ";base64," + b.Data}}, true
}

// diff returns a change as a block of a unified diff, with at most most lines.
func (c *call) diff(x callContent, facts *chat.CallFacts, most int) string {
	before, from := "", "/dev/null"
	path := clip.VisibleLine(c.shown(c.absolute(x.Path)), maxSaid)
	if x.OldText != nil {
		before, from = *x.OldText, path
	}
	head := "--- " + from + "\n+++ " + path + "\n"
	if len(before) > maxCounted || len(x.NewText) > maxCounted {
		return fenced("diff", head+"[the change is too large to show]")
	}
	a, b := linediff.TextLines(strings.ToValidUTF8(before, "\uFFFD")), linediff.TextLines(strings.ToValidUTF8(x.NewText, "\uFFFD"))
	added, removed := linediff.Count(linediff.Changes(a, b))
	facts.Added, facts.Removed = facts.Added+added, facts.Removed+removed
	return fenced("diff", strings.TrimSuffix(head+linediff.Unified(a, b, most), "\n"))
}

// fenced returns text as a block of code that nothing in it ends.
func fenced(kind, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + kind + "\n" + text + "\n" + fence
}

// unfenced returns the text of a block of code that is all of a text; otherwise the text.
func unfenced(text string) string {
	body, is := strings.CutPrefix(strings.TrimSpace(text), "```")
	if !is {
		return text
	}
	kind, body, _ := strings.Cut(body, "\n")
	body, ends := strings.CutSuffix(body, "\n```")
	if !ends || strings.ContainsAny(kind, "` ") || strings.HasPrefix(body, "```") || strings.Contains(body, "\n```") {
		return text
	}
	return body
}

// outputOf returns the text of a raw output, and an exit status that it names.
func outputOf(raw json.RawMessage) (text string, exit int) {
	if raw == nil {
		return "", 0
	}
	if json.Unmarshal(raw, &text) == nil {
		if n, _ := fmt.Sscanf(text, "Exit code %d\n", &exit); n != 1 {
			exit = 0
		}
		return text, exit
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return string(raw), 0
	}
	for _, name := range []string{"exit_code", "exitCode"} {
		if json.Unmarshal(members[name], &exit) == nil {
			break
		}
	}
	var parts []string
	for _, name := range []string{"formatted_output", "aggregated_output", "output", "stdout", "stderr", "text", "message", "error"} {
		var part string
		if json.Unmarshal(members[name], &part) == nil && part != "" {
			if parts = append(parts, part); name != "stdout" {
				break
			}
		}
	}
	if parts != nil {
		return strings.Join(parts, "\n"), exit
	}
	return string(raw), exit
}
