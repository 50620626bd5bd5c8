//go:build desktop

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/mac"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/page"
	"mutsumi/backend/web"
	"mutsumi/backend/workspace"
)

// window is the desktop of a real window.
type window struct {
	ctx     context.Context
	text    func(text string) string // a text in the language of the interface
	notices noticeCenter
	told    atomic.Bool // the system or another program ends it, so nobody is asked
	closing atomic.Bool // the page has been notified
	closed  atomic.Bool // the page has answered, or took too long
	asking  atomic.Bool // the page was asked whether the window may close and has not answered
	page    *page.Keeper
	started sync.Once // the first page shows something
}

// Messages from the page while its window is closing; see askToClose and lastWords.
const (
	pageAsks = "asks"  // it asks the person because agents run
	pageEnds = "close" // nothing runs, or the person is sure
	pageSaid = "said"  // everything typed in it is saved
)

// pageShows is the message of a page that shows something: the window, or why there is none.
const pageShows = "shows"

// afterStart is how long after the first page what only the start needed is given back: the page has
// loaded its other parts by then.
const afterStart = 2 * time.Second

// pagePatience is how long to wait for a page that does not answer.
const pagePatience = 3 * time.Second

// askToClose closes the window once the page agrees: the page asks the person while agents run. If
// the page does not answer, the window closes anyway.
func (w *window) askToClose(ctx context.Context, end func()) {
	late := time.AfterFunc(pagePatience, end)
	w.asking.Store(true)
	runtime.EventsOnce(ctx, pageAsks, func(...any) {
		w.asking.Store(false)
		late.Stop()
	})
	runtime.EventsOnce(ctx, pageEnds, func(...any) { end() })
	runtime.WindowExecJS(ctx, closeWanted)
}

// closeWanted tells the page that its window should close.
const closeWanted = "dispatchEvent(new Event('closewanted'))"

// pageLoaded is called once the page shows something. It tells a reloaded page why it was reloaded,
// and repeats a request to close the window that the previous page did not answer.
func (w *window) pageLoaded(ctx context.Context) {
	w.started.Do(func() {
		time.AfterFunc(afterStart, func() {
			if self, err := os.Executable(); err == nil {
				giveBackPages(self)
			}
		})
	})
	if cause := w.page.Shows(); cause != "" {
		runtime.WindowExecJS(ctx, "dispatchEvent(new CustomEvent('loadedagain', { detail: '"+string(cause)+"' }))")
	}
	if w.asking.Load() {
		runtime.WindowExecJS(ctx, closeWanted)
	}
}

// lastWords lets the page save text typed in the last moment, then closes the window: a closing web
// view has no time for that. A page that does not answer is not waited for.
func (w *window) lastWords(ctx context.Context) {
	done := func() {
		w.closed.Store(true)
		runtime.Quit(ctx)
	}
	runtime.EventsOnce(ctx, pageSaid, func(...any) { done() })
	runtime.WindowExecJS(ctx, "(() => { const pending = []; dispatchEvent(Object.assign(new Event('pagehide'), { pending })); Promise.allSettled(pending).then(() => window.runtime.EventsEmit('"+pageSaid+"')) })()")
	time.AfterFunc(pagePatience, done)
}

