package prompt

import (
	"encoding/json"

	"mutsumi/backend/mcp/toolname"
)

// ServerID is what ContextOff holds of an MCP server, or of a tool of it; tool "": all of the
// server. Files of kinds name them in the same way.
func ServerID(server, tool string) string {
	if tool == "" {
		return "mcp:" + server
	}
	return "mcp:" + server + "/" + tool
}

// collectFound repeats what the agent found with search_tools where a summary stands for the
// messages that held it, so that it goes on to call it.
func (b *build) collectFound() {
	e := &entry{
		kind: KindTool, key: toolname.Search, args: json.RawMessage(`{"query":""}`), content: b.in.Found,
		note: "found earlier: a summary stands for the message that held it",
	}
	if b.in.Found != "" && !b.isOff(e) {
		b.put(e)
	}
}
