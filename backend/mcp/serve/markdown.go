package serve

import (
	"fmt"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/clip"
	"mutsumi/backend/notebook"
)

// markdown returns a notebook as Markdown, in the form in which the window copies cells; or one
// cell of it, by number, with the results of its tools. number 0 is the whole notebook.
func (s *server) markdown(path string, number int) (string, error) {
	line, meta, err := s.Workspace.Line(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if number == 0 {
		fmt.Fprintf(&b, "# %s\n", clip.OneLine(meta.Name))
	}
	for i, head := range line.Heads() {
		if number != 0 && head.Number != number {
			continue
		}
		c := line.Cell(i)
		if number != 0 {
			return cellMarkdown(c, true), nil
		}
		if head.Number == 0 {
			b.WriteString("\n## Summary\n\n")
		} else {
			fmt.Fprintf(&b, "\n## %d\n\n", head.Number)
		}
		b.WriteString(cellMarkdown(c, false))
	}
	if number != 0 {
		return "", fmt.Errorf("%s has no cell %d: cells are counted from 1, summaries are not counted", path, number)
	}
	return b.String(), nil
}

// cellMarkdown returns a cell as Markdown: the prompt as a quote, the answer, tool calls as lines,
// and with results their results.
func cellMarkdown(c notebook.LineCell, results bool) string {
	var parts []string
	if c.Prompt != "" {
		parts = append(parts, "> "+strings.ReplaceAll(c.Prompt, "\n", "\n> "))
	}
	for _, m := range c.Messages {
		if text := strings.TrimSpace(m.Content.String()); text != "" {
			switch {
			case m.Role == chat.Assistant:
				parts = append(parts, text)
			case m.Role == chat.Tool && results:
				fence := fenceFor(text)
				parts = append(parts, fence+"\n"+text+"\n"+fence)
			}
		}
		for _, call := range m.ToolCalls {
			parts = append(parts, fmt.Sprintf("- `%s` `%s`", call.Function.Name, strings.ReplaceAll(call.Function.Arguments, "`", "'")))
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// fenceFor returns a fence that does not occur in a text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// pieceOf returns at most limit bytes of a text beginning at from, in whole characters, and where
// the rest begins; 0: there is none.
func pieceOf(text string, from, limit int) (piece string, next int) {
	rest := text[len(clip.Bytes(text, max(from, 0))):]
	piece = clip.Bytes(rest, limit)
	if len(piece) == len(rest) {
		return piece, 0
	}
	return piece, len(text) - len(rest) + len(piece)
}
