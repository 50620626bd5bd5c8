// Package summaries compacts the conversations of a folder's agents: a model, or the program
// itself, summarises the older cells of a notebook; the package replaces the cells by the summary,
// switches it off, and compares it with the cells (SPEC 11.4-11.9). Package compaction plans and
// compares; package runner asks the model, and requests a summary when a request gets too large.
package summaries

import (
	"context"
	"strings"
	"time"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/chat"
	"mutsumi/backend/compaction"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preferences"
	"mutsumi/backend/role"
	"mutsumi/backend/runner"
	"mutsumi/backend/settings"
	"mutsumi/backend/tokens"
)

// Options are the options of a Maker.
type Options struct {
	Context  context.Context // ends background preparations
	Start    func(func())    // runs a function in the background; it must end with Context
	Registry *documents.Registry
	Outbox   *event.Outbox
	Kinds    *role.Kinds
	Settings *settings.Store
	Counters *tokens.Counters
	Kept     *agentfiles.Store
	Prices   *preferences.Prices
	// Ask makes a request of the program for a notebook, see runner.Runner.Ask.
	Ask func(ctx context.Context, path string, a runner.SideRequest) (text string, used notebook.ModelUsage, err error)
}

// Maker makes summaries. It is safe for concurrent use.
type Maker struct {
	with     Options
	prepared preparations
	making   makings
}

// New makes a Maker.
func New(o Options) *Maker { return &Maker{with: o} }

// Trigger is the reason for a summary.
type Trigger string

const (
	ByHand  Trigger = "hand"  // the person wants it
	ByLimit Trigger = "limit" // the next request would be too large
	ByModel Trigger = "model" // the agent called compact_chat_history
)

// Order describes the requested summary.
type Order struct {
	Why  Trigger
	Keep int    // cells before the last that stay; for ByLimit the overflow decides
	Note string // what the summary must mention; "": nothing
	// Replaces is a summary that gives way to the new one, "" for none.
	Replaces string
	// Unused: the summary is put into the notebook to be read, and is not sent yet.
	Unused   bool
	overflow *runner.Overflow // of ByLimit
}

// summary is a summary that is not in the notebook yet.
type summary struct {
	text   string
	made   notebook.Compaction
	uuid   string         // of the notebook
	revs   map[string]int // of the covered cells, as they were read
	behind int            // tokens of the cells after it
}

// Make compacts a notebook. It asks the agent's model, unless that is the program's own offline
// guide, or none can be asked: then the summary consists of sentences from the cells. It returns
// the id of the summary cell. Errors: Invalid if there is nothing to cover; Conflict if a covered
// cell has changed, or the summary would be too long; those of the request; *compaction.TooLarge.
func (m *Maker) Make(ctx context.Context, path string, o Order) (cell string, err error) {
	s, err := m.draft(ctx, path, o)
	if err != nil {
		return "", err
	}
	return m.put(path, s, o)
}

// draft makes a summary without changing the notebook.
func (m *Maker) draft(ctx context.Context, path string, o Order) (s summary, err error) {
	start := time.Now()
	src, err := m.read(path, o.Replaces)
	if err != nil {
		return s, err
	}
	count := m.with.Counters.For(src.endpoint.Model.ID).Count
	covered, err := src.cover(o, count)
	if err != nil {
		return s, err
	}
	s.made = notebook.Compaction{Covers: covered.ids, Trigger: string(o.Why), Off: o.Unused, Before: covered.tokens}
	sections, err := m.summarise(ctx, path, src.endpoint, covered.messages, o.Note, &s.made)
	if err != nil {
		return s, err
	}
	sections = append(sections, compaction.WordsOf(covered.messages, compaction.WordsTokens, count))
	if pinned := pinnedOf(covered.messages); pinned.Text != "" {
		sections = append(sections, pinned)
	}
	s.text, s.uuid, s.revs, s.behind = compaction.Render(sections), src.uuid, covered.revs, covered.behind
	s.made.After = count(s.text)
	s.made.TookMs = time.Since(start).Milliseconds()
	if reason := compaction.TooLong(s.made.After, s.made.Before); reason != "" {
		return s, fault.New(fault.Conflict, "Could not compact: %s", reason)
	}
	m.bill(&s, src.endpoint)
	return s, nil
}

// bill records a summary's cost and saving in it.
func (m *Maker) bill(s *summary, e settings.Endpoint) {
	price := m.priceOf(e)
	used := m.costOf(s.made)
	bill := compaction.Bill(s.made.Before, s.made.After, s.behind, used, price, price.Cached > 0)
	s.made.Rewritten, s.made.Once, s.made.EachTurn = bill.Rewritten, bill.Once.Dollars(), bill.EachTurn.Dollars()
}

// source is the input of a summary: read under the lock, used without.
type source struct {
	uuid     string // of the notebook
	endpoint settings.Endpoint
	cells    []notebook.CompactionCell
	muted    []notebook.Message // muted messages, which are not sent
	saved    int                // tokens that summaries save
}

// read reads what models get of a notebook, as if the summary without were not there.
func (m *Maker) read(path, without string) (src source, err error) {
	err = m.with.Registry.With(path, func(tx *documents.Tx, nb *notebook.Document) error {
		var err error
		if _, src.endpoint, err = m.with.Kinds.ResolveModel(nb.Meta()); err != nil {
			src.endpoint = settings.Endpoint{} // no model: the program makes the summary
		}
		src.uuid, src.cells = nb.Meta().UUID, nb.Summaries().Cells(without)
		src.muted, src.saved = nb.Summaries().Muted(), nb.Summaries().Saved()
		return nil
	})
	return src, err
}

// pinnedOf carries over the pinned lines of the covered summaries.
func pinnedOf(covered []compaction.Message) compaction.Section {
	var all []string
	for _, m := range covered {
		if !m.Summary {
			continue
		}
		if text := compaction.SectionOf(m.Content.String(), compaction.SectionPinned); text != "" {
			all = append(all, text)
		}
	}
	return compaction.Section{Name: compaction.SectionPinned, Text: strings.Join(all, "\n")}
}

// put writes the summary into the notebook, unless a covered cell is another one
// than it was.
func (m *Maker) put(path string, s summary, o Order) (cell string, err error) {
	_, err = m.with.Registry.Change(path, "", func(nb *notebook.Document) (notebook.Change, error) {
		for _, id := range s.made.Covers {
			if head, err := nb.Head(id); err != nil || head.Rev != s.revs[id] || nb.Meta().UUID != s.uuid {
				return notebook.Change{}, fault.New(fault.Conflict, "Could not compact: a cell changed meanwhile. Compact again.")
			}
		}
		c, err := nb.Summaries().Put(s.text, s.made, o.Replaces)
		cell = c.NewID
		return c, err
	})
	if err == nil {
		m.with.Outbox.Emit(event.ContextChanged{Path: path})
	}
	return cell, err
}

// messagesOf returns the messages of a cell with their sizes.
func messagesOf(c notebook.CompactionCell, count func(string) int) (all []compaction.Message) {
	for _, m := range c.Messages {
		if m.Internal && !c.Summary {
			continue // from the program, not the person
		}
		x := compaction.Message{Message: m.Message, Cell: c.ID, Failed: m.IsError, Summary: c.Summary && m.Role == chat.User}
		if m.Facts != nil {
			x.Exit = m.Facts.Exit
			x.Failed = x.Failed || x.Exit != 0
		}
		x.Tokens = count(m.Content.String())
		for _, call := range m.ToolCalls {
			x.Tokens += count(call.Function.Name) + count(call.Function.Arguments)
		}
		all = append(all, x)
	}
	return all
}
