package notebook

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
)

// Keys of a prompt's metadata that control which part of the conversation models get.
const (
	KeyCompaction = "compaction"    // a Compaction: the prompt is a summary of earlier cells
	KeyPinned     = "pinned"        // true: no summary covers the cell
	KeyMuted      = "muted"         // true: the cell is not sent
	KeyMutedCalls = "muted_results" // ids of calls whose results are not sent

	KeyPinnedCalls = "pinned_results" // ids of calls whose results are sent whole: no summary covers the cell
)

// Compaction is what a summary cell records about its creation (SPEC 11.5). The covered cells stay
// in the notebook and are not sent with later prompts.
type Compaction struct {
	Covers   []string    `json:"covers"` // ids of cells
	Before   int         `json:"before"` // tokens of the covered cells
	After    int         `json:"after"`  // tokens of the summary, as it was made
	AtMs     int64       `json:"atMs"`   // Unix milliseconds
	Trigger  string      `json:"trigger"`
	Model    string      `json:"model,omitempty"` // "": no model was asked
	Usage    *chat.Usage `json:"usage,omitempty"`
	Requests int         `json:"requests,omitempty"`
	TookMs   int64       `json:"tookMs,omitempty"` // making it

	// Rewritten are the tokens that the server has to read again once, since its cache of them is
	// lost. Once is the cost of making the summary and reading them again, and EachTurn the saving
	// per later request, in dollars at the prices of AtMs.
	Rewritten int     `json:"rewritten,omitempty"`
	Once      float64 `json:"once,omitempty"`
	EachTurn  float64 `json:"eachTurn,omitempty"` // 0: no price was known

	// Off: the person switched it off. The covered cells are sent, and it is not.
	Off bool `json:"off,omitempty"`
}

// marks are the settings in a prompt's metadata for how it is sent.
type marks struct {
	compaction    *Compaction
	pinned, muted bool
	mutedCalls    []string
	pinnedCalls   []string
	earlier       int      // how many earlier texts it keeps
	carried       *Carried // where it was carried over from
}

var noMarks = &marks{}

// marks reads them, once. The caller holds the document's lock.
func (m *message) marks() *marks {
	if m.marked != nil {
		return m.marked
	}
	m.marked = noMarks
	if m.fresh != nil || !m.isPrompt() {
		return m.marked
	}
	var read struct {
		Compaction *Compaction `json:"compaction"`
		Pinned     bool        `json:"pinned"`
		Muted      bool        `json:"muted"`
		MutedCalls []string    `json:"muted_results"`
		PinCalls   []string    `json:"pinned_results"`
		Carried    *Carried    `json:"carried_from"`
	}
	meta := m.meta()
	texts, _ := earlierIn(meta)
	earlier := len(texts)
	if earlier > 0 {
		m.marked = &marks{earlier: earlier}
	}
	if get(meta, KeyCompaction) == nil && get(meta, KeyPinned) == nil && get(meta, KeyMuted) == nil && get(meta, KeyMutedCalls) == nil && get(meta, KeyPinnedCalls) == nil && get(meta, keyCarried) == nil {
		return m.marked
	}
	if json.Unmarshal(meta, &read) == nil { // else somebody else wrote it: it marks nothing
		m.marked = &marks{read.Compaction, read.Pinned, read.Muted, read.MutedCalls, read.PinCalls, earlier, read.Carried}
	}
	return m.marked
}

func (c *cell) marks() *marks {
	if c.prompt == nil {
		return noMarks
	}
	return c.prompt.marks()
}

// covered returns the cells before place end that a summary before it covers. A summary covers
// nothing after itself, whatever its file claims.
func (l *cellList) covered(end int) map[string]bool { return l.coveredBut(end, "") }

// coveredBut is covered without the summary ignored; "": none.
func (l *cellList) coveredBut(end int, ignored string) map[string]bool {
	var all map[string]bool
	for i, c := range l.list[:end] {
		k := c.marks().compaction
		if k == nil || k.Off || c.id == ignored {
			continue
		}
		if all == nil {
			all = map[string]bool{}
		}
		for _, id := range k.Covers {
			if at := l.index(id); at >= 0 && at < i {
				all[id] = true
			}
		}
	}
	return all
}

