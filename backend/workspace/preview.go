package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
)

// Bounds of texts in a preview and of what is remembered of a request, in bytes.
const (
	shownText = 64 << 10
	keptText  = 64 << 10
	keptTotal = 4 << 20
)

// request is what is remembered of the last request of a notebook, to say what
// is different in the next one.
type request struct {
	Number   int              `json:"number"`
	Messages []requestMessage `json:"messages"`
}

type requestMessage struct {
	Role      string           `json:"role"`
	Cell      string           `json:"cell,omitempty"`
	Stretches []requestStretch `json:"stretches"`
}

type requestStretch struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Source    string `json:"source"`
	Cell      string `json:"cell,omitempty"`
	Tokens    int    `json:"tokens"`
	Estimated bool   `json:"estimated,omitempty"`
	Note      string `json:"note,omitempty"`
	SHA256    string `json:"sha256"`
	Text      string `json:"text,omitempty"` // nothing for one that is too large to keep
}

// Preview gives every message of the next request of a cell, stretch by
// stretch, and how it differs from the last request that was sent.
func (w *Workspace) Preview(ctx context.Context, path, cell, draft string) (PreviewView, error) {
	j, built, roots, err := w.next(ctx, path, cell, draft)
	if err != nil {
		return PreviewView{}, err
	}
	numbers := map[string]int{}
	err = w.with(path, func(_ *doc, nb *notebook.Document) error {
		for i, id := range nb.CellIDs() {
			numbers[id] = i + 1
		}
		return nil
	})
	if err != nil {
		return PreviewView{}, err
	}
	last := w.lastRequest(j.meta.UUID)
	this := requestOf(built)
	v := PreviewView{
		Path: path, Cell: j.cell, Request: last.Number + 1, Window: j.endpoint.Model.ContextTokens, Model: j.endpoint.Model.ID,
		Messages: make([]PreviewMessage, 0, len(this.Messages)), Warnings: w.warnings(roots, built),
	}
	compared := compare(last, this)
	v.Cache, v.Removed = compared.cache, compared.removed
	for m, message := range this.Messages {
		pm := PreviewMessage{Role: message.Role, Cell: message.Cell, Number: numbers[message.Cell], Stretches: []PreviewStretch{}}
		for s, stretch := range message.Stretches {
			ps := stretch.view()
			ps.State = "same"
			if c, ok := compared.states[place{m, s}]; ok {
				ps.State, ps.Diff, ps.Added, ps.Deleted = c.state, c.diff, c.added, c.deleted
			}
			pm.Tokens += stretch.Tokens
			pm.Stretches = append(pm.Stretches, ps)
		}
		v.Tokens += pm.Tokens
		v.Messages = append(v.Messages, pm)
	}
	v.Cost = float64(v.Tokens) * j.endpoint.Model.InputPrice / 1e6
	return v, nil
}

func (s requestStretch) view() PreviewStretch {
	text := s.Text
	if s.Kind == string(prompt.KindImage) {
		text = ""
	}
	short := strings.ToValidUTF8(text[:min(len(text), shownText)], "")
	return PreviewStretch{
		ID: s.ID, Kind: s.Kind, Source: s.Source, Cell: s.Cell, Text: short, Cut: len(short) < len(text),
		Tokens: s.Tokens, Estimated: s.Estimated, Note: s.Note, Diff: []DiffLine{},
	}
}

// requestOf cuts the messages of a build into stretches by their parts.
func requestOf(built prompt.Result) request {
	parts := make([][]prompt.Part, len(built.Messages))
	for _, p := range built.Parts {
		if p.Message >= 0 && p.Message < len(parts) {
			parts[p.Message] = append(parts[p.Message], p)
		}
	}
	r := request{}
	for i, m := range built.Messages {
		rm := requestMessage{Role: string(m.Role)}
		for _, p := range parts[i] {
			if p.Cell != "" && (p.Kind == prompt.KindHistory || p.Kind == prompt.KindPrompt) {
				rm.Cell = p.Cell
			}
		}
		rm.Stretches = stretchesOf(m, parts[i])
		r.Messages = append(r.Messages, rm)
	}
	return r
}

