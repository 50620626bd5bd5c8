package main

import (
	"fmt"

	"mutsumi/backend/approval"
	"mutsumi/backend/catalog"
	"mutsumi/backend/checkpoint"
	"mutsumi/backend/complete"
	"mutsumi/backend/documents"
	"mutsumi/backend/event"
	"mutsumi/backend/folderrules"
	"mutsumi/backend/images"
	"mutsumi/backend/notebook"
	"mutsumi/backend/preview"
	"mutsumi/backend/runner"
	"mutsumi/backend/tool/builtin"
	"mutsumi/backend/workspace"
)

// App holds the methods that the interface can call, through Wails' bindings in the window and
// through POST /api/call/NAME on `mutsumi serve`. Every method only delegates: none waits for a
// model or a person, and none has logic of its own.
type App struct {
	ws      *workspace.Workspace
	desktop desktop
}

// recovered turns a panic into an error: Wails would leave the caller waiting forever.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the program made a mistake: %v", p)
	}
}

// Snapshot returns the state to draw, and the number of the last event that it includes.
func (a *App) Snapshot() (result workspace.Snapshot, err error) {
	defer recovered(&err)
	return a.ws.Snapshot()
}

// EventCatalog is never called: it carries the event types into the bindings.
func (a *App) EventCatalog() event.Catalog { return event.Catalog{} }

// NotebookTypes is never called: it carries the types of GET /notebook into the bindings.
func (a *App) NotebookTypes() notebook.View { return notebook.View{} }

// CreateNotebook makes an agent and returns its file.
func (a *App) CreateNotebook(n catalog.NewNotebook) (result string, err error) {
	defer recovered(&err)
	return a.ws.Create(n)
}

// RenameNotebook gives an agent another name; its file stays.
func (a *App) RenameNotebook(path, name string) (err error) {
	defer recovered(&err)
	return a.ws.Rename(path, name)
}

// DuplicateNotebook copies an agent under a new uuid and returns the new file.
func (a *App) DuplicateNotebook(path string) (result string, err error) {
	defer recovered(&err)
	return a.ws.Duplicate(path)
}

// DeleteNotebook moves an agent's file to the system's trash.
func (a *App) DeleteNotebook(path string) (err error) {
	defer recovered(&err)
	return a.ws.Trash(path)
}

// Reload loads a notebook from its file again.
func (a *App) Reload(path string) (err error) {
	defer recovered(&err)
	return a.ws.Reload(path)
}

// RevealNotebook shows the file in the system's file manager.
func (a *App) RevealNotebook(path string) (err error) {
	defer recovered(&err)
	return a.ws.Reveal(path)
}

// CloseNotebook notes that a window no longer shows the notebook.
func (a *App) CloseNotebook(path, window string) (err error) {
	defer recovered(&err)
	return a.ws.Leave(path, window)
}

// Edit applies edits in order, all or none. The event carries origin.
func (a *App) Edit(path string, edits []notebook.Edit, origin string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.Edit(path, edits, origin)
}

// Undo undoes the last step; Redo redoes it.
func (a *App) Undo(path string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.Undo(path)
}

// UndoIn is Undo for a caret in a prompt: text that another window typed stays.
func (a *App) UndoIn(path, window string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.UndoIn(path, window)
}

// Redo redoes the step that Undo undid.
func (a *App) Redo(path string) (result documents.EditResult, err error) {
	defer recovered(&err)
	return a.ws.Redo(path)
}

// Run starts or queues a run and returns its id.
func (a *App) Run(path, cell string, mode runner.Mode) (result string, err error) {
	defer recovered(&err)
	return a.ws.Run(path, cell, mode)
}

// Continue resumes an answer that broke off or was stopped, and returns the run's id.
func (a *App) Continue(path, cell string) (result string, err error) {
	defer recovered(&err)
	return a.ws.Continue(path, cell)
}

// Stop stops the run of a notebook and clears its queue.
func (a *App) Stop(path string) (err error) {
	defer recovered(&err)
	return a.ws.Stop(path)
}

// Unqueue takes a waiting prompt out of the queue.
func (a *App) Unqueue(path, cell string) (err error) {
	defer recovered(&err)
	return a.ws.Unqueue(path, cell)
}

// SendNow gives a waiting prompt to the running agent at its next step.
func (a *App) SendNow(path, cell string) (err error) {
	defer recovered(&err)
	return a.ws.SendNow(path, cell)
}

