// Package notebook is the document: a `.mtm` file of prompts and answers in
// memory, every change a person or a run makes to it, and the way from disk
// and back without losing anything (SPEC 1).
//
// It is not the open folder: package documents owns the Documents, one lock
// for each, and decides when to load and save. It does not build what is sent
// to a model (package prompt) and watches no files. It imports chat and fault.
//
// The map, in reading order:
//
//	view.go       what the interface is given, and the Edits it sends
//	scan.go       one pass over JSON text: is it valid, is it laid out our way
//	text.go       JSON strings        value.go   walking and changing raw objects
//	layout.go     our layout of text that others wrote
//	parse.go      Parse: file -> Document, or a DamagedError with line and column
//	message.go    Message, and the raw message of a document
//	content.go    contents: text, parts, and parts edited as links in a text
//	cell.go       a cell                cells.go   cells derived from messages (SPEC 1.3), their ids and order
//	document.go   Document and what can be read from it
//	metadata.go   the notebook's metadata
//	edit.go       Apply: edits, all or none
//	undo.go       steps, Undo, Redo, Change
//	branch.go     what was put aside when a prompt was run again
//	run.go        BeginRun, PutMessage, EndRun
//	sendable.go   the repair of messages before they are sent (SPEC 1.5)
//	encode.go     Snapshot: Document -> file
//	store.go      Load, Save: the disk, atomically (temp.go, disk_*.go)
//	links.go      SaveLinked: a file with several names
//	summary.go    what a list shows of a file, without reading all of it
//	repair.go     what can be read of a damaged file
//
// How it is fast: a message keeps the bytes it has in the file, a document is
// a list of cells that point at messages, and none of these ever changes. An
// edit makes a new cell; undo puts the old one back; saving writes the bytes
// one after another.
package notebook
