package workspace

import (
	"mutsumi/backend/access"
	"mutsumi/backend/desktop"
	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/mcp"
	"mutsumi/backend/media"
	"mutsumi/backend/ref"
)

// fileLimit is the largest file that is shown, in bytes (SPEC 3.6).
const fileLimit = 2 << 20

// FileView is a file opened at the lines of a reference (GET /api/file).
type FileView struct {
	Path  string `json:"path"` // as shown
	File  string `json:"file"` // absolute
	Text  string `json:"text"`
	First int    `json:"first"` // lines of the reference, from 1; 0: the whole file
	Last  int    `json:"last"`
	Note  string `json:"note,omitempty"` // why there is no text
}

// references lets the interface open the files that notebooks refer to.
type references struct {
	access  *access.Access
	servers *mcp.Servers
}

// File reads the file of a reference in a notebook.
func (rs *references) File(path, reference string) (FileView, error) {
	roots, r, err := rs.follow(path, reference)
	if err != nil {
		return FileView{}, err
	}
	file, err := roots.Path(r.Path)
	if err != nil {
		return FileView{}, err
	}
	view := FileView{Path: r.Path, File: file, First: r.From, Last: r.To}
	loader := media.Loader{Roots: roots}
	if about, ok := loader.About(r.Path); ok {
		view.Note = "A PDF document: " + about + ". It is not shown here."
		return view, nil
	}
	view.Text, err = roots.Read(r.Path, fileLimit)
	if err != nil {
		return FileView{}, err
	}
	return view, nil
}

// RevealFile shows the file of a reference in the system's file manager. It does not open
// the file, because systems open some files by running them.
func (rs *references) RevealFile(path, reference string) error {
	roots, r, err := rs.follow(path, reference)
	if err != nil {
		return err
	}
	if _, err := roots.Stat(r.Path); err != nil {
		return err
	}
	file, err := roots.Path(r.Path)
	if err != nil {
		return err
	}
	return desktop.Reveal(file)
}

func (rs *references) follow(path, reference string) (*files.Roots, ref.Ref, error) {
	r := ref.Parse(reference)
	if server, _, ok := r.Resource(); ok && rs.servers.Has(server) {
		return nil, r, fault.New(fault.Invalid, "%s is of the MCP server %s: what is sent of it is in the preview", r.Key(), server)
	}
	if r.Tool != "" || r.Path == "" {
		return nil, r, fault.New(fault.Invalid, "%q names no file", reference)
	}
	roots, err := rs.access.RootsAt(path)
	return roots, r, err
}
