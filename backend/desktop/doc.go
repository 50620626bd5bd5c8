// Package desktop asks the desktop environment for file operations that only it can do: move to the
// trash, show in the file manager.
//
// It has no window (the root package does) and decides nothing: its caller decides which file, and
// whether a person wants it. Called by workspace.
package desktop