// openWindow shows a workspace until its window is closed, or told ends.
func openWindow(told context.Context, ws *workspace.Workspace, assets fs.FS) error {
	w := &window{text: ws.Text}
	w.page = page.New(view(ws), func(cause page.Cause, again bool) { ws.PageFailed(string(cause), again) })
	configureView(ws.Dark())
	size := ws.WindowState()
	state := options.Normal
	if size.Maximised {
		state = options.Maximised
	}
	id := sha256.Sum256([]byte(files.Real(ws.Folder()))) // one window, whichever link leads there
	return wails.Run(&options.App{
		Title: ws.Title(), Width: size.Width, Height: size.Height, MinWidth: 900, MinHeight: 600,
		WindowStartState: state,
		BackgroundColour: background(ws.Dark()),
		AssetServer:      &assetserver.Options{Assets: assets, Handler: web.New(ws)},
		DragAndDrop:      &options.DragAndDrop{EnableFileDrop: true},
		ErrorFormatter:   func(err error) any { return fault.JSON(err) },
		OnStartup: func(ctx context.Context) {
			w.ctx = ctx
			w.askForNotifications(ws.Folder())
			ws.ShowIn(w)
			runtime.OnFileDrop(ctx, ws.Dropped)
			runtime.EventsOn(ctx, pageShows, func(...any) { w.pageLoaded(ctx) })
			w.watchPage(ctx)
			context.AfterFunc(told, func() {
				w.told.Store(true)
				runtime.Quit(ctx) // like the close button
			})
		},
		OnBeforeClose: func(ctx context.Context) bool {
			end := func() {
				if w.closing.Swap(true) {
					return
				}
				width, height := runtime.WindowGetSize(ctx)
				ws.KeepWindow(width, height, runtime.WindowIsMaximised(ctx))
				if w.page.Close(); w.page.GivenUp() {
					w.closed.Store(true)
					runtime.Quit(ctx)
					return
				}
				w.lastWords(ctx)
			}
			switch {
			case w.closing.Load(): // a signal, on which wails closes the window too, or a second press
				return !w.closed.Load()
			case w.told.Load(), w.page.GivenUp(): // no page can be asked
				end()
			default:
				w.askToClose(ctx, end)
			}
			return true
		},
		SingleInstanceLock: &options.SingleInstanceLock{
			UniqueId: "mutsumi-" + hex.EncodeToString(id[:8]),
			OnSecondInstanceLaunch: func(second options.SecondInstanceData) {
				if args := second.Args; len(args) == 1 {
					ws.ShowNotebook(absolute(second.WorkingDirectory, args[0])) // if it is a folder, it is this one
				}
				w.Raise()
			},
		},
		Mac:  &mac.Options{OnFileOpen: func(file string) { w.openFile(ws, file) }},
		Bind: []any{&App{ws, w}},
	})
}

// background is the colour before the page has painted, the design's --bg.
func background(dark bool) *options.RGBA {
	if dark {
		return options.NewRGB(0x15, 0x17, 0x15)
	}
	return options.NewRGB(0xfb, 0xfb, 0xf9)
}

// Raise brings the window to the front.
func (w *window) Raise() {
	runtime.WindowUnminimise(w.ctx)
	runtime.Show(w.ctx)
}

// SetTitle sets the title that the system shows.
func (w *window) SetTitle(title string) { runtime.WindowSetTitle(w.ctx, title) }

func (w *window) clipboardText() (string, error) { return runtime.ClipboardGetText(w.ctx) }

func (w *window) chooseFolder() error {
	path, err := runtime.OpenDirectoryDialog(w.ctx, runtime.OpenDialogOptions{Title: w.text("Open a folder")})
	if err != nil || path == "" {
		return err
	}
	_, err = w.openFolder(path)
	return err
}

func (w *window) chooseFile(name string) (string, error) {
	return runtime.SaveFileDialog(w.ctx, runtime.SaveDialogOptions{Title: w.text("Save as file"), DefaultFilename: name})
}

func (w *window) openFolder(path string) (string, error) {
	cmd, err := selfIn(path)
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	go cmd.Wait()
	return "", nil
}

// openFile opens a notebook that macOS passes to the program: here if it is in this folder,
// otherwise in another window.
func (w *window) openFile(ws *workspace.Workspace, file string) {
	if ws.ShowNotebook(file) {
		return
	}
	if self, err := os.Executable(); err == nil {
		cmd := exec.Command(self, file)
		if cmd.Start() == nil {
			go cmd.Wait()
		}
	}
}

// absolute returns a path that is relative to a working folder as an absolute one.
func absolute(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

func (w *window) openExternal(link string) error {
	link, err := externalLink(link)
	if err != nil {
		return err
	}
	runtime.BrowserOpenURL(w.ctx, link)
	return nil
}
