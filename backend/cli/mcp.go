package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mutsumi/backend/clip"
	"mutsumi/backend/linediff"
	"mutsumi/backend/mcp"
	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/offer"
	"mutsumi/backend/settings"
)

// mcpCommand looks at the MCP servers of a folder and of the settings, and calls their tools
// (SPEC 13.1).
func mcpCommand(p *Program, args []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "list":
			return mcpList(p, args[1:])
		case "add":
			return mcpAdd(p, args[1:])
		case "remove":
			return mcpRemove(p, args[1:])
		case "import":
			return mcpImport(p, args[1:])
		case "accept":
			return mcpAccept(p, args[1:])
		case "test":
			return mcpTest(p, args[1:])
		case "call":
			return mcpCall(p, args[1:])
		case "conformance":
			return mcpConformance(p, args[1:])
		case "key":
			return mcpKey(p, args[1:])
		case "sign-in":
			return mcpSignIn(p, args[1:])
		case "sign-out":
			return mcpSignOut(p, args[1:])
		case "serve":
			return mcpServe(p, args[1:])
		}
	}
	return misused("mcp: say list, add, remove, import, accept, test, call, key, sign-in, sign-out, serve or conformance: see `mutsumi help`")
}

// mcpFlags are the flags of every command about servers.
type mcpFlags struct {
	*flag.FlagSet
	folder      *string
	trust, json *bool
}

func newMCPFlags(name string) mcpFlags {
	f := flag.NewFlagSet("mcp "+name, flag.ContinueOnError)
	return mcpFlags{f, f.String("workspace", ".", ""), f.Bool("trust", false, ""), f.Bool("json", false, "")}
}

func (f mcpFlags) open(p *Program) (*opened, error) {
	return openWorkspace(p, openOptions{Folder: *f.folder, NoModels: true, Quiet: true, Trust: *f.trust})
}

// with reads the words of a command, from least to most of them, and opens the folder.
func (f mcpFlags) with(p *Program, args []string, least, most int) (rest []string, open *opened, err error) {
	if rest, err = words(f.FlagSet, args, least, most); err != nil {
		return nil, nil, err
	}
	open, err = f.open(p)
	return rest, open, err
}

// mcpList lists the servers that are set up. It starts none.
func mcpList(p *Program, args []string) error {
	flags := newMCPFlags("list")
	rest, err := words(flags.FlagSet, args, 0, 1)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		*flags.folder = rest[0]
	}
	open, err := flags.open(p)
	if err != nil {
		return err
	}
	defer open.Close()
	all, err := open.ws.Servers()
	if err != nil {
		return err
	}
	if *flags.json {
		return p.json(all)
	}
	if all.Problem != "" {
		fmt.Fprintln(p.Stderr, "mutsumi: "+all.Problem)
	}
	for _, v := range all.Servers {
		note := string(v.State)
		if v.Problem != "" {
			note = v.Problem
		}
		fmt.Fprintf(p.Stdout, "%s  (%s)  %s  %s\n", v.Name, v.From, v.Line, note)
		for _, tool := range v.Changed {
			change, err := open.ws.ToolChange(v.Name, tool)
			if err != nil {
				return err
			}
			fmt.Fprintf(p.Stdout, "  %s  changed since you allowed it, and is not offered: see what changed, and accept it with `mutsumi mcp accept %s %s`\n", tool, v.Name, tool)
			p.difference(change)
		}
	}
	return nil
}

