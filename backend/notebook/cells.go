package notebook

import (
	"crypto/rand"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"mutsumi/backend/fault"
)

// cellList is the cells of a document in their order. It finds them by id, and
// gives ids to new ones and a revision to each version.
type cellList struct {
	list     []*cell
	places   map[string]int // cell id -> index; nil when it has to be rebuilt
	rev      int            // the latest that was given
	sameText map[string]int // generated ids: how many share a stem
}

// index returns the place of a cell, -1 if it does not exist. It is cheap as long as only texts
// change.
func (l *cellList) index(id string) int {
	if l.places == nil {
		l.places = make(map[string]int, len(l.list))
		for i, c := range l.list {
			l.places[c.id] = i
		}
	}
	if i, ok := l.places[id]; ok {
		return i
	}
	return -1
}

// find is index with the error NotFound.
func (l *cellList) find(id string) (int, error) {
	if i := l.index(id); i >= 0 {
		return i, nil
	}
	return 0, fault.New(fault.NotFound, "the notebook has no cell %q any more", id)
}

// replace replaces cells with others. A change of one cell into another version of itself keeps the
// index.
func (l *cellList) replace(at, remove int, add []*cell) {
	if remove == 1 && len(add) == 1 && l.list[at].id == add[0].id {
		l.list[at] = add[0]
		return
	}
	l.list = slices.Replace(l.list, at, at+remove, add...)
	l.places = nil
}

// nextRev returns a revision for a new version of a cell: they only grow.
func (l *cellList) nextRev() int {
	l.rev++
	return l.rev
}

// derive makes the cells of a list of messages. A cell has the id from its prompt's metadata, or
// one made from its text, which is the same whenever the file is loaded: data stored about a cell
// finds it again.
func (l *cellList) derive(messages []*message) []*cell {
	cells := group(messages)
	taken := make(map[string]bool, len(cells))
	for _, c := range cells {
		if c.prompt != nil {
			if id := unquote(get(c.prompt.meta(), "cell_id")); validID(id) && !taken[id] && l.index(id) < 0 {
				c.id, taken[id] = id, true
			}
		}
	}
	for _, c := range cells {
		c.rev = l.nextRev()
		if c.id == "" {
			c.id = l.madeUpID(c, taken)
			taken[c.id] = true
		}
	}
	return cells
}

// identified gives cells of a branch the ids that they had, or new ones.
func (l *cellList) identified(cells []*cell) []*cell {
	var messages []*message
	for _, c := range cells {
		if !validID(c.id) || l.index(c.id) >= 0 {
			for m := range (&branch{below: cells}).messages {
				messages = append(messages, m)
			}
			return l.derive(messages)
		}
	}
	return slices.Clone(cells)
}

// madeUpID makes an id from the text of a cell.
func (l *cellList) madeUpID(c *cell, taken map[string]bool) string {
	first := c.prompt
	if first == nil {
		first = c.answer[0]
	}
	sum := fnv.New64a()
	_, _ = sum.Write(first.raw())
	stem := "t" + strconv.FormatUint(sum.Sum64(), 36)
	id := stem
	for n := l.sameText[stem]; taken[id] || l.index(id) >= 0; id = stem + "-" + strconv.Itoa(n) {
		n++
		l.sameText[stem] = n
	}
	return id
}

// freshID makes an id that no cell has.
func (l *cellList) freshID() string {
	for {
		if id := "c" + strings.ToLower(rand.Text()[:12]); l.index(id) < 0 {
			return id
		}
	}
}

// withPromptMeta returns a version of cell at with a key of its prompt's metadata set.
func (l *cellList) withPromptMeta(at int, key string, raw json.RawMessage) *cell {
	c := *l.list[at]
	c.rev = l.nextRev()
	c.prompt = c.prompt.withMeta(key, normalised(raw, messageDepth+2))
	return &c
}
