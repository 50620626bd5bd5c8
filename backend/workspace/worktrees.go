package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mutsumi/backend/agenttree"
	"mutsumi/backend/desktop"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/worktree"
)

// treeTime is how long git may take for a work tree.
const treeTime = 2 * time.Minute

// ground is where an agent works when it has a work tree of its own. It is kept
// in the person's state folder, under the notebook's uuid: what a notebook says
// itself could name any folder.
type ground struct {
	worktree.Place
	Workspace string `json:"workspace"`       // the folder that was open
	Owner     string `json:"owner,omitempty"` // uuid of the ancestor whose work tree it is; "": its own
	Name      string `json:"name,omitempty"`  // of the agent that the tree was made for
}

// groundFolder is where a notebook's ground is kept, "" for a uuid that makes no name.
func (w *Workspace) groundFolder(uuid string) string {
	if !validUUID(uuid) {
		return ""
	}
	return filepath.Join(w.settings.StateFolder("worktrees"), uuid)
}

// groundOf gives the ground of a notebook's agent; false: it works in the folder itself.
func (w *Workspace) groundOf(uuid string) (g ground, ok bool) {
	dir := w.groundFolder(uuid)
	if dir == "" {
		return g, false
	}
	raw, err := os.ReadFile(filepath.Join(dir, "place.json"))
	if err != nil || json.Unmarshal(raw, &g) != nil || g.Workspace != w.folder {
		return ground{}, false
	}
	return g, true
}

func (w *Workspace) keepGround(uuid string, g ground) error {
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	dir := w.groundFolder(uuid)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	fresh := filepath.Join(dir, "place.json.new")
	if err := os.WriteFile(fresh, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(dir, "place.json"))
}

// translate gives what stands in the work tree for places in the folder; other
// places are left out.
func (g ground) translate(allowed []string) []string {
	out := []string{}
	for _, uri := range allowed {
		path := absoluteIn(g.Workspace, uri)
		if rel, err := filepath.Rel(g.Workspace, path); err == nil && filepath.IsLocal(rel) {
			out = append(out, filepath.Join(g.Place.Workspace(), rel))
		} else if rel, err := filepath.Rel(path, g.Workspace); err == nil && filepath.IsLocal(rel) {
			out = append(out, g.Place.Workspace()) // the folder lies in it
		}
	}
	return slices.Compact(out)
}

// settleChild gives a child its ground: a work tree of its own, or its parent's.
func (w *Workspace) settleChild(ctx context.Context, parent, child string, c builtin.Child) error {
	above, has := w.groundOf(parent)
	if !c.Worktree {
		if !has {
			return nil
		}
		if above.Owner == "" {
			above.Owner = parent
		}
		return w.keepGround(child, above)
	}
	from := w.folder
	if has {
		from = above.Place.Workspace()
	}
	ctx, cancel := context.WithTimeout(ctx, treeTime)
	defer cancel()
	p, err := worktree.Make(ctx, from, filepath.Join(w.groundFolder(child), "tree"), "mutsumi/"+branchName(c.Name)+"-"+child[:8])
	if err != nil {
		return err
	}
	return w.keepGround(child, ground{Place: p, Workspace: w.folder, Name: c.Name})
}

// branchName makes a part of a branch's name of an agent's name.
func branchName(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 40 {
			break
		}
	}
	if s := strings.Trim(b.String(), "-"); s != "" {
		return s
	}
	return "agent"
}

// ownTree gives an agent's own work tree. The error is NotFound when it has
// none, or one that it shares with its parent.
func (w *Workspace) ownTree(path string) (meta notebook.MetaView, g ground, err error) {
	if meta, err = w.meta(path); err != nil {
		return meta, g, err
	}
	g, ok := w.groundOf(meta.UUID)
	switch {
	case !ok:
		return meta, g, fault.New(fault.NotFound, "%s has no work tree of its own", meta.Name)
	case g.Owner != "":
		return meta, g, fault.New(fault.NotFound, "%s works in the work tree of the agent that started it: merge or discard it there", meta.Name)
	}
	return meta, g, nil
}

// Worktree gives the work tree of a notebook's agent; Folder is "" when it has
// none of its own.
func (w *Workspace) Worktree(path string) (worktree.View, error) {
	none := worktree.View{Files: []worktree.FileChange{}, Conflict: []string{}}
	w.trees.Lock()
	defer w.trees.Unlock()
	_, g, err := w.ownTree(path)
	if fault.Is(err, fault.NotFound) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(w.ctx, treeTime)
	defer cancel()
	return worktree.Look(ctx, g.Place)
}

// RevealWorktree shows the folder of a notebook's work tree in the system's file manager.
func (w *Workspace) RevealWorktree(path string) error {
	_, g, err := w.ownTree(path)
	if err != nil {
		return err
	}
	return desktop.Reveal(g.Folder)
}

