// Package toolname makes the names by which agents call the tools of MCP servers: server__tool. No
// other tool has two underscores in a row in its name.
package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Search and Call are the names of our own tools that find and call server tools whose definitions
// a request does not hold.
const (
	Search = "search_tools"
	Call   = "call_tool"
)

// between separates server and tool.
const between = "__"

// longest is the length of the longest name that the providers' protocols accept.
const longest = 64

// Of returns the name of a server's tool. Characters other than letters, digits, - and _ become _.
// A name that was changed or cut ends with a hash of the whole name, so that two tools never share
// one.
func Of(server, tool string) string {
	name := plain(server) + between + plain(tool)
	if name == server+between+tool && len(name) <= longest && strings.Count(name, between) == 1 && !strings.HasSuffix(server, "_") && !strings.HasPrefix(tool, "_") {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	first := strings.Trim(strings.ReplaceAll(plain(server), between, "_"), "_")
	first = first[:min(len(first), 24)]
	second := strings.Trim(strings.ReplaceAll(plain(tool), between, "_"), "_")
	second = second[:min(len(second), longest-len(first)-len(between)-len(mark))]
	return first + between + second + mark
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-') {
			return r
		}
		return '_'
	}, s)
}

// FromServer reports whether a name belongs to a server's tool.
func FromServer(name string) bool {
	server, tool, found := strings.Cut(name, between)
	return found && len(name) <= longest && plain(server) == server && plain(tool) == tool
}
