// Package images serves the images that prompts show, and keeps those that a
// person pastes or drops.
package images

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/access"
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
	"mutsumi/backend/settings"
)

// thumbSide is the longest side of a thumbnail in pixels: the design's 116 at
// twice the density.
const thumbSide = 240

// Picture is an image on its way to the interface. Width and Height are those
// of the original, upright.
type Picture struct {
	Bytes         []byte
	MIME          string
	Width, Height int
}

// Inserted is what dropped or pasted files became: text to put at the caret.
type Inserted struct {
	Text  string   `json:"text"`  // "![image](file:///...)", "@[src/a.go]", joined by spaces
	Notes []string `json:"notes"` // what was scaled down or left out, for a person
}

// Images are those of the notebooks of a folder.
type Images struct {
	registry *documents.Registry
	access   *access.Access
	settings *settings.Store
	cache    *media.Cache    // of prepared images
	folder   string          // that is open
	ctx      context.Context // ends the wait for the system's clipboard
}

// New makes what serves images; cache holds those that are prepared. The wait
// for the system's clipboard ends with ctx.
func New(ctx context.Context, reg *documents.Registry, a *access.Access, s *settings.Store, cache *media.Cache, folder string) *Images {
	return &Images{registry: reg, access: a, settings: s, cache: cache, folder: folder, ctx: ctx}
}

// Image gives the image that a link in a prompt leads to, small or whole. A
// link of the form part:N means an image inside the message itself.
func (im *Images) Image(path, target string, small bool) (p Picture, err error) {
	err = im.registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		if strings.HasPrefix(target, "part:") {
			target, err = nb.PartURL(target)
			return err
		}
		return nil
	})
	if err != nil {
		return Picture{}, err
	}
	roots, err := im.access.RootsAt(path)
	if err != nil {
		return Picture{}, err
	}
	loader := &media.Loader{Roots: roots, Cache: im.cache, Folder: im.folder}
	if small {
		t, err := loader.Thumbnail(target, thumbSide)
		if err != nil {
			return Picture{}, err
		}
		width, height := t.From.Upright()
		return Picture{t.Data, t.Format.MIME(), width, height}, nil
	}
	data, info, err := loader.Original(target)
	if err != nil {
		return Picture{}, err
	}
	width, height := info.Upright()
	return Picture{data, info.Format.MIME(), width, height}, nil
}

// folderFor is where an image pasted into a notebook is kept (SPEC 6).
func (im *Images) folderFor(path string) (string, error) {
	file, err := im.registry.Resolve(path)
	if err != nil {
		return "", err
	}
	if im.settings.Preferences().ImageFolder == "temp" {
		return media.TempFolder(), nil
	}
	return media.NotebookFolder(file), nil
}

// InsertPaths turns dropped or pasted paths into text for a prompt: images
// become links, everything else references.
func (im *Images) InsertPaths(path string, paths []string) (Inserted, error) {
	folder, err := im.folderFor(path)
	if err != nil {
		return Inserted{}, err
	}
	text, notes := media.Insert(im.folder, folder, paths, time.Now())
	return inserted(text, notes), nil
}

// InsertBytes turns pasted bytes into text for a prompt: an image is saved and linked.
func (im *Images) InsertBytes(path, name string, data []byte) (Inserted, error) {
	folder, err := im.folderFor(path)
	if err != nil {
		return Inserted{}, err
	}
	saved, err := media.Save(folder, data, filepath.Base(name), time.Now())
	if err != nil {
		return Inserted{}, err
	}
	return inserted(saved.Link(im.folder), nil), nil
}

// PasteFromClipboard turns what the system's clipboard holds into text for a
// prompt, for web views that hand none over: paths, an image, or plain text.
func (im *Images) PasteFromClipboard(path string, clipboard func() (string, error)) (Inserted, error) {
	text, textErr := clipboard()
	if paths, ok := media.Paths(text); ok {
		return im.InsertPaths(path, paths)
	}
	if text != "" {
		return inserted(text, nil), nil
	}
	data, err := media.Clipboard(im.ctx)
	if errors.Is(err, media.ErrNoImage) {
		if textErr != nil && !fault.Is(textErr, fault.Invalid) {
			return Inserted{}, textErr
		}
		return inserted("", nil), nil
	}
	if err != nil {
		return Inserted{}, err
	}
	return im.InsertBytes(path, "the image in the clipboard", data)
}

func inserted(text string, notes []string) Inserted {
	if notes == nil {
		notes = []string{}
	}
	return Inserted{Text: text, Notes: notes}
}
