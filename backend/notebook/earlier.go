package notebook

import (
	"encoding/json"
	"slices"
	"time"

	"mutsumi/backend/fault"
)

// keyEarlier is where the metadata of a prompt hold its earlier texts, oldest first.
// They are never sent.
const keyEarlier = "earlier_texts"

// What of its earlier texts a prompt keeps: the latest.
const (
	earlierTexts = 20
	earlierBytes = 64 << 10
)

// EarlierText is a text that a prompt had, and that a model got.
type EarlierText struct {
	Text string `json:"text"` // images as the links of the prompt that is edited
	At   string `json:"at"`   // when it was replaced, RFC 3339; no two of a prompt are the same
}

// earlierIn reads the earlier texts of a prompt from its metadata. It returns false for
// what somebody else keeps under that name.
func earlierIn(meta []byte) (all []EarlierText, ok bool) {
	raw := get(meta, keyEarlier)
	if raw == nil {
		return nil, true
	}
	if json.Unmarshal(raw, &all) != nil {
		return nil, false
	}
	return all, true
}

// keepEarlier adds the text of the prompt at a place, which is about to be replaced, to
// the earlier ones in m, the prompt as it will be. Only a text that a model got is kept,
// and each once, however many edits follow: of a burst of typing nothing else.
func (t *tx) keepEarlier(at int, m *message) *message {
	c := t.d.cells.list[at]
	if c.prompt == nil {
		return m
	}
	all, ok := earlierIn(c.prompt.meta())
	since := time.Time{}
	if len(all) > 0 {
		since, _ = time.Parse(time.RFC3339, all[len(all)-1].At)
	}
	if !ok || t.typesOnIn(c.id) || !t.d.cells.sentSince(at, since) {
		return m
	}
	text := t.d.links.text(get(c.prompt.raw(), "content"))
	now := t.d.now()
	if !now.After(since.Add(time.Millisecond)) {
		now = since.Add(time.Millisecond) // the clock was set back
	}
	all = append(slices.Clone(all), EarlierText{text, fileTime(now)})
	for size := 0; ; size = 0 {
		for _, x := range all {
			size += len(x.Text)
		}
		if len(all) == 0 || len(all) <= earlierTexts && size <= earlierBytes {
			break
		}
		all = all[1:]
	}
	if len(all) == 0 {
		return m.withMeta(keyEarlier, nil)
	}
	return m.withMeta(keyEarlier, layout(all, messageDepth+2))
}

// typesOnIn reports whether the last step is a typing burst in a cell that continues.
func (t *tx) typesOnIn(id string) bool {
	n := len(t.d.history.undo)
	return n > 0 && t.d.history.undo[n-1].typing == id && t.d.now().Sub(t.d.history.undo[n-1].at) <= typingPause
}

// sentSince reports whether the text of the prompt at a place was sent at or after a time: its
// cell, or one below it, ran or has an answer.
func (l *cellList) sentSince(at int, since time.Time) bool {
	for i := len(l.list) - 1; i >= at; i-- {
		c := l.list[i]
		if c.prompt == nil {
			continue
		}
		if since.IsZero() && len(c.answer) > 0 {
			return true
		}
		if run := get(c.prompt.meta(), "run"); isObject(run) {
			began, err := time.Parse(time.RFC3339, unquote(get(run, "started_at")))
			if since.IsZero() || err == nil && !began.Before(since) { // both are whole milliseconds
				return true
			}
		}
	}
	return false
}

// Earlier returns the earlier texts of a prompt, oldest first, and its present one.
// Errors: NotFound; Invalid for an answer without a prompt.
func (l Lineage) Earlier(id string) (all []EarlierText, now string, err error) {
	at, err := l.d.cells.find(id)
	if err != nil {
		return nil, "", err
	}
	c := l.d.cells.list[at]
	if c.prompt == nil {
		return nil, "", fault.New(fault.Invalid, "an answer without a prompt has no earlier texts")
	}
	all, _ = earlierIn(c.prompt.meta())
	return all, l.d.links.text(get(c.prompt.raw(), "content")), nil
}

// bringEarlier restores the text that a prompt had until e.Text. Its present text is kept in turn
// if it was sent.
func (t *tx) bringEarlier(e Edit) error {
	all, _, err := t.d.Lineage().Earlier(e.Cell)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(x EarlierText) bool { return x.At == e.Text })
	if i < 0 {
		return fault.New(fault.NotFound, "Could not bring the text back: the prompt does not keep it any more.")
	}
	return t.setText(Edit{Cell: e.Cell, Text: all[i].Text})
}
