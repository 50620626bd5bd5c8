package branches

import (
	"cmp"
	"slices"
	"strings"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
)

// maxFamily is how many notebooks of a family are read at most.
const maxFamily = 200

// Family holds the relatives of a notebook: its origins, the notebooks made from it, and the
// branches inside them.
type Family struct {
	Members []Member `json:"members"` // an origin comes before its forks
	Edges   []Edge   `json:"edges"`
	More    int      `json:"more"` // notebooks that were left out
}

// Member is a notebook, or a branch in one.
type Member struct {
	ID     string           `json:"id"`
	Path   string           `json:"path"`             // "": the file is gone
	Branch string           `json:"branch,omitempty"` // "": the notebook as it is now
	UUID   string           `json:"uuid,omitempty"`
	Name   string           `json:"name"`
	Cells  int              `json:"cells"`
	Begin  string           `json:"begin"`            // words of its first cell
	First  string           `json:"first"`            // the first words after the point where it branches off
	Status agenttree.Status `json:"status,omitempty"` // "" for a branch, which was put aside
	Marks  []agenttree.Mark `json:"marks"`
	AtMs   int64            `json:"atMs"` // when a branch was put aside, or the file was last written
	TimeMs int64            `json:"timeMs"`
	Used   agenttree.Total  `json:"used"`
}

// Edge is the origin of a member.
type Edge struct {
	From  string `json:"from"` // a Member's ID
	To    string `json:"to"`
	Kind  Kind   `json:"kind"`
	Cells int    `json:"cells"`          // that both have at their beginning, now
	Cell  string `json:"cell,omitempty"` // the last of them, in From
	Next  string `json:"next"`           // the first words of the next cell, in From
}

// Kind is how a member was created.
type Kind string

const (
	Forked  Kind = "fork"   // a notebook that was cut after a cell
	Copied  Kind = "copy"   // a copied file
	PutAway Kind = "branch" // put aside in the same notebook
)

// relative is a notebook of a family.
type relative struct {
	documents.Summary
	line     *notebook.Line // nil: it cannot be read
	sums     []uint64
	branches []Member
	edges    []Edge
}

// Family returns the family of the notebook at path. A notebook that cannot be read counts as one
// without cells. The error is about the notebook at path.
func (c *Calls) Family(path string) (Family, error) {
	here, err := c.line(Place{Path: path})
	if err != nil {
		return Family{}, err
	}
	c.with.Registry.SummaryOf("") // if the folder has not been scanned yet
	nodes := map[string]agenttree.Node{}
	for _, n := range c.with.Registry.Agents() {
		nodes[n.File] = n
	}
	f := Family{Members: []Member{}, Edges: []Edge{}}
	all := c.relatives(here.place.Path)
	if len(all) > maxFamily {
		f.More = len(all) - maxFamily
		all = all[:maxFamily]
	}
	holders := map[string]*relative{} // by uuid
	for i := range all {
		r := &all[i]
		if holders[r.UUID] == nil || c.with.Registry.Identity(r.File, r.UUID) != "" {
			holders[r.UUID] = r
		}
		_ = c.with.Registry.ReadOnly(r.File, func(_ *documents.Tx, nb *notebook.Document) (err error) {
			if r.line, err = nb.Lineage().Line(""); err == nil {
				r.sums = r.line.Sums()
				r.branches, r.edges = branchesOf(r, nb)
			}
			return err
		})
	}
	for i := range all {
		r := &all[i]
		n := nodes[r.File]
		m := Member{
			ID: r.File, Path: r.File, UUID: r.UUID, Name: r.Name, Cells: len(r.sums), Begin: r.line.Words(0), Status: n.Status, Marks: append([]agenttree.Mark{}, n.Marks...),
			AtMs: r.ModifiedMs, TimeMs: n.TimeMs, Used: n.Own,
		}
		origin, kind := holders[r.Origin.UUID], Forked
		if r.Origin.Copied {
			kind = Copied
		}
		if own := holders[r.UUID]; own != r { // a copy that has no uuid of its own yet
			origin, kind = own, Copied
		}
		switch {
		case origin != nil && origin != r:
			e := Edge{From: origin.File, To: m.ID, Kind: kind, Cells: notebook.CommonCells(origin.sums, r.sums)}
			e.Cell, e.Next, m.First = origin.line.ID(e.Cells-1), origin.line.Words(e.Cells), r.line.Words(e.Cells)
			f.Edges = append(f.Edges, e)
		case r.Origin.UUID != "":
			gone := "gone:" + r.Origin.UUID
			if !slices.ContainsFunc(f.Members, func(m Member) bool { return m.ID == gone }) {
				f.Members = append(f.Members, Member{ID: gone, UUID: r.Origin.UUID, Marks: []agenttree.Mark{}})
			}
			f.Edges = append(f.Edges, Edge{From: gone, To: m.ID, Kind: kind, Cell: r.Origin.Cell})
		}
		f.Members = append(append(f.Members, m), r.branches...)
		f.Edges = append(f.Edges, r.edges...)
	}
	return f, nil
}

