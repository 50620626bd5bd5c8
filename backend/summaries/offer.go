package summaries

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/compaction"
	"mutsumi/backend/cost"
	"mutsumi/backend/notebook"
	"mutsumi/backend/prompt"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
)

// Offer describes a manual summary made now (SPEC 11.7). Tokens are counted, or estimated for a
// long conversation; prices are in dollars, 0 if unknown.
type Offer struct {
	Covers  []string `json:"covers"` // cells; empty: there is nothing to summarise
	Goes    Tokens   `json:"goes"`   // their tokens in requests today
	Stays   int      `json:"stays"`  // tokens of the cells that stay
	Pinned  []string `json:"pinned"` // of those, the pinned ones
	After   int      `json:"after"`  // tokens of the summary, about
	Tokens  int      `json:"tokens"` // of the next request, including the last one's tokens outside the conversation
	Window  int      `json:"window"` // of the model; 0: unknown
	Trigger int      `json:"trigger"`
	// Now is the cost of a summary now; Later is its cost once the server's cache of the
	// conversation has expired anyway.
	Now      float64 `json:"now"`
	Later    float64 `json:"later"`
	EachTurn float64 `json:"eachTurn"`
	Muted    int     `json:"muted"`   // tokens that muting saves each request
	Saved    int     `json:"saved"`   // tokens that summaries save
	Auto     bool    `json:"auto"`    // it happens automatically at Trigger
	Running  bool    `json:"running"` // one is being made
}

// Tokens are those of the covered part, by kind.
type Tokens struct {
	Results int `json:"results"` // of tools
	Answers int `json:"answers"` // with their calls
	Prompts int `json:"prompts"`
}

// sectionsTokens is about how long the sections are that a model writes.
const sectionsTokens = 1200

// Compaction describes a manual summary made now.
func (c *Calls) Compaction(path string) (Offer, error) {
	m := c.maker
	v := Offer{Covers: []string{}, Pinned: []string{}, Running: m.making.has(path)}
	src, err := m.read(path, "")
	if err != nil {
		return v, err
	}
	e, p := src.endpoint, m.with.Settings.Preferences()
	v.Window, v.Trigger, v.Auto = e.Model.ContextTokens, runner.Trigger(e, p), p.Compact == settings.CompactAuto
	counter := m.with.Counters.For(e.Model.ID).Begin()
	count := func(text string) int {
		n, _ := counter.Text(text)
		return n
	}
	for _, x := range messagesOf(notebook.CompactionCell{Messages: src.muted}, count) {
		v.Muted += x.Tokens
	}
	v.Saved = src.saved
	total := 0
	for _, cell := range src.cells {
		for _, x := range messagesOf(cell, count) {
			total += x.Tokens
		}
		if cell.Pinned {
			v.Pinned = append(v.Pinned, cell.ID)
		}
	}
	covered, err := src.cover(Order{Why: ByHand}, count)
	v.Stays, v.Tokens = total-covered.tokens, total+m.beside(src.uuid)
	if err != nil {
		return v, nil // nothing to cover
	}
	v.Covers = covered.ids
	for _, x := range covered.messages {
		switch x.Role {
		case chat.Tool:
			v.Goes.Results += x.Tokens
		case chat.Assistant:
			v.Goes.Answers += x.Tokens
		default:
			v.Goes.Prompts += x.Tokens
		}
	}
	v.After = min(v.Goes.Prompts, compaction.WordsTokens) + min(sectionsTokens, covered.tokens/4)
	m.price(&v, e, covered)
	return v, nil
}

// beside counts the tokens of a notebook's last request outside the conversation.
func (m *Maker) beside(uuid string) (tokens int) {
	for _, message := range m.with.Kept.Request(uuid).Messages {
		for _, s := range message.Segments {
			if s.Kind != prompt.KindHistory && s.Kind != prompt.KindPrompt {
				tokens += s.Tokens
			}
		}
	}
	return tokens
}

// price fills in the cost and saving of a summary.
func (m *Maker) price(v *Offer, e settings.Endpoint, c coverage) {
	price := m.priceOf(e)
	request := cost.Money(0)
	if e.ProviderID != settings.BuiltInID {
		request = cost.Of(chat.Usage{Input: c.tokens, Output: sectionsTokens}, price).Cost
	}
	bill := compaction.Bill(c.tokens, v.After, c.behind, request, price, price.Cached > 0)
	v.Now, v.Later, v.EachTurn = bill.Once.Dollars(), request.Dollars(), bill.EachTurn.Dollars()
}