// isSent reports whether a model gets a cell with a later prompt.
func (c *cell) isSent(covered map[string]bool) bool {
	k := c.marks()
	return !k.muted && !covered[c.id] && (k.compaction == nil || !k.compaction.Off)
}

// Summaries reads and changes the summaries of a notebook, under the lock of its
// Document.
type Summaries struct{ d *Document }

// Summaries gives the notebook's summaries.
func (d *Document) Summaries() Summaries { return Summaries{d} }

// Put inserts a summary after the last cell that it covers, as one undo step. It removes the
// summary replaces; "": none. Errors: NotFound for a missing cell; Conflict for one that runs, is
// pinned, or is covered already; Invalid if the summary covers none.
func (s Summaries) Put(text string, k Compaction, replaces string) (Change, error) {
	if len(k.Covers) == 0 {
		return Change{}, fault.New(fault.Invalid, "Could not compact: there is no cell to cover.")
	}
	old := -1
	if replaces != "" {
		var err error
		if old, err = s.find(replaces); err != nil {
			return Change{}, err
		}
	}
	last, already := 0, s.d.cells.coveredBut(len(s.d.cells.list), replaces)
	for _, id := range k.Covers {
		at, err := s.d.cells.find(id)
		if err != nil {
			return Change{}, err
		}
		switch c := s.d.cells.list[at]; {
		case s.d.running[id] != nil:
			return Change{}, errRunning()
		case c.marks().pinned:
			return Change{}, fault.New(fault.Conflict, "Could not compact: a cell was pinned meanwhile. Compact again.")
		case already[id]:
			return Change{}, fault.New(fault.Conflict, "Could not compact: a cell has been compacted meanwhile. Compact again.")
		}
		last = max(last, at)
	}
	if k.AtMs == 0 {
		k.AtMs = time.Now().UnixMilli()
	}
	raw, err := json.Marshal(k)
	if err != nil {
		return Change{}, err
	}
	t := s.d.begin()
	if old >= 0 {
		err = t.splice(old, 1)
		if old < last {
			last--
		}
	}
	id, fail := t.newCellID("")
	if err == nil {
		err = fail
	}
	for _, covers := range k.Covers {
		if err == nil {
			err = t.keepID(covers)
		}
	}
	if err != nil {
		t.rollback()
		return Change{}, err
	}
	prompt := newPrompt(chat.User, t.d.links.setText(nil, text))
	prompt = &message{text: set(prompt.raw(), messageDepth, keyInternal, []byte("true")), role: chat.User, count: prompt.count}
	prompt = prompt.withMeta("cell_id", quoteOrNil(id)).withMeta(KeyCompaction, normalised(raw, messageDepth+2))
	if err := t.splice(last+1, 0, &cell{id: id, rev: t.d.cells.nextRev(), prompt: prompt}); err != nil {
		t.rollback()
		return Change{}, err
	}
	return t.commit("compact"), nil
}

// keepID writes the id of a cell into the file, so that it is found by it later.
func (t *tx) keepID(id string) error {
	at, err := t.d.cells.find(id)
	if err != nil {
		return err
	}
	c := *t.d.cells.list[at]
	if c.prompt == nil || unquote(get(c.prompt.meta(), "cell_id")) == id {
		return nil
	}
	c.rev = t.d.cells.nextRev()
	c.prompt = c.prompt.withMeta("cell_id", quoteOrNil(id))
	return t.splice(at, 1, &c)
}

// Switch switches a summary off, or on again, at any later time, as one undo step. Errors:
// NotFound; Invalid for a cell that is not a summary; Conflict while a later summary covers it, or
// another one covers its cells.
func (s Summaries) Switch(id string, on bool) (Change, error) {
	at, err := s.find(id)
	if err != nil {
		return Change{}, err
	}
	k := *s.d.cells.list[at].marks().compaction
	if on && k.Off {
		already := s.d.cells.covered(len(s.d.cells.list))
		if slices.ContainsFunc(k.Covers, func(id string) bool { return already[id] }) {
			return Change{}, fault.New(fault.Conflict, "Could not use this summary: another one covers some of its cells. Undo that one first.")
		}
	}
	k.Off = !on
	raw, err := json.Marshal(k)
	if err != nil {
		return Change{}, err
	}
	name := "compact again"
	if !on {
		name = "undo compaction"
	}
	return s.d.ChangePrompts(name, KeyCompaction, map[string]json.RawMessage{id: raw})
}

