// Package ref finds and parses the references of a text: `@[path]`, `@[path:10]`, `@[path:10:20]`,
// `@[tool{json}]` and `@[server:uri]` (SPEC 3).
//
// It is pure: it opens no file, runs no tool and knows no macros. assemble and prompt follow the
// references; the interface draws chips at their byte positions. Its time is linear in the text,
// whatever the text contains.
package ref

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"mutsumi/backend/lazyregexp"
)

// Ref is one reference. Start and End are byte positions of the whole tag, including `@` and `]`;
// Inner is the text between the brackets, as written.
type Ref struct {
	Start, End int
	Inner      string

	// Tool is the name of a tool call, "" for a path. Args is its JSON as written; Problem is set
	// if it is invalid.
	Tool string
	Args string

	// Path is the path without its range, trimmed. From and To are the lines, 1-based, both
	// included; 0 and 0 mean the whole file.
	Path     string
	From, To int

	// Problem says why the JSON or the range is invalid; "" if all is well.
	Problem string
}

// IsTool reports whether the reference is a tool call.
func (r Ref) IsTool() bool { return r.Tool != "" }

// Resource splits `server:uri`, a reference to a resource of an MCP server, whose address begins
// with a scheme. The caller knows whether the server exists; ok is false for anything that cannot
// name one, such as a path that begins with a drive letter.
func (r Ref) Resource() (server, uri string, ok bool) {
	if r.IsTool() {
		return "", "", false
	}
	server, uri, _ = strings.Cut(r.Key(), ":")
	if len(server) == 1 || !isServer.MatchString(server) || !isAddress.MatchString(uri) {
		return "", "", false
	}
	return server, uri, true
}

var (
	isServer  = lazyregexp.New(`^[\p{L}\p{N}_.@-][\p{L}\p{N}_.@ -]*$`)
	isAddress = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:\S`)
)

// ResourceOf writes a reference to a resource, without its brackets; "": none can be
// written for it.
func ResourceOf(server, uri string) string {
	inner := server + ":" + uri
	if strings.ContainsAny(inner, "\r\n") || strings.Contains(inner, "{{") {
		return ""
	}
	found := Find("@[" + inner + "]")
	if len(found) != 1 || found[0].Inner != inner {
		return ""
	}
	if s, u, ok := found[0].Resource(); !ok || s != server || u != uri {
		return ""
	}
	return inner
}

// Key identifies the target: the trimmed inner text (SPEC 5.5).
func (r Ref) Key() string { return strings.TrimSpace(r.Inner) }

// Parse takes the text between the brackets apart. Positions are zero.
func Parse(inner string) Ref {
	r := Ref{Inner: inner}
	s := strings.TrimSpace(inner)
	if name, args, ok := splitTool(s); ok {
		r.Tool, r.Args = name, args
		if !json.Valid([]byte(args)) {
			r.Problem = jsonProblem(args)
		}
		return r
	}
	r.Path, r.From, r.To, r.Problem = splitRange(s)
	return r
}

// splitTool splits `name{...` into the name and the rest. `name{{MACRO}}` is
// no tool call: no JSON object starts with two braces.
func splitTool(s string) (name, args string, ok bool) {
	n := toolNameLen(s)
	if n == 0 {
		return "", "", false
	}
	rest := strings.TrimLeft(s[n:], " \t\r\n")
	if !strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "{{") {
		return "", "", false
	}
	return s[:n], rest, true
}

func toolNameLen(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return i
		}
	}
	return len(s)
}

func jsonProblem(args string) string {
	var v any
	if err := json.Unmarshal([]byte(args), &v); err != nil {
		return "the arguments are not JSON: " + err.Error()
	}
	return "the arguments are not JSON"
}

// splitRange splits `path:10:20`. Only trailing digits count as a range, so that `C:\x`,
// `file:///x` and names with a colon stay paths.
func splitRange(s string) (path string, from, to int, problem string) {
	path, last, ok := cutNumber(s)
	if !ok {
		if p := strings.TrimRight(s, ":"); p != s && p != "" {
			return p, 0, 0, badRange(s[len(p):])
		}
		return s, 0, 0, ""
	}
	first := last
	if p, n, ok := cutNumber(path); ok {
		path, first = p, n
	} else if p := strings.TrimRight(path, ":"); p != path && p != "" {
		return p, 0, 0, badRange(s[len(p):])
	}
	if first < 1 || last < first {
		return path, 0, 0, badRange(s[len(path):])
	}
	return path, first, last, ""
}

func badRange(s string) string {
	return strconv.Quote(s) + " is not a range of lines: write :10 for a line or :10:20 for lines 10 to 20, counted from 1"
}

// cutNumber cuts `:N` off the end of s; N may be negative.
func cutNumber(s string) (head string, n int, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	if colon < 1 {
		return s, 0, false
	}
	digits := strings.TrimPrefix(s[colon+1:], "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[colon+1:])
	if err != nil { // too large for an int: past the end of every file
		n = math.MaxInt
		if s[colon+1] == '-' {
			n = -1
		}
	}
	return s[:colon], n, true
}