// mcpImport copies a server of another program into the settings; without arguments it lists the
// available ones.
// mcpAdd adds servers to the settings: what follows -- is a command; a single word is an address, a
// command line or JSON, and - reads it from standard input.
func mcpAdd(p *Program, args []string) error {
	flags := newMCPFlags("add")
	args, command := beforeAndAfter(args, "--")
	rest, err := words(flags.FlagSet, args, 1, 2)
	switch {
	case err != nil:
		return err
	case (len(rest) == 2) == (len(command) > 0):
		return misused("mcp add: say a name, then an address or JSON, or -- and a command")
	}
	var text string
	switch {
	case len(command) > 0:
		text = config.Server{Command: command[0], Args: command[1:]}.Line()
	case rest[1] == "-":
		if text, err = p.stdin(); err != nil {
			return err
		}
	default:
		text = rest[1]
	}
	open, err := flags.open(p)
	if err != nil {
		return err
	}
	defer open.Close()
	if err := open.ws.AddServers(rest[0], text); err != nil {
		return err
	}
	for _, s := range open.ws.EnteredServers(rest[0], text).Servers {
		fmt.Fprintf(p.Stdout, "%s  %s\n", s.Name, s.Line)
	}
	return nil
}

// beforeAndAfter cuts a list at the first word; all is before if it is missing.
func beforeAndAfter(list []string, word string) (before, after []string) {
	if at := slices.Index(list, word); at >= 0 {
		return list[:at], list[at+1:]
	}
	return list, nil
}

// mcpRemove removes a server from the settings, with its sign-in and its keys.
func mcpRemove(p *Program, args []string) error {
	flags := newMCPFlags("remove")
	rest, err := words(flags.FlagSet, args, 1, 1)
	if err != nil {
		return err
	}
	open, err := flags.open(p)
	if err != nil {
		return err
	}
	defer open.Close()
	return open.ws.RemoveServer(rest[0])
}

func mcpImport(p *Program, args []string) error {
	flags := newMCPFlags("import")
	rest, err := words(flags.FlagSet, args, 0, 2)
	if err != nil {
		return err
	}
	if len(rest) == 1 {
		return misused("mcp import: say a file and the name of a server, or nothing for a list")
	}
	open, err := flags.open(p)
	if err != nil {
		return err
	}
	defer open.Close()
	if len(rest) == 2 {
		path, err := filepath.Abs(rest[0])
		if err != nil {
			return err
		}
		return open.ws.ImportServer(path, rest[1])
	}
	found, err := open.ws.FoundServers()
	if err != nil {
		return err
	}
	if *flags.json {
		return p.json(found)
	}
	for _, f := range found {
		fmt.Fprintf(p.Stdout, "%s  %s  %s\n", f.Program, f.Path, f.Problem)
		for _, s := range f.Servers {
			note := s.Problem
			switch {
			case s.Have:
				note = "the settings have a server of that name"
			case note == "" && len(s.Keys) > 0:
				note = "into the keyring: " + strings.Join(s.Keys, ", ")
			}
			if s.Problem == "" {
				note = strings.Join(slices.DeleteFunc(append([]string{note}, s.Lacks...), func(part string) bool { return part == "" }), "; ")
			}
			fmt.Fprintf(p.Stdout, "  %s  %s  %s\n", s.Name, s.Line, note)
		}
	}
	if len(found) == 0 {
		fmt.Fprintln(p.Stdout, "No servers of Claude, Cursor, VS Code, Codex or Zed were found.")
	}
	return nil
}

// difference prints how a tool differs from what was allowed.
func (p *Program) difference(c mcp.ToolChange) {
	for _, h := range linediff.Hunks(linediff.Lines(clip.Visible(c.Before)), linediff.Lines(clip.Visible(c.After)), 3) {
		for _, l := range h.Lines {
			fmt.Fprintf(p.Stdout, "    %c %s\n", l.Sign, strings.TrimSuffix(l.Text, "\n"))
		}
	}
}

