package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/access"
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

// images are those that prompts show: sent, pasted and dropped.
type images struct {
	*notebooks
	access   *access.Access
	settings *settings.Store
	pictures *media.Cache
	folder   string          // that is open
	ctx      context.Context // ends when the workspace closes
}

// Image gives the image that a link in a prompt leads to, small or whole. A
// link of the form part:N means an image inside the message itself.
func (im *images) Image(path, target string, small bool) (p Picture, err error) {
	err = im.with(path, func(_ *Tx, nb *notebook.Document) error {
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
	loader := &media.Loader{Roots: roots, Cache: im.pictures, Folder: im.folder}
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
func (im *images) folderFor(path string) (string, error) {
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
func (im *images) InsertPaths(path string, paths []string) (Inserted, error) {
	folder, err := im.folderFor(path)
	if err != nil {
		return Inserted{}, err
	}
	text, notes := media.Insert(im.folder, folder, paths, time.Now())
	return inserted(text, notes), nil
}

// InsertBytes turns pasted bytes into text for a prompt: an image is saved and linked.
func (im *images) InsertBytes(path, name string, data []byte) (Inserted, error) {
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
func (im *images) PasteFromClipboard(path string, clipboard func() (string, error)) (Inserted, error) {
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
