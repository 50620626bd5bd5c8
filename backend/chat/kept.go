package chat

import (
	"encoding/json"
	"slices"
)

// Kept is what the model that wrote an answer needs back with it: thoughts with their signature,
// encrypted reasoning. It is sent to no other model. In the file it is in the message's metadata
// (SPEC 12.1). The data that it points to is not changed.
type Kept struct {
	Maker string     `json:"maker"` // its maker: protocol, host and model
	Items []KeptItem `json:"items"` // in the order of the answer
}

// KeptItem is one item, as compact JSON, and its place in the answer.
type KeptItem struct {
	Text  int             `json:"text"`  // bytes of the answer's text before it
	Calls int             `json:"calls"` // tool calls of the answer before it
	Item  json.RawMessage `json:"item"`
}

// For returns the items if maker made them, otherwise nil. k may be nil.
func (k *Kept) For(maker string) []KeptItem {
	if k == nil || k.Maker != maker {
		return nil
	}
	return k.Items
}

// Join returns k with the items of an answer that continues after that many bytes of text. If the
// makers differ, only the later one's items are kept: an answer has one maker. Both may be nil.
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