// find finds a summary that no later one covers. Errors: NotFound; Invalid for a cell that is not a
// summary; Conflict while a later summary covers it.
func (s Summaries) find(id string) (at int, err error) {
	at, err = s.d.cells.find(id)
	switch {
	case err != nil:
		return 0, err
	case s.d.cells.list[at].marks().compaction == nil:
		return 0, fault.New(fault.Invalid, "this cell is no summary")
	case s.d.cells.covered(len(s.d.cells.list))[id]:
		return 0, fault.New(fault.Conflict, "Could not undo the summary: a later one covers it. Undo that one first.")
	}
	return at, nil
}

// CompactionCell is a cell as a compaction plans with it.
type CompactionCell struct {
	ID       string
	Rev      int
	Messages []Message // with the prompt
	Pinned   bool
	Summary  bool
	Running  bool
}

// Cells returns the cells that models get with a prompt after all others, as if the summary without
// did not exist; "": as it is.
func (s Summaries) Cells(without string) (cells []CompactionCell) {
	covered := s.d.cells.coveredBut(len(s.d.cells.list), without)
	for _, c := range s.d.cells.list {
		if c.id == without || !c.isSent(covered) {
			continue
		}
		cells = append(cells, s.d.running.compactionCell(c))
	}
	return cells
}

// Numbers gives the number of each cell, from 1, as a person sees it: summaries have
// none and are not counted.
func (s Summaries) Numbers() map[string]int {
	numbers := make(map[string]int, len(s.d.cells.list))
	for _, c := range s.d.cells.list {
		if c.marks().compaction == nil {
			numbers[c.id] = len(numbers) + 1
		}
	}
	return numbers
}

// RequestsSince counts the requests of the cells after a summary whose runs began after it was
// made.
func (s Summaries) RequestsSince(id string) (n int) {
	at := s.d.cells.index(id)
	if at < 0 || s.d.cells.list[at].marks().compaction == nil {
		return 0
	}
	made := s.d.cells.list[at].marks().compaction.AtMs
	for _, c := range s.d.cells.list[at+1:] {
		if info, err := s.d.RunInfo(c.id); err == nil && info != nil && info.StartedAtMs >= made {
			n += info.Count()
		}
	}
	return n
}

// SentBefore identifies what models get of the cells before one: a line for each cell, which
// changes with the cell or with what is muted in it.
func (s Summaries) SentBefore(cell string) (ids []string, err error) {
	at, err := s.d.cells.find(cell)
	if err != nil {
		return nil, err
	}
	covered := s.d.cells.covered(at)
	for _, c := range s.d.cells.list[:at] {
		if c.isSent(covered) {
			ids = append(ids, strings.Join(append([]string{c.id}, c.marks().mutedCalls...), " "))
		}
	}
	return ids, nil
}

func (a activeRuns) compactionCell(c *cell) CompactionCell {
	k := c.marks()
	x := CompactionCell{ID: c.id, Rev: c.rev, Pinned: k.pinned || len(k.pinnedCalls) > 0, Summary: k.compaction != nil, Running: a[c.id] != nil}
	if c.prompt != nil {
		m := c.prompt.decode()
		m.Internal = m.Internal && k.carried == nil
		x.Messages = append(x.Messages, m)
	}
	for _, m := range c.answer {
		x.Messages = append(x.Messages, c.sent(m))
	}
	return x
}

// Covered returns the existing cells that a summary covers, and its text. Errors: NotFound; Invalid
// for a cell that is not a summary.
func (s Summaries) Covered(id string) (cells []CompactionCell, text string, err error) {
	at, err := s.d.cells.find(id)
	if err != nil {
		return nil, "", err
	}
	c := s.d.cells.list[at]
	k := c.marks().compaction
	if k == nil {
		return nil, "", fault.New(fault.Invalid, "this cell is no summary")
	}
	for _, covers := range k.Covers {
		if i := s.d.cells.index(covers); i >= 0 && i < at {
			cells = append(cells, s.d.running.compactionCell(s.d.cells.list[i]))
		}
	}
	return cells, s.d.links.text(get(c.prompt.raw(), "content")), nil
}
