// Package notebook is the document: a `.mtm` file of prompts and answers in memory, every change
// that a person or a run makes to it, and lossless loading and saving (SPEC 1).
//
// It does not know the open folder: package documents owns the Documents, one lock for each, and
// decides when to load and save. It does not build requests to a model (package prompt) and watches
// no files. It imports chat and fault.
//
// The map, in reading order:
//
//	view.go       what the interface gets, and the Edits it sends
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
//	branch.go     cells put aside when a prompt is run again
//	run.go        BeginRun, PutMessage, EndRun
//	sendable.go   the repair of messages before they are sent (SPEC 1.5)
//	encode.go     Snapshot: Document -> file
//	store.go      Load, Save: the disk, atomically (temp.go, disk_*.go)
//	links.go      SaveLinked: a file with several names
//	summary.go    a file's entry in a list, without reading all of it
//	repair.go     the readable parts of a damaged file
//
// It is fast because a message keeps its bytes from the file, a document is a list of cells that
// point at messages, and none of these ever changes. An edit makes a new cell; undo puts the old
// one back; saving writes the bytes one after another.
package notebook