// atRest checks that neither a notebook's agent nor one that works in its work
// tree runs.
func (w *Workspace) atRest(path, uuid string) error {
	w.mu.Lock()
	var running []agenttree.Node
	for _, n := range w.nodes {
		if w.live[n.File].Running {
			running = append(running, n)
		}
	}
	w.mu.Unlock()
	for _, n := range running { // where each works is read from the disk
		if g, ok := w.groundOf(n.UUID); n.File == path || ok && g.Owner == uuid {
			return fault.New(fault.Conflict, "%s is at work in the work tree: wait for its end, or stop it first", n.Name)
		}
	}
	return nil
}

// onTree does something with an agent's own work tree while nobody works in it.
func (w *Workspace) onTree(path string, do func(ctx context.Context, uuid string, g ground) (worktree.View, error)) (worktree.View, error) {
	w.trees.Lock()
	defer w.trees.Unlock()
	meta, g, err := w.ownTree(path)
	if err == nil {
		err = w.atRest(path, meta.UUID)
	}
	if err != nil {
		return worktree.View{}, err
	}
	ctx, cancel := context.WithTimeout(w.ctx, treeTime)
	defer cancel()
	return do(ctx, meta.UUID, g)
}

// MergeWorktree brings what an agent did in its work tree into the folder.
// With conflicts nothing is written: View.Conflict names the files. What is
// written can be taken back, by UnmergeWorktree and like any change of the agent.
func (w *Workspace) MergeWorktree(path string) (worktree.View, error) {
	return w.onTree(path, func(ctx context.Context, uuid string, g ground) (v worktree.View, err error) {
		changes, conflict, next, err := worktree.Merge(ctx, g.Place)
		if err != nil {
			return v, err
		}
		if len(conflict) > 0 {
			return worktree.Look(ctx, g.Place)
		}
		if err := w.writeMerge(path, uuid, g.Into, changes); err != nil {
			return v, err
		}
		v, err = w.keepPlace(ctx, path, uuid, g, next)
		v.Merged = true
		return v, err
	})
}

// UnmergeWorktree takes the last merge of an agent's work tree back: the folder
// is as before, and what the agent did can be merged again. A file that changed
// since is a Conflict, and then nothing is written.
func (w *Workspace) UnmergeWorktree(path string) (worktree.View, error) {
	return w.onTree(path, func(ctx context.Context, uuid string, g ground) (v worktree.View, err error) {
		changes, next, err := worktree.Unmerge(ctx, g.Place)
		if err == nil {
			err = w.writeMerge(path, uuid, g.Into, changes)
		}
		if err != nil {
			return v, err
		}
		return w.keepPlace(ctx, path, uuid, g, next)
	})
}

// keepPlace keeps where a work tree stands now, tells it, and looks at it.
func (w *Workspace) keepPlace(ctx context.Context, path, uuid string, g ground, next worktree.Place) (worktree.View, error) {
	g.Place = next
	if err := w.keepGround(uuid, g); err != nil {
		return worktree.View{}, err
	}
	w.out.Emit(event.FilesChanged{Path: path})
	return worktree.Look(ctx, next)
}

// writeMerge writes the files of a merge as a turn of the agent's last cell.
func (w *Workspace) writeMerge(path, uuid, into string, changes []worktree.Change) error {
	last := ""
	w.with(path, func(_ *doc, nb *notebook.Document) error {
		if ids := nb.CellIDs(); len(ids) > 0 {
			last = ids[len(ids)-1]
		}
		return nil
	})
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, c := range changes {
		if err := unchanged(root, c); err != nil {
			return err
		}
	}
	turn := w.beginTurn(uuid, last)
	defer turn.End()
	for _, c := range changes {
		file := filepath.Join(into, filepath.FromSlash(c.Path))
		turn.Before(file) // where it fails the turn's notes say that there is no way back
		err := c.Write(root)
		turn.After(file)
		if err != nil {
			return fmt.Errorf("merge %s: %w", c.Path, err)
		}
	}
	return nil
}

// unchanged checks that a file is as it was when the merge was made.
func unchanged(root *os.Root, c worktree.Change) error {
	now, err := root.ReadFile(filepath.FromSlash(c.Path))
	if errors.Is(err, fs.ErrNotExist) == (c.Before == nil) && (err != nil || string(now) == string(c.Before)) {
		return nil
	}
	if info, err := root.Lstat(filepath.FromSlash(c.Path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil // git compares where links lead
	}
	return fault.New(fault.Conflict, "%s was changed meanwhile: nothing was written", c.Path)
}

// UpdateWorktree brings what changed in the folder meanwhile into an agent's
// work tree. Files in conflict get both sides there, with git's marks.
func (w *Workspace) UpdateWorktree(path string) (worktree.View, error) {
	return w.onTree(path, func(ctx context.Context, uuid string, g ground) (v worktree.View, err error) {
		next, _, err := worktree.Update(ctx, g.Place)
		if err != nil {
			return v, err
		}
		return w.keepPlace(ctx, path, uuid, g, next)
	})
}

// canSplit says whether agents can have work trees of their own here.
func (w *Workspace) canSplit() error {
	if gitBranch(w.folder) == "" {
		return fault.New(fault.Invalid, "it cannot have a work tree of its own: the folder is in no git repository. Leave worktree out, and let children write different files")
	}
	return nil
}
