//go:build desktop

package main

import (
	"context"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"mutsumi/backend/page"
	"mutsumi/backend/page/webkit"
	"mutsumi/backend/workspace"
)

// view is the web view of the window.
func view(ws *workspace.Workspace) page.View { return webkit.View{Text: ws.Text, Dark: ws.Dark} }

// configureView configures the web view before the window is made; dark: the page is dark.
func configureView(dark bool) { webkit.Configure(dark) }

// watchPage reloads the page of the window when it ended, froze or stays empty.
func (w *window) watchPage(ctx context.Context) {
	webkit.Watch(webkit.Hooks{
		Ended: w.page.Ended, Answered: w.page.Answered, Beat: w.page.Beat, Again: w.page.Again,
		Quit: func() { runtime.Quit(ctx) },
	})
}
