package cli

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"mutsumi/backend/branches"
	"mutsumi/backend/clip"
	"mutsumi/backend/fault"
	"mutsumi/backend/fork"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preferences"
	"mutsumi/backend/settings"
)

// forkCommand makes a notebook that ends with a cell of another one.
func forkCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("fork", flag.ContinueOnError)
	cell := flags.Int("cell", -1, "")
	name := flags.String("name", "", "")
	to := flags.String("o", "", "")
	folder := flags.String("workspace", "", "")
	rest, err := words(flags, args, 1, 1)
	if err != nil {
		return err
	}
	if *cell < 0 {
		return misused("fork: --cell N says with which cell the new notebook ends, counted from 0")
	}
	file, err := existing(rest[0])
	if err != nil {
		return err
	}
	nb, _, err := notebook.Load(file)
	if err != nil {
		return err
	}
	line, err := nb.Lineage().Line("")
	if err != nil {
		return err
	}
	id := line.ID(*cell)
	if id == "" {
		return fault.New(fault.Invalid, "%s: there is no cell %d: it has %d, counted from 0", rest[0], *cell, line.Len())
	}
	if *to != "" {
		if err := forkTo(nb, id, *name, *to); err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.Stdout, *to)
		return err
	}
	if *folder == "" {
		*folder = folderFor(file)
	}
	open, path, err := openNotebook(p, file, *folder)
	if err != nil {
		return err
	}
	defer open.Close()
	made, err := open.ws.ForkNotebook(path, id, *name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.Stdout, filepath.Join(*folder, filepath.FromSlash(made)))
	return err
}

// forkTo writes a fork to a file that must not be there. It has no rights of the other
// notebook: those are bound to the file and its folder.
func forkTo(nb *notebook.Document, cell, name, file string) error {
	made, err := nb.Lineage().Fork(cell, uuid.NewString(), time.Now())
	if err != nil {
		return err
	}
	if err := fork.Keep(made, nil); err != nil { // the children belong to the original
		return err
	}
	if name != "" {
		made.SetName(name)
	}
	_, err = notebook.Save(file, made.Encoded(), notebook.Stamp{})
	return err
}

// compareCommand shows notebooks or branches side by side.
func compareCommand(p *Program, args []string) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	rest, err := words(flags, args, 2, 9)
	if err != nil {
		return err
	}
	places := make([]branches.Place, len(rest))
	for i, word := range rest {
		if places[i], err = placeOf(word); err != nil {
			return err
		}
	}
	store, err := settings.Open("")
	if err != nil {
		return err
	}
	v, err := branches.CompareFiles(places, folderFor, preferences.NewPrices(store).Table())
	if err != nil {
		return err
	}
	if *asJSON {
		return p.json(v)
	}
	_, err = io.WriteString(p.Stdout, comparisonText(v))
	return err
}

// placeOf reads FILE or FILE#BRANCH.
func placeOf(word string) (branches.Place, error) {
	file, err := existing(word)
	if err == nil {
		return branches.Place{Path: file}, nil
	}
	if at := strings.LastIndexByte(word, '#'); at > 0 {
		if file, err := existing(word[:at]); err == nil {
			return branches.Place{Path: file, Branch: word[at+1:]}, nil
		}
	}
	return branches.Place{}, err
}

func comparisonText(v branches.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cells that all begin with: %d\n", v.Common)
	for _, s := range v.Sides {
		place := s.Path
		if s.Branch != "" {
			place += "#" + s.Branch
		}
		fmt.Fprintf(&b, "\n%s  %s\n", s.Name, place)
		for _, r := range s.Rows {
			fmt.Fprintf(&b, "[%d] %s\n", r.Number, clip.Line(r.Prompt, 100))
			if r.Answer != "" {
				fmt.Fprintf(&b, "    %s\n", clip.Line(r.Answer, 100))
			}
			if r.State != "" {
				fmt.Fprintf(&b, "    %s  %s\n", r.State, spentText(r.Used.Input, r.Used.Cached, r.Output, r.Cost, r.TimeMs))
			}
		}
		for _, f := range s.Files {
			fmt.Fprintf(&b, "    %s  +%d -%d\n", f.Path, f.Added, f.Removed)
		}
		if t := s.Tests; t != nil {
			fmt.Fprintf(&b, "    tests  %d passed, %d failed\n", t.Passed, t.Failed)
		}
		fmt.Fprintf(&b, "together  %s\n", spentText(s.Used.Input, s.Used.Cached, s.Output, s.Cost, s.TimeMs))
	}
	return b.String()
}

func spentText(input, cached, output int, cost string, ms int64) string {
	text := fmt.Sprintf("%d tokens in (%d from a cache), %d out", input, cached, output)
	if cost != "" {
		text += "  " + cost
	}
	return text + fmt.Sprintf("  %.1f s", float64(ms)/1000)
}
