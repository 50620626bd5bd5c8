package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"

	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
)

// notebookCommand is `notebook fmt FILE` and `notebook cells --json FILE`.
func notebookCommand(p *Program, args []string) error {
	if len(args) == 0 {
		return misused("notebook: say fmt or cells: see `mutsumi help`")
	}
	switch args[0] {
	case "fmt":
		rest, err := words(flag.NewFlagSet("notebook fmt", flag.ContinueOnError), args[1:], 1, 1)
		if err != nil {
			return err
		}
		doc, err := load(rest[0])
		if err != nil {
			return err
		}
		_, err = doc.Encoded().WriteTo(p.Stdout)
		return err
	case "cells":
		flags := flag.NewFlagSet("notebook cells", flag.ContinueOnError)
		asJSON := flags.Bool("json", false, "")
		rest, err := words(flags, args[1:], 1, 1)
		if err != nil {
			return err
		}
		doc, err := load(rest[0])
		if err != nil {
			return err
		}
		if *asJSON {
			_, err = p.Stdout.Write(append(doc.CellsJSON(), '\n'))
			return err
		}
		return listCells(p, doc)
	}
	return misused("notebook: %q is neither fmt nor cells", args[0])
}

func listCells(p *Program, doc *notebook.Document) error {
	var cells []struct {
		Role, Text string
		Messages   []json.RawMessage
	}
	if err := json.Unmarshal(doc.CellsJSON(), &cells); err != nil {
		return err
	}
	for i, c := range cells {
		text := []rune(clip.OneLine(c.Text))
		fmt.Fprintf(p.Stdout, "%4d  %-9s  %3d  %s\n", i, c.Role, len(c.Messages), string(text[:min(len(text), 100)]))
	}
	return nil
}

func load(file string) (*notebook.Document, error) {
	doc, _, err := notebook.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "%s: there is no such file", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return doc, nil
}