// mcpAccept accepts the changes of a server's tools that mcpList shows: of one, or of all. It
// starts no server, so that only changes that were shown are accepted.
func mcpAccept(p *Program, args []string) error {
	flags := newMCPFlags("accept")
	rest, open, err := flags.with(p, args, 1, 2)
	if err != nil {
		return err
	}
	defer open.Close()
	all, err := open.ws.Servers()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all.Servers, func(v mcp.View) bool { return v.Name == rest[0] })
	if at < 0 {
		return fmt.Errorf("there is no MCP server named %q here: `mutsumi mcp list` names them", rest[0])
	}
	tools := all.Servers[at].Changed
	if len(rest) > 1 {
		tools = rest[1:]
	}
	for _, tool := range tools {
		change, err := open.ws.ToolChange(rest[0], tool)
		if err != nil {
			return err
		}
		p.difference(change)
		if err := open.ws.AcceptTool(rest[0], tool, change.Hash); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "%s  accepted\n", tool)
	}
	if len(tools) == 0 {
		fmt.Fprintln(p.Stdout, "No tool of it changed.")
	}
	return nil
}

// toolRow is a row of `mcp test --json`.
type toolRow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Problem     string          `json:"problem,omitempty"`
}

// mcpTest starts a server and lists its tools.
func mcpTest(p *Program, args []string) error {
	flags := newMCPFlags("test")
	ctx, cancel := untilSignal()
	defer cancel()
	rest, open, err := flags.with(p, args, 1, 1)
	if err != nil {
		return err
	}
	defer open.Close()
	tools, err := open.ws.ServerTools(ctx, rest[0])
	if err != nil {
		return err
	}
	rows := []toolRow{}
	for _, t := range tools {
		rows = append(rows, toolRow{t.Name, t.Description, t.Schema, t.Problem})
	}
	if *flags.json {
		return p.json(rows)
	}
	for _, r := range rows {
		if r.Problem != "" {
			fmt.Fprintf(p.Stdout, "%s  cannot be offered: %s\n", r.Name, r.Problem)
			continue
		}
		about, _, _ := strings.Cut(strings.TrimSpace(r.Description), "\n")
		fmt.Fprintf(p.Stdout, "%s  %s\n", r.Name, about)
	}
	return nil
}

// mcpCall calls a tool and prints its answer.
func mcpCall(p *Program, args []string) error {
	flags := newMCPFlags("call")
	rest, err := words(flags.FlagSet, args, 2, 3)
	if err != nil {
		return err
	}
	arguments := "{}"
	if len(rest) > 2 {
		if arguments = rest[2]; arguments == "-" {
			if arguments, err = p.stdin(); err != nil {
				return err
			}
		}
	}
	ctx, cancel := untilSignal()
	defer cancel()
	open, err := flags.open(p)
	if err != nil {
		return err
	}
	defer open.Close()
	r, err := open.ws.CallServer(ctx, rest[0], rest[1], json.RawMessage(strings.TrimSpace(arguments)))
	if err != nil {
		return fmt.Errorf("%s of %s: %w", rest[1], rest[0], err)
	}
	return p.answered(r, *flags.json)
}

func (p *Program) answered(r client.Result, asJSON bool) error {
	result := offer.ResultOf(r, nil)
	if asJSON {
		return p.json(map[string]any{"content": result.Content, "structured": r.Structured, "isError": result.IsError})
	}
	if result.IsError {
		return fmt.Errorf("the tool failed: %s", result.Content)
	}
	_, err := fmt.Fprintln(p.Stdout, result.Content)
	return err
}

// mcpKey stores the value of ${keyring:NAME}, which it reads from standard input.
func mcpKey(p *Program, args []string) error {
	flags := flag.NewFlagSet("mcp key", flag.ContinueOnError)
	folder := flags.String("workspace", "", "")
	remove := flags.Bool("remove", false, "")
	rest, err := words(flags, args, 1, 1)
	if err != nil {
		return err
	}
	key := ""
	if !*remove {
		if key, err = p.stdin(); err != nil {
			return err
		}
		if strings.TrimSpace(key) == "" {
			return misused("mcp key: give the key on standard input, or --remove")
		}
	}
	store, err := settings.Open("")
	if err != nil {
		return err
	}
	if *folder != "" {
		if *folder, err = filepath.Abs(*folder); err != nil {
			return err
		}
	}
	return settings.ServersOf(store).SetKey(*folder, rest[0], key)
}
