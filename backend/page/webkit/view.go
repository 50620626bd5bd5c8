//go:build desktop && linux

package webkit

/*
#cgo pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1
#include <stdlib.h>
#include "view.h"
*/
import "C"

import (
	"unsafe"

	"mutsumi/backend/page"
)

// Hooks are called on the thread of the window and must return at once.
type Hooks struct {
	Ended    func(memory bool) // the page's process ended
	Answered func()            // the page answered
	Beat     func(held bool)   // page.Every has passed; held: a dialog is open
	Again    func()            // the person wants the given-up page again
	Quit     func()            // the person quits instead
}

// hooks belong to the process's only window.
var hooks Hooks

// View is the web view of the process's window.
type View struct {
	Text func(english string) string // in the language of the interface
	Dark func() bool
}

// Watch finds the web view and calls h from then on. Call it once, after the window was made.
func Watch(h Hooks) {
	hooks = h
	C.page_watch(C.uint(page.Every.Milliseconds()))
}

// Load loads the page from its start.
func (View) Load() { C.page_load() }

// End ends the page's process.
func (View) End() { C.page_end() }

// Ask asks the page whether it answers.
func (View) Ask() { C.page_ask() }

// GiveUp replaces the page by a text and two buttons until one is pressed.
func (v View) GiveUp(g page.Given) {
	texts := [...]*C.char{C.CString(v.Text(g.Title)), C.CString(v.Text(g.Text)), C.CString(v.Text(g.Again)), C.CString(v.Text(g.Quit))}
	var dark C.gboolean
	if v.Dark() {
		dark = 1
	}
	C.page_give_up(texts[0], texts[1], texts[2], texts[3], dark)
	for _, text := range texts {
		C.free(unsafe.Pointer(text))
	}
}

//export pageEnded
func pageEnded(memory C.gboolean) { hooks.Ended(memory != 0) }

//export pageAnswered
func pageAnswered() { hooks.Answered() }

//export pageBeat
func pageBeat(held C.gboolean) { hooks.Beat(held != 0) }

//export pageAgain
func pageAgain() { hooks.Again() }

//export pageQuit
func pageQuit() { hooks.Quit() }
