// Package desktop asks the desktop around the program for what only it can do
// with a file: move it to the trash, show it in the file manager.
//
// It has no window (the root package does) and decides nothing: which file,
// and whether a person wants it, is its caller's. Called by workspace.
package desktop
