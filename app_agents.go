package main

import (
	"mutsumi/backend/approval"
	"mutsumi/backend/coedit"
	"mutsumi/backend/kind"
	"mutsumi/backend/timeline"
	"mutsumi/backend/worktree"
	"mutsumi/backend/worktree/owned"
)

// StopTree stops an agent and all agents that it started, directly or through others.
func (a *App) StopTree(path string) (err error) {
	defer recovered(&err)
	return a.ws.StopTree(path)
}

// Resume continues an answer that was interrupted when the program ended.
func (a *App) Resume(path string) (result string, err error) {
	defer recovered(&err)
	return a.ws.Resume(path)
}

// SetPaused holds all agents before their next request, or lets them go on.
func (a *App) SetPaused(paused bool) (err error) {
	defer recovered(&err)
	return a.ws.SetPaused(paused)
}

// Kinds lists the kinds of agents.
func (a *App) Kinds() (result []kind.Kind, err error) {
	defer recovered(&err)
	return a.ws.Kinds()
}

// SetKind changes the kind of a notebook's agent, from its next run on.
func (a *App) SetKind(path, name string) (err error) {
	defer recovered(&err)
	return a.ws.SetKind(path, name)
}

// Timeline returns the timeline of the tree of agents to which a notebook belongs.
func (a *App) Timeline(path string) (result timeline.View, err error) {
	defer recovered(&err)
	return a.ws.Timeline(path)
}

// FileUse lists the files that a notebook's agent read and wrote, the latest first.
func (a *App) FileUse(path string) (result []coedit.File, err error) {
	defer recovered(&err)
	return a.ws.FileUse(path)
}

// HoldApproval puts a request aside until the other agents that wrote its file are done.
func (a *App) HoldApproval(id string) (err error) {
	defer recovered(&err)
	return a.ws.HoldApproval(id)
}

// PreviewApproval returns a request as it would be with other arguments, without deciding it.
func (a *App) PreviewApproval(id, arguments string) (result approval.Request, err error) {
	defer recovered(&err)
	return a.ws.PreviewApproval(id, arguments)
}

// ChildTrees lists what the agents below a notebook's agent have to merge.
func (a *App) ChildTrees(path string) (result []owned.ChildTree, err error) {
	defer recovered(&err)
	return a.ws.ChildTrees(path)
}

// Worktree returns the work tree of a notebook's agent; Folder is "" when it has none.
func (a *App) Worktree(path string) (result worktree.View, err error) {
	defer recovered(&err)
	return a.ws.Worktree(path)
}

// RevealWorktree shows the folder of a notebook's work tree in the system's file manager.
func (a *App) RevealWorktree(path string) (err error) {
	defer recovered(&err)
	return a.ws.RevealWorktree(path)
}

// MergeWorktree merges an agent's work tree into the folder.
func (a *App) MergeWorktree(path string) (result worktree.View, err error) {
	defer recovered(&err)
	return a.ws.MergeWorktree(path)
}

// UnmergeWorktree undoes the last merge of an agent's work tree.
func (a *App) UnmergeWorktree(path string) (result worktree.View, err error) {
	defer recovered(&err)
	return a.ws.UnmergeWorktree(path)
}

// UpdateWorktree merges changes of the folder into an agent's work tree, with conflict markers.
func (a *App) UpdateWorktree(path string) (result worktree.View, err error) {
	defer recovered(&err)
	return a.ws.UpdateWorktree(path)
}

// DiscardWorktree discards an agent's work tree and the work in it.
func (a *App) DiscardWorktree(path string) (err error) {
	defer recovered(&err)
	return a.ws.DiscardWorktree(path)
}

// LeftWorktrees lists the work trees of the folder whose notebooks are gone.
func (a *App) LeftWorktrees() (result []owned.LeftTree, err error) {
	defer recovered(&err)
	return a.ws.LeftWorktrees()
}

// RecallWorktree makes a notebook for such a work tree again, and returns its path.
func (a *App) RecallWorktree(uuid string) (result string, err error) {
	defer recovered(&err)
	return a.ws.RecallWorktree(uuid)
}

// DiscardLeftWorktree discards such a work tree and the work in it.
func (a *App) DiscardLeftWorktree(uuid string) (err error) {
	defer recovered(&err)
	return a.ws.DiscardLeftWorktree(uuid)
}

// SetInFront says whether the person sees the window: while they do not, system notifications are shown.
func (a *App) SetInFront(front bool) (err error) {
	defer recovered(&err)
	return a.ws.SetInFront(front)
}

// MoveAgent makes an agent a child of the agent with the uuid parent; "": of none.
func (a *App) MoveAgent(path, parent string) (err error) {
	defer recovered(&err)
	return a.ws.Move(path, parent)
}
