package workspace

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"

	"mutsumi/backend/agentfiles"
	"mutsumi/backend/approval"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/notebook"
	"mutsumi/backend/tool"
)

// fileHistory keeps what files were before agents changed them, and restores them.
type fileHistory struct {
	*notebooks
	edit   func(path string, edits []notebook.Edit, origin string) (documents.EditResult, error)
	folder string // that is open
	kept   *agentfiles.Store
	out    *event.Outbox
	start  func(func()) // runs a function in the background

	once     sync.Once
	versions *checkpoint.Store // see store
}

// store gives the store of file versions of this workspace, opening it when it
// is first needed. A store that cannot be opened is nil: agents work on, and
// there is nothing to restore.
func (h *fileHistory) store() *checkpoint.Store {
	h.once.Do(func() {
		dir := h.kept.Cache(filepath.Join("checkpoints", checkpoint.ID(h.folder)))
		if dir == "" {
			return
		}
		store, err := checkpoint.Open(dir, checkpoint.Limits{}, nil)
		if err != nil {
			return
		}
		h.versions = store
		h.start(func() { store.Sweep() }) // what is old goes; what cannot be swept stays
	})
	return h.versions
}

// openStored is store with the reason why there is none.
func (h *fileHistory) openStored() (*checkpoint.Store, error) {
	if s := h.store(); s != nil {
		return s, nil
	}
	return nil, fault.New(fault.Internal, "versions of files cannot be kept in the cache folder of this system")
}

// recorded is a tool that changes files: what they were is kept before it runs.
type recorded struct {
	tool.Tool
	roots *files.Roots
	turn  func() *checkpoint.Turn
}

// record wraps the tools that change something.
func record(tools []tool.Tool, roots *files.Roots, turn func() *checkpoint.Turn) []tool.Tool {
	if turn == nil {
		return tools
	}
	for i, t := range tools {
		if !t.Reads() {
			tools[i] = recorded{t, roots, turn}
		}
	}
	return tools
}

// Aliases are those of the tool inside.
func (r recorded) Aliases() []string {
	if a, ok := r.Tool.(interface{ Aliases() []string }); ok {
		return a.Aliases()
	}
	return nil
}

// Parse implements tool.Tool.
func (r recorded) Parse(args json.RawMessage) (tool.Call, error) {
	call, err := r.Tool.Parse(args)
	if err != nil {
		return call, err
	}
	do := call.Do
	call.Do = func(ctx context.Context, env tool.Env) tool.Result {
		turn := r.turn()
		if r.Name() == "shell" {
			command := turn.BeforeCommand(ctx, r.absolute(stringIn(call.Args, "folder")), r.names(call)...)
			defer func() { go command.After() }() // a stop does not wait for it; the turn's End does
			return do(ctx, env)
		}
		for _, path := range r.touched(ctx, call, env) {
			turn.Before(path) // where it fails the turn's notes say that there is no way back
			defer turn.After(path)
		}
		return do(ctx, env)
	}
	return call, nil
}

// names lists the files that a command names as those it writes.
func (r recorded) names(call tool.Call) []string {
	return approval.Writes(approval.Call{Tool: r.Name(), Arguments: string(call.Args), Workspace: r.roots.Workspace(), Roots: r.roots.Places()})
}

// touched lists the files that a call changes, as far as the tool can tell.
func (r recorded) touched(ctx context.Context, call tool.Call, env tool.Env) (paths []string) {
	if r.Name() == "mkdir" {
		return []string{r.absolute(stringIn(call.Args, "uri"))}
	}
	if call.Preview == nil {
		return nil
	}
	changes, err := call.Preview(ctx, env)
	if err != nil {
		return nil // the call itself will say what is wrong
	}
	for _, c := range changes {
		paths = append(paths, r.absolute(c.Path))
	}
	return paths
}

// stringIn is a text among arguments; "" when it is not there.
func stringIn(args json.RawMessage, name string) string {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil {
		return ""
	}
	s, _ := values[name].(string)
	return s
}

func (r recorded) absolute(name string) string { return files.Absolute(r.roots.Workspace(), name) }