// RetryNow ends the wait before the next attempt.
func (a *App) RetryNow(path string) (err error) {
	defer recovered(&err)
	return a.ws.RetryNow(path)
}

// Conflict shows both versions of a notebook that changed on disk and in memory.
func (a *App) Conflict(path string) (result documents.ConflictView, err error) {
	defer recovered(&err)
	return a.ws.Conflict(path)
}

// ResolveConflict carries out the person's choice.
func (a *App) ResolveConflict(path string, choice documents.Choice) (err error) {
	defer recovered(&err)
	return a.ws.ResolveConflict(path, choice)
}

// SaveRepairedCopy writes the readable part of a damaged file beside it and returns the new file.
func (a *App) SaveRepairedCopy(path string) (result string, err error) {
	defer recovered(&err)
	return a.ws.SaveRepairedCopy(path)
}

// InsertPaths turns dropped or pasted paths into text for the prompt.
func (a *App) InsertPaths(path string, files []string) (result images.Inserted, err error) {
	defer recovered(&err)
	return a.ws.InsertPaths(path, files)
}

// PasteFromClipboard turns the contents of the system's clipboard into text for the prompt.
func (a *App) PasteFromClipboard(path string) (result images.Inserted, err error) {
	defer recovered(&err)
	return a.ws.PasteFromClipboard(path, a.desktop.clipboardText)
}

// Context returns what the next request of a cell would hold. Draft is the
// prompt as typed so far.
func (a *App) Context(path, cell, draft string) (result preview.Context, err error) {
	defer recovered(&err)
	return a.ws.Context(path, cell, draft)
}

// Placements compares where context can go: the cost of each placement for the next request of a
// cell and for the one after it.
func (a *App) Placements(path, cell, draft string) (result []preview.Placement, err error) {
	defer recovered(&err)
	return a.ws.Placements(path, cell, draft)
}

// PreviewTypes is never called: it carries the types of POST /api/preview,
// GET /api/complete and GET /api/file into the bindings.
func (a *App) PreviewTypes(complete.Item, workspace.FileView) preview.Preview {
	return preview.Preview{}
}

// SwitchContext switches a part of the context off or on for this notebook.
func (a *App) SwitchContext(path, id string, on bool) (err error) {
	defer recovered(&err)
	return a.ws.SwitchContext(path, id, on)
}

// ForgetContext removes a file or tool result from every prompt of the notebook.
func (a *App) ForgetContext(path, id string) (err error) {
	defer recovered(&err)
	return a.ws.ForgetContext(path, id)
}

// PruneContext drops every version of a file that was replaced by a newer one.
func (a *App) PruneContext(path string) (err error) {
	defer recovered(&err)
	return a.ws.PruneContext(path)
}

// RefreshTools drops the results of tools that previews remember.
func (a *App) RefreshTools(path string) (err error) {
	defer recovered(&err)
	return a.ws.RefreshTools(path)
}

// SetMacro sets a macro of the notebook; RemoveMacro removes it.
func (a *App) SetMacro(path, name, value string) (err error) {
	defer recovered(&err)
	return a.ws.SetMacro(path, name, value)
}

// RemoveMacro removes a macro from the notebook.
func (a *App) RemoveMacro(path, name string) (err error) {
	defer recovered(&err)
	return a.ws.RemoveMacro(path, name)
}

// SetBudget sets what a notebook may cost, in dollars; 0 removes the limit.
func (a *App) SetBudget(path string, dollars float64) (err error) {
	defer recovered(&err)
	return a.ws.SetBudget(path, dollars)
}

// AllowFolder allows the notebook's agent to touch a folder.
func (a *App) AllowFolder(path, folder string) (err error) {
	defer recovered(&err)
	return a.ws.AllowFolder(path, folder)
}

// DisallowFolder withdraws a folder from the notebook's agent.
func (a *App) DisallowFolder(path, folder string) (err error) {
	defer recovered(&err)
	return a.ws.DisallowFolder(path, folder)
}

// SetPlacement sets where context goes: ghost, message or versioned.
func (a *App) SetPlacement(path, placement string) (err error) {
	defer recovered(&err)
	return a.ws.SetPlacement(path, placement)
}

// SetEffort sets the notebook's reasoning effort: minimal, low, medium, high, or "" for the value
// from the settings.
func (a *App) SetEffort(path, effort string) (err error) {
	defer recovered(&err)
	return a.ws.SetEffort(path, effort)
}

// Rules lists the rules that apply in the folder.
func (a *App) Rules() (result []folderrules.View, err error) {
	defer recovered(&err)
	return a.ws.Rules()
}