// branchesOf returns the members for the branches that were put aside in a notebook.
func branchesOf(r *relative, nb *notebook.Document) (members []Member, edges []Edge) {
	for _, b := range nb.State().Branches {
		line, err := nb.Lineage().Line(b.ID)
		if err != nil {
			continue
		}
		common := notebook.CommonCells(r.sums, line.Sums())
		first := line.Words(common)
		members = append(members, Member{
			ID: r.File + "#" + b.ID, Path: r.File, Branch: b.ID, Name: cmp.Or(first, b.Summary), Cells: line.Len(), Begin: line.Words(0), First: first,
			Marks: []agenttree.Mark{}, AtMs: b.AtMs,
		})
		edges = append(edges, Edge{From: r.File, To: r.File + "#" + b.ID, Kind: PutAway, Cells: common, Cell: r.line.ID(common - 1), Next: r.line.Words(common)})
	}
	return members, edges
}

// relatives lists the notebooks related to the one at path by origin, an origin before its forks,
// otherwise oldest first.
func (c *Calls) relatives(path string) []relative {
	all := c.with.Registry.Summaries()
	slices.SortFunc(all, func(a, b documents.Summary) int {
		return cmp.Or(strings.Compare(a.CreatedAt, b.CreatedAt), strings.Compare(a.Origin.At, b.Origin.At), strings.Compare(a.File, b.File))
	})
	at := slices.IndexFunc(all, func(h documents.Summary) bool { return h.File == path })
	if at < 0 { // it has just come
		return []relative{{Summary: documents.Summary{Summary: agenttree.Summary{File: path, Name: strings.TrimSuffix(path, ".mtm")}}}}
	}
	related := map[string]bool{} // uuids
	add := func(h documents.Summary) {
		related[h.UUID] = h.UUID != ""
		if h.Origin.UUID != "" {
			related[h.Origin.UUID] = true
		}
	}
	add(all[at])
	for grown := -1; grown != len(related); {
		grown = len(related)
		for _, h := range all {
			if related[h.UUID] || related[h.Origin.UUID] {
				add(h)
			}
		}
	}
	all = slices.DeleteFunc(all, func(h documents.Summary) bool { return h.File != path && !related[h.UUID] })
	var family []relative
	placed := map[string]bool{}
	for left := -1; left != len(family); { // each round places those whose origin is already placed
		left = len(family)
		for _, h := range all {
			waits := slices.ContainsFunc(all, func(o documents.Summary) bool {
				return h.Origin.UUID != "" && o.UUID == h.Origin.UUID && o.File != h.File && !placed[o.File]
			})
			if !waits && !placed[h.File] {
				family, placed[h.File] = append(family, relative{Summary: h}), true
			}
		}
	}
	for _, h := range all { // what claims to stem from itself, over some others
		if !placed[h.File] {
			h.Origin = notebook.Origin{}
			family = append(family, relative{Summary: h})
		}
	}
	return family
}
