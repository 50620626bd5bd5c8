//go:build !desktop

package main

import (
	"context"
	"io/fs"

	"mutsumi/backend/fault"
	"mutsumi/backend/workspace"
)

// openWindow refuses: this binary was built without a window, so that it runs without a web view.
func openWindow(context.Context, *workspace.Workspace, fs.FS) error {
	return fault.New(fault.Invalid, "this mutsumi was built without a window: use `mutsumi serve`, or build it with `make build`")
}
