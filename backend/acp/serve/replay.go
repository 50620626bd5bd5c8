package serve

import (
	"strings"

	"github.com/coder/acp-go-sdk"
)

// cellsAtOnce is how many cells are read at once.
const cellsAtOnce = 50

// replay sends the cells of the session's notebook, in order.
func (one *session) replay() error {
	path := one.where()
	if path == "" {
		return nil
	}
	view, err := one.ws.Notebook(path)
	if err != nil {
		return err
	}
	if view.Problem != nil {
		return missing("Could not load %s: it is not a notebook (%s).", path, view.Problem.Message)
	}
	for from := 0; from < len(view.Cells); from += cellsAtOnce {
		var ids []string
		for _, c := range view.Cells[from:min(from+cellsAtOnce, len(view.Cells))] {
			ids = append(ids, c.ID)
		}
		_, cells, err := one.ws.Cells(path, ids)
		if err != nil {
			return err
		}
		for _, c := range cells {
			if c.Body == nil {
				continue
			}
			if text := strings.TrimSpace(c.Body.Text); text != "" {
				one.update(one.id, acp.UpdateUserMessageText(c.Body.Text))
			}
			a := newAnswer(one, c.ID)
			for i, m := range c.Body.Answer {
				a.put(i, m)
			}
			a.end()
		}
	}
	return nil
}
