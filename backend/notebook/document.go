package notebook

import (
	"slices"
	"strings"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

// Document is an open notebook in memory: the cells and metadata of one file,
// the history of edits, the runs that write into it.
//
// It is not safe for use by several goroutines, not even for reading: package
// workspace owns one lock for each document and takes it for every call. Only
// a *Snapshot, once taken, may be used without the lock.
type Document struct {
	top               []member // the members of the file; nothing is in those two:
	metaAt, contextAt int
	meta              metadata
	cells             []*cell

	rev, saved int
	cellRev    int
	places     map[string]int    // cell id -> index; nil when it has to be made again
	sameText   map[string]int    // made-up ids: how many share a stem
	parts      map[string][]byte // parts of prompts that texts link to
	refs       map[uint64]string // their names, by a fast hash
	running    map[string]*run
	history    history
	now        func() time.Time
}

func newDocument() *Document {
	return &Document{
		meta:     metadata{branchesAt: -1},
		sameText: map[string]int{},
		parts:    map[string][]byte{},
		refs:     map[uint64]string{},
		running:  map[string]*run{},
		now:      time.Now,
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

// MarkSaved says that the state with that Rev is on disk.
func (d *Document) MarkSaved(rev int) { d.saved = max(d.saved, rev) }

// Dirty reports whether there is something to save. A new document has, a
// loaded one has not.
func (d *Document) Dirty() bool { return d.rev != d.saved }

// Len is the number of cells.
func (d *Document) Len() int { return len(d.cells) }

// CellIDs gives the ids of all cells in order.
func (d *Document) CellIDs() []string {
	ids := make([]string, len(d.cells))
	for i, c := range d.cells {
		ids[i] = c.id
	}
	return ids
}

// Head gives a cell without its body. The error is NotFound.
func (d *Document) Head(id string) (CellView, error) {
	i, err := d.find(id)
	if err != nil {
		return CellView{}, err
	}
	return d.head(d.cells[i]), nil
}

// State gives what changes with every edit.
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

// View gives the document as the interface loads it: the heads of all cells,
// and bodies of the last ones. Path, Conflict and Running are the caller's.
func (d *Document) View(seq uint64, bodies int) View {
	v := View{Seq: seq, Rev: d.rev, Meta: d.Meta(), State: d.State(), Cells: make([]CellView, len(d.cells)), Running: []RunView{}}
	for i, c := range d.cells {
		v.Cells[i] = d.head(c)
		if i >= len(d.cells)-bodies {
			v.Cells[i].Body = d.body(c)
		}
	}
	return v
}

// Cells gives those of the cells that still exist, with bodies.
func (d *Document) Cells(ids []string) []CellView {
	views := make([]CellView, 0, len(ids))
	for _, id := range ids {
		if i := d.index(id); i >= 0 {
			v := d.head(d.cells[i])
			v.Body = d.body(d.cells[i])
			views = append(views, v)
		}
	}
	return views
}

// Message gives message index of a cell's answer whole. The error is NotFound.
func (d *Document) Message(id string, index int) (MessageView, error) {
	i, err := d.find(id)
	if err != nil {
		return MessageView{}, err
	}
	answer := d.cells[i].answer
	if index < 0 || index >= len(answer) {
		return MessageView{}, fault.New(fault.NotFound, "the answer has no message %d", index)
	}
	return answer[index].view(0), nil
}

// PartURL gives the address, mostly a data URI, of the image that a link
// `![image](part:REF)` in the text of a cell stands for; link is REF, with or
// without "part:". The error is NotFound.
func (d *Document) PartURL(link string) (string, error) {
	ref := strings.TrimPrefix(link, "part:")
	if d.parts[ref] == nil { // not shown since the notebook was loaded
		for _, c := range d.cells {
			if c.prompt == nil {
				continue
			}
			if content := get(c.prompt.raw(), "content"); isArray(content) {
				d.text(content)
			}
		}
	}
	if url := imageURL(d.parts[ref]).URL; url != "" {
		return url, nil
	}
	return "", fault.New(fault.NotFound, "the notebook has no image %q", ref)
}

func (d *Document) head(c *cell) CellView {
	v := CellView{ID: c.id, Rev: c.rev, Role: c.role(), Messages: len(c.answer)}
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
		b.Text, b.Multi = d.text(content), isArray(content)
		b.Run = d.runInfo(c)
	}
	for i, m := range c.answer {
		b.Answer[i] = m.view(toolTextLimit)
	}
	return b
}

func (d *Document) nextRev() int {
	d.cellRev++
	return d.cellRev
}

// index gives the place of a cell, -1 if there is none. It costs nothing while
// only texts change.
func (d *Document) index(id string) int {
	if d.places == nil {
		d.places = make(map[string]int, len(d.cells))
		for i, c := range d.cells {
			d.places[c.id] = i
		}
	}
	if i, ok := d.places[id]; ok {
		return i
	}
	return -1
}

func (d *Document) find(id string) (int, error) {
	if i := d.index(id); i >= 0 {
		return i, nil
	}
	return 0, fault.New(fault.NotFound, "the notebook has no cell %q any more", id)
}

// replace puts cells in the place of others. A change of one cell into
// another version of itself keeps the index.
func (d *Document) replace(at, remove int, add []*cell) {
	if remove == 1 && len(add) == 1 && d.cells[at].id == add[0].id {
		d.cells[at] = add[0]
		return
	}
	d.cells = slices.Replace(d.cells, at, at+remove, add...)
	d.places = nil
}

// Answer gives the messages of a cell's answer, nil for a cell without one. It
// costs what the answer holds, wherever the cell stands. The error is NotFound.
func (d *Document) Answer(id string) ([]chat.Message, error) {
	at, err := d.find(id)
	if err != nil {
		return nil, err
	}
	var out []chat.Message
	for _, m := range d.cells[at].answer {
		out = append(out, m.decode().Message)
	}
	return out, nil
}
