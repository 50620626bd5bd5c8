package notebook

import (
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

// Document is an open notebook in memory: the cells and metadata of one file, the history of edits,
// and the runs that write into it.
//
// It is not safe for use by several goroutines, not even for reading: package
// workspace owns one lock for each document and takes it for every call. Only
// a *Snapshot, once taken, may be used without the lock.
type Document struct {
	top               []member // the members of the file; nothing is in those two:
	metaAt, contextAt int
	meta              metadata
	cells             cellList
	links             partLinks
	running           activeRuns
	rev, saved        int
	history           history
	now               func() time.Time
}

func newDocument() *Document {
	return &Document{
		meta:    metadata{branchesAt: -1},
		cells:   cellList{sameText: map[string]int{}},
		links:   partLinks{parts: map[string][]byte{}, refs: map[uint64]string{}},
		running: activeRuns{},
		now:     time.Now,
	}
}

// New makes an empty notebook. parent is the uuid of the parent agent or "".
func New(uuid, name, parent string, allowed []string, createdAt time.Time) *Document {
	d := newDocument()
	d.top = []member{{key: []byte(`"metadata"`)}, {key: []byte(`"context"`)}}
	d.contextAt = 1
	d.SetUUID(uuid)
	d.SetName(name)
	d.setMeta("created_at", jsontext.AppendString(nil, createdAt.UTC().Format("2006-01-02T15:04:05.000Z07:00")))
	d.SetParent(parent)
	d.SetAllowed(allowed)
	return d
}

// Rev grows with every change.
func (d *Document) Rev() int { return d.rev }

// MarkSaved records that the state with that Rev is on disk.
func (d *Document) MarkSaved(rev int) { d.saved = max(d.saved, rev) }

// Dirty reports whether there is something to save. A new document has, a
// loaded one has not.
func (d *Document) Dirty() bool { return d.rev != d.saved }

// Len is the number of cells.
func (d *Document) Len() int { return len(d.cells.list) }

// CellIDs returns the ids of all cells in order.
func (d *Document) CellIDs() []string {
	ids := make([]string, len(d.cells.list))
	for i, c := range d.cells.list {
		ids[i] = c.id
	}
	return ids
}

// Head returns a cell without its body. The error is NotFound.
func (d *Document) Head(id string) (CellView, error) {
	i, err := d.cells.find(id)
	if err != nil {
		return CellView{}, err
	}
	return d.cells.list[i].view(), nil
}

// State returns what changes with every edit.
func (d *Document) State() DocState {
	s := DocState{Dirty: d.Dirty(), Branches: []BranchView{}}
	if n := len(d.history.undo); n > 0 {
		s.CanUndo, s.UndoName = true, d.history.undo[n-1].name
	}
	if n := len(d.history.redo); n > 0 {
		s.CanRedo, s.RedoName = true, d.history.redo[n-1].name
	}
	for _, b := range d.meta.branches {
		if !b.foreign {
			s.Branches = append(s.Branches, b.view())
		}
	}
	return s
}

// View returns the document as the interface loads it: the heads of all cells,
// and bodies of the last ones. Path, Conflict and Running are the caller's.
func (d *Document) View(seq uint64, bodies int) View {
	v := View{Seq: seq, Rev: d.rev, Meta: d.Meta(), State: d.State(), Cells: make([]CellView, len(d.cells.list)), Running: []RunView{}}
	for i, c := range d.cells.list {
		v.Cells[i] = c.view()
		if i >= len(d.cells.list)-bodies {
			v.Cells[i].Body = d.body(c)
		}
	}
	return v
}

// Cells returns the existing cells among ids, with bodies.
func (d *Document) Cells(ids []string) []CellView {
	views := make([]CellView, 0, len(ids))
	for _, id := range ids {
		if i := d.cells.index(id); i >= 0 {
			v := d.cells.list[i].view()
			v.Body = d.body(d.cells.list[i])
			views = append(views, v)
		}
	}
	return views
}

// Message returns message index of a cell's answer whole. The error is NotFound.
func (d *Document) Message(id string, index int) (MessageView, error) {
	i, err := d.cells.find(id)
	if err != nil {
		return MessageView{}, err
	}
	answer := d.cells.list[i].answer
	if index < 0 || index >= len(answer) {
		return MessageView{}, fault.New(fault.NotFound, "the answer has no message %d", index)
	}
	return answer[index].view(0), nil
}

// PartURL returns the address, mostly a data URI, of the image for a link `![image](part:REF)` in
// the text of a cell; link is REF, with or without "part:". The error is NotFound.
func (d *Document) PartURL(link string) (string, error) {
	ref := strings.TrimPrefix(link, "part:")
	if d.links.parts[ref] == nil { // not shown since the notebook was loaded
		for _, c := range d.cells.list {
			if c.prompt == nil {
				continue
			}
			if content := get(c.prompt.raw(), "content"); isArray(content) {
				d.links.text(content)
			}
		}
	}
	if url := imageURL(d.links.parts[ref]).URL; url != "" {
		return url, nil
	}
	if f := fileOf(d.links.parts[ref]); f != nil {
		return f.Data, nil
	}
	return "", fault.New(fault.NotFound, "the notebook has no image %q", ref)
}

// view returns the cell without its body.
func (c *cell) view() CellView {
	v := CellView{ID: c.id, Rev: c.rev, Role: c.role(), Messages: len(c.answer)}
	k := c.marks()
	v.Compaction, v.Pinned, v.Muted = k.compaction, k.pinned, k.muted
	v.MutedCalls, v.PinnedCalls, v.Earlier, v.Carried = k.mutedCalls, k.pinnedCalls, k.earlier, k.carried
	if c.prompt != nil {
		v.Chars = c.prompt.chars()
	}
	for _, m := range c.answer {
		v.Answer += m.chars()
	}
	return v
}

func (d *Document) body(c *cell) *CellBody {
	b := &CellBody{Answer: make([]MessageView, len(c.answer))}
	if c.prompt != nil {
		content := get(c.prompt.raw(), "content")
		b.Text, b.Multi = d.links.text(content), isArray(content)
		b.Run = d.running.info(c)
	}
	for i, m := range c.answer {
		b.Answer[i] = m.view(toolTextLimit)
	}
	return b
}

// Answer returns the messages of a cell's answer, nil for a cell without one. Its cost depends on
// the answer alone, wherever the cell is. The error is NotFound.
func (d *Document) Answer(id string) ([]chat.Message, error) {
	at, err := d.cells.find(id)
	if err != nil {
		return nil, err
	}
	var out []chat.Message
	for _, m := range d.cells.list[at].answer {
		out = append(out, m.decode().Message)
	}
	return out, nil
}
