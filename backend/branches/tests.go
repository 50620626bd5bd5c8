package branches

import (
	"mutsumi/backend/chat"
	"mutsumi/backend/notebook"
	"mutsumi/backend/testoutput"
)

// Tests is how the last run of tests in the cells of a side ended.
type Tests struct {
	testoutput.Result
	Cell   string `json:"cell"`
	Before int    `json:"before"` // how many ran last in the cells that all sides have; 0: none did, or other things were counted
}

// maxLookedBack is how many cells before the place where sides part are searched for a run of tests.
const maxLookedBack = 40

// testsOf returns the last run of tests among the commands of a cell, nil for none. A
// command whose tests fail has failed, so that failures count too.
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
