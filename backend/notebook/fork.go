package notebook

import (
	"slices"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/jsontext"
)

// Fork returns a new notebook that ends with a cell, under another uuid. It records its origin, and
// has neither the branches nor the counted usage of this one. Of an answer that is being written it
// has the complete calls. A summary directly after the cell is included: it covers nothing else.
// The error is NotFound.
func (l Lineage) Fork(id, uuid string, at time.Time) (*Document, error) {
	end, err := l.end(id)
	if err != nil {
		return nil, err
	}
	return l.cut(l.d.cells.list[:end], id, uuid, at)
}

// ForkPrompt returns a new notebook as Fork does, in which the prompt of the cell has no
// answer. Errors: NotFound; Invalid for an answer without a prompt, and for a summary.
func (l Lineage) ForkPrompt(id, uuid string, at time.Time) (*Document, error) {
	i, err := l.d.cells.find(id)
	if err != nil {
		return nil, err
	}
	cells := slices.Clone(l.d.cells.list[:i+1])
	asked := *cells[i]
	if asked.prompt == nil || !asked.takesAnswer() {
		return nil, fault.New(fault.Invalid, "Could not add a run: this cell has no prompt that an agent answers.")
	}
	asked.prompt, asked.answer = asked.prompt.withMeta("run", nil), nil
	cells[i] = &asked
	return l.cut(cells, id, uuid, at)
}

// cut returns a new notebook of some cells, the last of which is id.
func (l Lineage) cut(cells []*cell, id, uuid string, at time.Time) (*Document, error) {
	s := l.d.Encoded()
	s.cells = slices.Clone(cells)
	for i, c := range s.cells {
		s.cells[i] = l.complete(c, at)
		if c.id == id && c.prompt != nil {
			named := *s.cells[i]
			named.prompt = named.prompt.withMeta("cell_id", jsontext.AppendString(nil, id))
			s.cells[i] = &named
		}
	}
	if i := s.meta.branchesAt; i >= 0 {
		s.meta.members = slices.Delete(s.meta.members, i, i+1)
	}
	s.meta.branches, s.meta.branchesAt = nil, -1
	made, err := Parse(s.Bytes())
	if err != nil {
		return nil, err
	}
	made.SetUUID(uuid)
	made.setMeta(usageKey, nil)
	made.SetFinished(false)
	made.Lineage().SetOrigin(Origin{UUID: l.d.UUID(), Cell: id, Messages: s.Messages(), At: fileTime(at)})
	return made, nil
}

// end returns the number of cells up to one, including the summaries directly after it.
func (l Lineage) end(id string) (int, error) {
	at, err := l.d.cells.find(id)
	if err != nil {
		return 0, err
	}
	list := l.d.cells.list
	for at++; at < len(list) && list[at].marks().compaction != nil && len(list[at].answer) == 0; {
		at++
	}
	return at, nil
}

// complete returns the cell without the end of an answer that is being written, here or
// by another process: the message that streams, and calls that lack a result.
func (l Lineage) complete(c *cell, now time.Time) *cell {
	if c.prompt == nil {
		return c
	}
	info := l.d.running.info(c)
	if info == nil || info.Outcome != "" && info.Outcome != Elsewhere {
		return c
	}
	kept := 0
	for i := 0; i < len(c.answer); i++ {
		calls := map[string]bool{}
		for _, call := range c.answer[i].decode().ToolCalls {
			calls[call.ID] = true
		}
		if c.answer[i].role != chat.Assistant || len(calls) == 0 {
			continue // only a following message shows that it is complete
		}
		end := i + 1
		for ; end < len(c.answer) && c.answer[end].role == chat.Tool; end++ {
			delete(calls, c.answer[end].decode().ToolCallID)
		}
		if len(calls) > 0 {
			break
		}
		kept, i = end, end-1
	}
	cut := *c
	cut.answer = c.answer[:kept:kept]
	if kept == 0 {
		cut.prompt = c.prompt.withMeta("run", nil)
		return &cut
	}
	info.Outcome, info.process = Stopped, nil
	info.TookMs = min(max(0, now.UnixMilli()-info.StartedAtMs), maxTime)
	cut.prompt = c.prompt.withMeta("run", info.encode())
	return &cut
}

// fork puts all cells below one aside as a branch. The cell keeps its answer, which the branch has
// as well, so that the branch can later be swapped with the cells that follow.
func (t *tx) fork(e Edit) error {
	end, err := t.d.Lineage().end(e.Cell)
	if err != nil {
		return err
	}
	c := *t.d.cells.list[end-1]
	switch {
	case end == len(t.d.cells.list):
		return fault.New(fault.Invalid, "Could not fork: nothing follows this cell. Add a cell instead.")
	case c.prompt == nil || !c.takesAnswer():
		return fault.New(fault.Invalid, "Could not fork: a branch begins behind a prompt. Choose the prompt before it.")
	}
	stays := c
	t.putAside(end-1, true)
	stays.rev = t.d.cells.nextRev()
	stays.prompt = c.prompt.withMeta("cell_id", jsontext.AppendString(nil, c.id))
	return t.splice(end-1, len(t.d.cells.list)-end+1, &stays)
}
