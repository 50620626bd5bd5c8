package imports

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Entered reads what a person enters to set up servers: an address, a command line, or JSON, as
// the pages of servers show them. name is the server's name, unless the JSON names its servers;
// "" takes one from the text. The error says what is wrong with the text.
func Entered(name, text string) ([]Server, error) {
	text, name = strings.TrimSpace(text), strings.TrimSpace(name)
	switch {
	case text == "":
		return nil, errors.New("it is empty: write a command, an address, or JSON")
	case len(text) > maxEntered:
		return nil, errors.New("it is too long for a server")
	case text[0] == '{' || text[0] == '"':
		return enteredJSON(name, text)
	case strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://"):
		if strings.ContainsAny(text, " \t\r\n") {
			return nil, errors.New("the address has spaces in it")
		}
		return []Server{entry{URL: text}.server(cmp.Or(name, nameOfAddress(text)))}, nil
	}
	e, err := commandLine(text)
	if err != nil {
		return nil, err
	}
	return []Server{e.server(cmp.Or(name, nameOfCommand(e)))}, nil
}

// maxEntered is the longest text that is read, in bytes.
const maxEntered = 64 << 10

// enteredJSON reads a file of servers in any form that Find knows, members of such a file without
// their braces, or a single server.
func enteredJSON(name, text string) ([]Server, error) {
	if text[0] == '"' {
		text = "{" + strings.TrimSuffix(text, ",") + "}"
	}
	plain, err := standard([]byte(text))
	if err != nil {
		return nil, err
	}
	var file struct {
		lists
		Command json.RawMessage `json:"command"`
		URL     string          `json:"url"`
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(plain, &file) != nil || json.Unmarshal(plain, &all) != nil {
		return nil, errors.New("it has another form than servers have")
	}
	for _, list := range []map[string]json.RawMessage{file.Claude, file.VSCode, file.Zed} {
		if list != nil {
			all = list
			break
		}
	}
	if len(file.Command) > 0 || file.URL != "" {
		e, err := jsonEntry(plain)
		if err != nil {
			return nil, errors.New("it has another form than servers have")
		}
		return []Server{e.server(cmp.Or(name, cmp.Or(nameOfAddress(e.URL), nameOfCommand(e))))}, nil
	}
	var servers []Server
	for _, key := range slices.Sorted(maps.Keys(all)) {
		e, err := jsonEntry(all[key])
		if err != nil {
			return nil, errors.New("it has another form than servers have")
		}
		if len(all) == 1 {
			key = cmp.Or(name, key)
		}
		servers = append(servers, e.server(key))
	}
	if len(servers) == 0 {
		return nil, errors.New("it names no server")
	}
	return servers, nil
}

// commandLine reads a command as a person types it at a terminal: variables before it are for its
// environment, quotes hold words together, and ${NAME} stays a reference. The error says that it
// is more than one command.
func commandLine(text string) (entry, error) {
	wrong := errors.New("it is not one command with its words: quotes and ${NAME} may be in it, nothing else of a shell")
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) != 1 {
		return entry{}, wrong
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(s.Redirs) > 0 || s.Background || s.Negated || s.Coprocess {
		return entry{}, wrong
	}
	var e entry
	for _, a := range call.Assigns {
		value, ok := wordOf(a.Value)
		if !ok || a.Append || a.Index != nil || a.Array != nil {
			return entry{}, wrong
		}
		e.Env = with(e.Env, a.Name.Value, value)
	}
	for _, word := range call.Args {
		text, ok := wordOf(word)
		if !ok {
			return entry{}, wrong
		}
		e.Args = append(e.Args, text)
	}
	e.Command, e.Args = e.Args[0], e.Args[1:]
	return e, nil
}

// wordOf returns the text of a word, with its variables as references; false: there is more in it.
func wordOf(word *syntax.Word) (string, bool) {
	if word == nil {
		return "", true
	}
	var b strings.Builder
	var parts func(list []syntax.WordPart, quoted bool) bool
	parts = func(list []syntax.WordPart, quoted bool) bool {
		for _, part := range list {
			switch p := part.(type) {
			case *syntax.Lit:
				b.WriteString(unescaped(p.Value, quoted))
			case *syntax.SglQuoted:
				if p.Dollar {
					return false
				}
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				if p.Dollar || !parts(p.Parts, true) {
					return false
				}
			case *syntax.ParamExp:
				if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.NestedParam != nil {
					return false
				}
				b.WriteString("${" + p.Param.Value + "}")
			default:
				return false
			}
		}
		return true
	}
	ok := parts(word.Parts, false)
	return b.String(), ok
}

// unescaped takes the backslashes out of a literal: in quotes those before a character that they
// escape there, elsewhere those before a sign. A path of Windows keeps its own.
func unescaped(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && escapes(text[i+1], quoted) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

func escapes(c byte, quoted bool) bool {
	if quoted {
		return strings.IndexByte("\"\\$`", c) >= 0
	}
	return c < 0x80 && !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9')
}

// nameOfAddress proposes the name of a server by its host: "linear" for https://mcp.linear.app/sse.
func nameOfAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	labels := strings.Split(u.Hostname(), ".")
	if len(labels) > 1 && strings.Trim(u.Hostname(), "0123456789.") != "" {
		return labels[len(labels)-2]
	}
	return u.Hostname()
}

// nameOfCommand proposes the name of a server by its package or program: "memory" for
// npx -y @modelcontextprotocol/server-memory@1.
func nameOfCommand(e entry) string {
	name := e.Command
	switch path.Base(e.Command) {
	case "npx", "uvx", "bunx", "pnpm", "node", "python", "python3", "docker", "deno", "bun", "uv":
		for _, a := range e.Args {
			if !strings.HasPrefix(a, "-") && !strings.ContainsAny(a, "=$") && a != "run" && a != "exec" && a != "dlx" {
				name = a
				break
			}
		}
	}
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if before, _, found := strings.Cut(name, "@"); found && before != "" {
		name = before
	}
	name = strings.TrimSuffix(name, path.Ext(name))
	for _, word := range []string{"mcp-server-", "server-", "mcp-"} {
		name = strings.TrimPrefix(name, word)
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, "-server"), "-mcp")
}
