package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"mutsumi/backend/agenttree"
)

// treeRow is a row of `tree --json` (SPEC 10).
type treeRow struct {
	UUID     string           `json:"uuid"`
	Name     string           `json:"name"`
	ParentID *string          `json:"parentId"`
	Status   agenttree.Status `json:"status"`
	File     string           `json:"file"`
}

// tree lists the agents of a folder.
func tree(p *Program, args []string) error {
	flags := flag.NewFlagSet("tree", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 0, 1)
	if err != nil {
		return err
	}
	dir := "."
	if len(rest) > 0 {
		dir = rest[0]
	}
	open, err := openWorkspace(p, openOptions{Folder: dir, NoModels: true})
	if err != nil {
		return err
	}
	defer open.Close()
	nodes := open.ws.Nodes()
	if !*asJSON {
		printTree(p, nodes)
		return nil
	}
	rows := []treeRow{}
	for _, n := range nodes {
		r := treeRow{UUID: n.UUID, Name: n.Name, Status: n.Status, File: n.File}
		if n.ParentID != "" {
			r.ParentID = &n.ParentID
		}
		rows = append(rows, r)
	}
	return p.json(rows)
}

func printTree(p *Program, nodes []agenttree.Node) {
	children := map[string][]agenttree.Node{}
	for _, n := range nodes {
		children[n.ParentID] = append(children[n.ParentID], n)
	}
	shown := map[string]bool{} // two files may carry one uuid: their children are listed once
	var show func(parent string, depth int)
	show = func(parent string, depth int) {
		if parent != "" && shown[parent] {
			return
		}
		shown[parent] = true
		list := children[parent]
		slices.SortFunc(list, func(a, b agenttree.Node) int { return strings.Compare(a.CreatedAt+a.File, b.CreatedAt+b.File) })
		for _, n := range list {
			note := string(n.Status)
			if n.Problem != "" {
				note = "not readable: " + n.Problem
			}
			fmt.Fprintf(p.Stdout, "%s%s  (%s)  %s\n", strings.Repeat("  ", depth), n.Name, note, n.File)
			if n.UUID != "" {
				show(n.UUID, depth+1)
			}
		}
	}
	show("", 0)
}
