package chat

import (
	"encoding/json"
	"slices"
)

// Kept is what the model that wrote an answer needs back with it: thoughts with
// their signature, encrypted reasoning. It goes to no other model. In the file
// it stands in the message's metadata (SPEC 12.1). What it points to is not changed.
type Kept struct {
	Maker string     `json:"maker"` // who made it: protocol, host and model
	Items []KeptItem `json:"items"` // in the order of the answer
}

// KeptItem is one piece of it, as compact JSON, and where it stood in the answer.
type KeptItem struct {
	Text  int             `json:"text"`  // bytes of the answer's text before it
	Calls int             `json:"calls"` // tool calls of the answer before it
	Item  json.RawMessage `json:"item"`
}

// For returns the items if maker made them, else nil. k may be nil.
func (k *Kept) For(maker string) []KeptItem {
	if k == nil || k.Maker != maker {
		return nil
	}
	return k.Items
}

// Join returns k with the items of an answer that goes on behind so many bytes
// of text. Of two makers only the later one's count: an answer has one. Both may
// be nil.
func (k *Kept) Join(later *Kept, text int) *Kept {
	if later == nil || len(later.Items) == 0 {
		return k
	}
	joined := &Kept{Maker: later.Maker}
	joined.Items = append(joined.Items, k.For(later.Maker)...)
	for _, item := range later.Items {
		item.Text += text
		joined.Items = append(joined.Items, item)
	}
	joined.Items = slices.Clip(joined.Items)
	return joined
}
