package prompt

import (
	"encoding/json"

	"mutsumi/backend/mcp/toolname"
)

// ServerID is the entry in ContextOff for an MCP server, or a tool of it; tool "": the whole
// server. Files of kinds use the same names.
func ServerID(server, tool string) string {
	if tool == "" {
		return "mcp:" + server
	}
	return "mcp:" + server + "/" + tool
}

// collectFound repeats the results of search_tools in messages that a summary replaces, so that the
// agent can still call these tools.
func (b *build) collectFound() {
	e := &entry{
		kind: KindTool, key: toolname.Search, args: json.RawMessage(`{"query":""}`), content: b.in.Found,
		note: "found earlier: a summary stands for the message that held it",
	}
	if b.in.Found != "" && !b.isOff(e) {
		b.put(e)
	}
}
