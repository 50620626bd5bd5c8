//go:build desktop && !linux

package main

import (
	"context"

	"mutsumi/backend/page"
	"mutsumi/backend/workspace"
)

// unwatched is a web view that does not report the end of its page: the page is never reloaded.
type unwatched struct{}

func view(*workspace.Workspace) page.View { return unwatched{} }

func (unwatched) Load()             {}
func (unwatched) End()              {}
func (unwatched) Ask()              {}
func (unwatched) GiveUp(page.Given) {}

func configureView(bool) {}

func (w *window) watchPage(context.Context) {}
