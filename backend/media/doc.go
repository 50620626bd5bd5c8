// Package media turns images and PDF documents that people paste, drop or link into what a model
// accepts: a file with a link in the prompt (SPEC 6), and the link into a data URI when the prompt
// is sent (SPEC 5.6), with images turned upright and scaled down where the model needs it.
//
// It decides by content, never by name; it opens files only through package files; it fetches
// nothing. Called by prompt, workspace and web.
package media