// beginTurn opens the record of what a run changes.
func (h *fileHistory) beginTurn(uuid, cell string) *checkpoint.Turn {
	s := h.store()
	if s == nil {
		return nil
	}
	turn, err := s.Begin(uuid, cell)
	if err != nil {
		return nil // the files are changed all the same, without a way back
	}
	return turn
}

// Changes lists the files that a notebook's agent changed, each with its
// difference against the start.
func (h *fileHistory) Changes(path string) ([]checkpoint.Change, error) {
	meta, err := h.meta(path)
	if err != nil {
		return nil, err
	}
	s, err := h.openStored()
	if err != nil {
		return nil, err
	}
	changes, err := s.Changes(meta.UUID)
	if err != nil {
		return nil, err
	}
	for i := range changes {
		changes[i].Path = h.registry.PathOf(changes[i].Path)
	}
	return append([]checkpoint.Change{}, changes...), nil
}

// RejectHunk takes one hunk of Changes back on the disk and gives the id with
// which UndoRestore brings it again.
func (h *fileHistory) RejectHunk(path, file, hunk string) (string, error) {
	meta, err := h.meta(path)
	if err != nil {
		return "", err
	}
	s, err := h.openStored()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(h.folder, filepath.FromSlash(file))
	}
	id, err := s.Reject(meta.UUID, file, hunk)
	if err != nil {
		return "", err
	}
	h.out.Emit(event.FilesChanged{Path: path})
	return id, nil
}

// RestorePlan says what "restore files to before this prompt" would do.
func (h *fileHistory) RestorePlan(path, cell string) (checkpoint.Plan, error) {
	meta, err := h.meta(path)
	if err != nil {
		return checkpoint.Plan{}, err
	}
	s, err := h.openStored()
	if err != nil {
		return checkpoint.Plan{}, err
	}
	plan, err := s.Plan(meta.UUID, cell)
	if plan.Files == nil {
		plan.Files = []checkpoint.Restore{}
	}
	if plan.Notes == nil {
		plan.Notes = []string{}
	}
	return plan, err
}

// Restore carries out a plan that the person has seen, whose token it names,
// and with conversation also puts the cells from the prompt on aside.
func (h *fileHistory) Restore(path, cell, token string, choices map[string]checkpoint.Choice, conversation bool) (checkpoint.Applied, error) {
	s, err := h.openStored()
	if err != nil {
		return checkpoint.Applied{}, err
	}
	plan, err := h.RestorePlan(path, cell)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	if plan.Token != token {
		return checkpoint.Applied{}, fault.New(fault.Conflict, "the files changed since this was shown: look at it again")
	}
	if err := h.with(path, func(tx *Tx, _ *notebook.Document) error {
		if tx.active != nil {
			return fault.New(fault.Conflict, "an answer is running in this notebook: stop it first")
		}
		return nil
	}); err != nil {
		return checkpoint.Applied{}, err
	}
	applied, err := s.Apply(plan, choices)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	h.out.Emit(event.FilesChanged{Path: path})
	if conversation {
		// The files are back: whoever asked needs the id to undo that, whatever becomes of the rest.
		if _, err := h.edit(path, []notebook.Edit{{Kind: notebook.EditRewind, Cell: cell}}, ""); err != nil {
			applied.Conversation = fault.Of(err)
		}
	}
	applied.Restored = append([]string{}, applied.Restored...)
	applied.Left = append([]checkpoint.Trouble{}, applied.Left...)
	return applied, nil
}

// UndoRestore takes a restore or a rejected hunk back, by the id that it gave.
func (h *fileHistory) UndoRestore(path, id string) (checkpoint.Applied, error) {
	s, err := h.openStored()
	if err != nil {
		return checkpoint.Applied{}, err
	}
	plan, err := s.PlanUndo(id)
	if err != nil {
		return checkpoint.Applied{}, err
	}
	applied, err := s.Apply(plan, nil)
	if err == nil {
		h.out.Emit(event.FilesChanged{Path: path})
	}
	applied.Restored = append([]string{}, applied.Restored...)
	applied.Left = append([]checkpoint.Trouble{}, applied.Left...)
	return applied, err
}