// ChangeRules writes the program's rules into the folder, so that the person can change them, and
// returns the path of their folder.
func (a *App) ChangeRules() (result string, err error) {
	defer recovered(&err)
	return a.ws.ChangeRules()
}

// Brought returns the text of a file that waits for trust, so that the person can read it first.
func (a *App) Brought(path string) (result string, err error) {
	defer recovered(&err)
	return a.ws.Brought(path)
}

// TrustFolder sets whether rules, skills and tool calls of the folder's files take effect.
func (a *App) TrustFolder(trusted bool) (err error) {
	defer recovered(&err)
	return a.ws.TrustFolder(trusted)
}

// RevealFile shows the file of a reference in the system's file manager.
func (a *App) RevealFile(path, ref string) (err error) {
	defer recovered(&err)
	return a.ws.RevealFile(path, ref)
}

// ResolveApproval decides a waiting request.
func (a *App) ResolveApproval(id string, d approval.Decision) (err error) {
	defer recovered(&err)
	return a.ws.ResolveApproval(id, d)
}

// ApprovalRules lists the grants and denials of a notebook, or with "" all of them.
func (a *App) ApprovalRules(path string) (result []approval.Rule, err error) {
	defer recovered(&err)
	return a.ws.ApprovalRules(path)
}

// SimulateCommand says what would happen to a command in a notebook, part by part.
func (a *App) SimulateCommand(path, command string) (result approval.Verdict, err error) {
	defer recovered(&err)
	return a.ws.Simulate(path, command)
}

// AddApprovalRule adds a grant or a denial, for the notebook at path unless it applies everywhere.
func (a *App) AddApprovalRule(path string, r approval.Rule) (err error) {
	defer recovered(&err)
	return a.ws.AddApprovalRule(path, r)
}

// RevokeApprovalRule revokes a grant or a denial.
func (a *App) RevokeApprovalRule(id string) (err error) {
	defer recovered(&err)
	return a.ws.RevokeApprovalRule(id)
}

// Changes lists the files that a notebook's agent changed, with differences.
func (a *App) Changes(path string) (result []checkpoint.Change, err error) {
	defer recovered(&err)
	return a.ws.Changes(path)
}

// RejectHunk undoes one hunk of Changes on disk; UndoRestore with the id restores it.
func (a *App) RejectHunk(path, file, hunk string) (result string, err error) {
	defer recovered(&err)
	return a.ws.RejectHunk(path, file, hunk)
}

// RestorePlan says what restoring the files to their state before a prompt would do.
func (a *App) RestorePlan(path, cell string) (result checkpoint.Plan, err error) {
	defer recovered(&err)
	return a.ws.RestorePlan(path, cell)
}

// Restore carries out the plan with that token; with conversation it also puts aside the cells from
// the prompt on.
func (a *App) Restore(path, cell, token string, choices map[string]checkpoint.Choice, conversation bool) (result checkpoint.Applied, err error) {
	defer recovered(&err)
	return a.ws.Restore(path, cell, token, choices, conversation)
}

// UndoRestore undoes a restore or a rejected hunk.
func (a *App) UndoRestore(path, id string) (result checkpoint.Applied, err error) {
	defer recovered(&err)
	return a.ws.UndoRestore(path, id)
}

// Tasks lists the commands that agents run.
func (a *App) Tasks() (result []event.Task, err error) {
	defer recovered(&err)
	return a.ws.Tasks()
}

// TaskOutput returns the output of a command from an offset on, at most most bytes (0: all that is
// kept).
func (a *App) TaskOutput(id string, from int64, most int) (result builtin.TaskOutput, err error) {
	defer recovered(&err)
	return a.ws.TaskOutput(id, from, most)
}

// CommandOutput returns the raw output of a command that has ended, by its name in the facts of its
// call.
func (a *App) CommandOutput(path, name string) (result string, err error) {
	defer recovered(&err)
	return a.ws.CommandOutput(path, name)
}

// KillTask kills a command and everything that it started.
func (a *App) KillTask(id string) (err error) {
	defer recovered(&err)
	return a.ws.KillTask(id)
}

// RemoveTask removes a command that has ended from the list.
func (a *App) RemoveTask(id string) (err error) {
	defer recovered(&err)
	return a.ws.RemoveTask(id)
}

// Sandbox says whether commands are prevented from writing elsewhere.
func (a *App) Sandbox() (result builtin.Status, err error) {
	defer recovered(&err)
	return a.ws.Sandbox()
}
