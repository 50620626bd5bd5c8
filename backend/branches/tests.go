package branches

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/testoutput"
)

// Tests is the result of the last test run in the cells of a side.
type Tests struct {
	testoutput.Result
	Cell   string `json:"cell"`
	Before int    `json:"before"` // how many ran last in the cells that all sides share; 0: none, or something else was counted
}

// maxLookedBack is how many cells before the branching point are searched for a test run.
const maxLookedBack = 40

// testsOf returns the last test run among the commands of a cell, nil if there is none. Failed
// commands are included, since a command fails when its tests do.
func testsOf(cell notebook.LineCell) *Tests {
	commands := map[string]bool{}
	var last *Tests
	for _, m := range cell.Messages {
		for _, call := range m.ToolCalls {
			commands[call.ID] = call.Function.Name == "shell" || call.Function.Name == "shell_output"
		}
		if m.Role != chat.Tool || !commands[m.ToolCallID] {
			continue
		}
		if r, ok := testoutput.Parse(m.Content.String()); ok {
			last = &Tests{Result: r, Cell: cell.ID}
		}
	}
	return last
}

// testsBefore returns the last run of tests in the first cells of a line, nil for none.
func (p placed) testsBefore(end int) *Tests {
	for i := end - 1; i >= max(0, end-maxLookedBack); i-- {
		if t := testsOf(p.Cell(i)); t != nil {
			return t
		}
	}
	return nil
}