// stretchesOf gives the pieces of a message in order. What of the frame lies
// between the parts inside it becomes stretches of its own.
func stretchesOf(m chat.Message, parts []prompt.Part) []requestStretch {
	slices.SortStableFunc(parts, func(a, b prompt.Part) int {
		if a.Piece != b.Piece {
			return a.Piece - b.Piece
		}
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End // the frame before what it holds
	})
	out := []requestStretch{}
	add := func(p prompt.Part, text string, tokens int) {
		sum := sha256.Sum256([]byte(text))
		out = append(out, requestStretch{
			ID: p.ID, Kind: string(p.Kind), Source: p.Source, Cell: p.Cell, Tokens: tokens, Estimated: p.Estimated,
			Note: p.Note, SHA256: hex.EncodeToString(sum[:]), Text: text,
		})
	}
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		text := pieceOf(m.Content, p.Piece)
		if p.Kind == prompt.KindImage {
			add(p, text, p.Tokens)
			continue
		}
		if p.Kind != prompt.KindFrame {
			add(p, within(text, p.Start, p.End), p.Tokens)
			continue
		}
		at, tokens := p.Start, p.Tokens
		for i+1 < len(parts) && parts[i+1].Piece == p.Piece && parts[i+1].Start < p.End {
			i++
			inner := parts[i]
			if inner.Start > at {
				add(p, within(text, at, inner.Start), tokens)
				tokens = 0 // the frame's tokens stand at its first piece
			}
			add(inner, within(text, inner.Start, inner.End), inner.Tokens)
			at = inner.End
		}
		if at < p.End {
			add(p, within(text, at, p.End), tokens)
		}
	}
	for _, call := range m.ToolCalls {
		if n := len(out); n > 0 {
			out[n-1].Text = strings.TrimPrefix(out[n-1].Text+"\n"+call.Function.Name+" "+call.Function.Arguments, "\n")
			sum := sha256.Sum256([]byte(out[n-1].Text))
			out[n-1].SHA256 = hex.EncodeToString(sum[:])
		}
	}
	return out
}

func within(text string, from, to int) string {
	from = max(0, min(from, len(text)))
	return text[from:max(from, min(to, len(text)))]
}

// pieceOf is the text of a piece of a content; of an image its address.
func pieceOf(c chat.Content, piece int) string {
	if c.Parts == nil {
		return c.Text
	}
	if piece >= len(c.Parts) {
		return ""
	}
	if image := c.Parts[piece].ImageURL; image != nil {
		return image.URL
	}
	return c.Parts[piece].Text
}

// keepRequest remembers what is sent. It is only a convenience: where it
// cannot be written, the next preview compares with an older one.
func (w *Workspace) keepRequest(j job, built prompt.Result) {
	r := requestOf(built)
	r.Number = w.lastRequest(j.meta.UUID).Number + 1
	total := 0
	for m := range r.Messages {
		for s := range r.Messages[m].Stretches {
			x := &r.Messages[m].Stretches[s]
			if total += len(x.Text); len(x.Text) > keptText || total > keptTotal || x.Kind == string(prompt.KindImage) {
				total -= len(x.Text)
				x.Text = ""
			}
		}
	}
	file, err := w.requestFile(j.meta.UUID)
	if err != nil || file == "" {
		return
	}
	b, err := json.Marshal(r)
	if err != nil {
		return
	}
	temp := fmt.Sprintf("%s.%d.tmp", file, os.Getpid())
	if os.WriteFile(temp, b, 0o600) == nil {
		os.Rename(temp, file)
	}
}

// lastRequest reads what was remembered; nothing is number 0.
func (w *Workspace) lastRequest(notebook string) (r request) {
	file, err := w.requestFile(notebook)
	if err != nil || file == "" {
		return r
	}
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &r) != nil {
		return request{}
	}
	return r
}

// requestFile is where the last request of a notebook is remembered, by its
// identity; "" for one that has none.
func (w *Workspace) requestFile(uuid string) (string, error) {
	if uuid == "" {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "mutsumi", "requests")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, w.nameFor(uuid)+".json"), nil
}
