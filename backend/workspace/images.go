package workspace

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/media"
	"mutsumi/backend/notebook"
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

// Image gives the image that a link in a prompt leads to, small or whole. A
// link of the form part:N means an image inside the message itself.
func (w *Workspace) Image(path, target string, small bool) (p Picture, err error) {
	err = w.with(path, func(_ *Tx, nb *notebook.Document) error {
		if strings.HasPrefix(target, "part:") {
			target, err = nb.PartURL(target)
			return err
		}
		return nil
	})
	if err != nil {
		return Picture{}, err
	}
	roots, err := w.access.RootsAt(path)
	if err != nil {
		return Picture{}, err
	}
	loader := &media.Loader{Roots: roots, Cache: w.pictures, Folder: w.folder}
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

// imageFolder is where an image pasted into a notebook is kept (SPEC 6).
func (w *Workspace) imageFolder(path string) (string, error) {
	file, err := w.registry.Resolve(path)
	if err != nil {
		return "", err
	}
	if w.settings.Preferences().ImageFolder == "temp" {
		return media.TempFolder(), nil
	}
	return media.NotebookFolder(file), nil
}

// InsertPaths turns dropped or pasted paths into text for a prompt: images
// become links, everything else references.
func (w *Workspace) InsertPaths(path string, paths []string) (Inserted, error) {
	folder, err := w.imageFolder(path)
	if err != nil {
		return Inserted{}, err
	}
	text, notes := media.Insert(w.folder, folder, paths, time.Now())
	return inserted(text, notes), nil
}

// InsertBytes turns pasted bytes into text for a prompt: an image is saved and linked.
func (w *Workspace) InsertBytes(path, name string, data []byte) (Inserted, error) {
	folder, err := w.imageFolder(path)
	if err != nil {
		return Inserted{}, err
	}
	saved, err := media.Save(folder, data, filepath.Base(name), time.Now())
	if err != nil {
		return Inserted{}, err
	}
	return inserted(saved.Link(w.folder), nil), nil
}

// PasteFromClipboard turns what the system's clipboard holds into text for a
// prompt, for web views that hand none over: paths, an image, or plain text.
func (w *Workspace) PasteFromClipboard(path string, clipboard func() (string, error)) (Inserted, error) {
	text, textErr := clipboard()
	if paths, ok := media.Paths(text); ok {
		return w.InsertPaths(path, paths)
	}
	if text != "" {
		return inserted(text, nil), nil
	}
	data, err := media.Clipboard(w.ctx)
	if errors.Is(err, media.ErrNoImage) {
		if textErr != nil && !fault.Is(textErr, fault.Invalid) {
			return Inserted{}, textErr
		}
		return inserted("", nil), nil
	}
	if err != nil {
		return Inserted{}, err
	}
	return w.InsertBytes(path, "the image in the clipboard", data)
}

func inserted(text string, notes []string) Inserted {
	if notes == nil {
		notes = []string{}
	}
	return Inserted{Text: text, Notes: notes}
}
