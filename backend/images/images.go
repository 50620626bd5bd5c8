// Package images serves the images that prompts link to, and saves the images that a
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
	"mutsumi/backend/pdf"
	"mutsumi/backend/settings"
)

// thumbSide is the longest side of a thumbnail in pixels: the design's 116 at
// twice the density.
const thumbSide = 240

// Picture is an image for the interface. Width and Height are those of the original
// after rotation.
type Picture struct {
	Bytes         []byte
	MIME          string
	Width, Height int
	About         string // of a document, which has no picture: "3 pages, 1.2 MB"
}

// Inserted is the text to insert for dropped or pasted files.
type Inserted struct {
	Text  string   `json:"text"`  // "![image](file:///...)", "@[src/a.go]", joined by spaces
	Notes []string `json:"notes"` // about scaled or omitted images, for a person
}

// Images serves and saves the images of a folder's notebooks. It is safe for
// concurrent use.
type Images struct {
	registry *documents.Registry
	access   *access.Access
	settings *settings.Store
	cache    *media.Cache    // of prepared images
	folder   string          // that is open
	ctx      context.Context // ends the wait for the system's clipboard
}

// New returns the Images of a folder. cache holds prepared images; waits for the
// system's clipboard end with ctx.
func New(ctx context.Context, reg *documents.Registry, a *access.Access, s *settings.Store, cache *media.Cache, folder string) *Images {
	return &Images{registry: reg, access: a, settings: s, cache: cache, folder: folder, ctx: ctx}
}

// Image returns the image that a link in a prompt leads to, as a thumbnail or whole.
// A link of the form part:N means an image inside the message itself.
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
		p := Picture{Bytes: t.Data, MIME: t.Format.MIME(), Width: width, Height: height}
		if t.Format == media.PDF {
			p.About = media.Measure(t.Pages, t.Bytes)
		}
		return p, nil
	}
	data, info, err := loader.Original(target)
	if err != nil {
		return Picture{}, err
	}
	width, height := info.Upright()
	return Picture{Bytes: data, MIME: info.Format.MIME(), Width: width, Height: height}, nil
}

// folderFor returns the folder for images pasted into a notebook (SPEC 6).
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

// InsertPaths turns dropped or pasted paths into text for a prompt: images and PDF
// documents become links, everything else references.
func (im *Images) InsertPaths(path string, paths []string) (Inserted, error) {
	folder, err := im.folderFor(path)
	if err != nil {
		return Inserted{}, err
	}
	text, notes := media.Insert(im.folder, folder, paths, time.Now())
	return inserted(text, notes), nil
}

// InsertBytes turns pasted bytes into text for a prompt: an image or a PDF document is
// saved and linked.
func (im *Images) InsertBytes(path, name string, data []byte) (Inserted, error) {
	folder, err := im.folderFor(path)
	if err != nil {
		return Inserted{}, err
	}
	save := media.Save
	if pdf.Is(data) {
		save = media.SaveDocument
	}
	saved, err := save(folder, data, filepath.Base(name), time.Now())
	if err != nil {
		return Inserted{}, err
	}
	return inserted(saved.Link(im.folder), nil), nil
}

// PasteFromClipboard turns the content of the system's clipboard (paths, an image or
// plain text) into text for a prompt, for web views that cannot read it.
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
