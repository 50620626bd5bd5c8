package media

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/lazyregexp"
)

// Saved is a pasted image or document on disk.
type Saved struct {
	Path string // absolute
	Name string // of a document, as it was called where it came from
	Info Info   // of an image
}

// Link is the link in a prompt: ![image](...), or the name of a document, with the path in the
// workspace, so that it stays valid when the folder is moved or cloned, otherwise with a file://
// URI.
func (s Saved) Link(workspace string) string {
	label := "image"
	if s.Name != "" {
		label = labelOf(s.Name)
	}
	for _, base := range folderSpellings(workspace) {
		rel, err := filepath.Rel(base, s.Path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		switch rel = filepath.ToSlash(rel); {
		case isPlain.MatchString(rel):
			return "![" + label + "](" + rel + ")"
		case s.Name != "" && !strings.ContainsAny(rel, "<>%\n\r"):
			return "![" + label + "](<" + rel + ">)"
		}
	}
	return "![" + label + "](" + files.ToURI(s.Path) + ")"
}

// labelOf is a name as it can be in a link: brackets would end it.
func labelOf(name string) string {
	return strings.TrimSpace(strings.NewReplacer("[", "(", "]", ")", "\n", " ", "\r", " ").Replace(name))
}

// isPlain matches text that can be in a link unescaped for any reader.
var isPlain = lazyregexp.New(`^[\pL\pN._/-]+$`)

// folderName is the folder of pasted images below the temporary folder (SPEC 6).
const folderName = "mutsumi_images"

// TempFolder is where pasted images go: <temp>/mutsumi_images.
func TempFolder() string { return filepath.Join(os.TempDir(), folderName) }

// besideEnding ends the name of a folder of images next to a notebook.
const besideEnding = ".images"

// NotebookFolder is the folder for a notebook's images unless the setting imageFolder is "temp":
// next to it, "plan.images" for "plan.mtm".
func NotebookFolder(notebook string) string {
	return strings.TrimSuffix(notebook, filepath.Ext(notebook)) + besideEnding
}

// isPasted matches the names that Save gives.
var isPasted = lazyregexp.New(`^(?:img|doc)_\d+_[0-9a-f]{8}\.[a-z]+$`)

// beside returns access to an image that Save put next to a notebook of the workspace: it can
// always be read, like one in the temporary folder (SPEC 4.1). Links are not followed, so that
// nothing else becomes readable by that.
func (l *Loader) beside(target string) (*files.Roots, string) {
	path, err := files.FromURI(target)
	if err != nil || l.Folder == "" {
		return nil, ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.Folder, path)
	}
	folder, err := filepath.EvalSymlinks(l.Folder)
	if err != nil {
		return nil, ""
	}
	for _, base := range folderSpellings(l.Folder) {
		rel, err := filepath.Rel(base, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		dir := filepath.Dir(filepath.Join(folder, rel))
		if real, err := filepath.EvalSymlinks(dir); err != nil || real != dir || !strings.HasSuffix(dir, besideEnding) || !isPasted.MatchString(filepath.Base(path)) {
			return nil, ""
		}
		roots, err := files.New(dir, []string{dir})
		if err != nil {
			return nil, ""
		}
		if abs, err := roots.Path(filepath.Join(dir, filepath.Base(path))); err == nil {
			return roots, abs
		}
	}
	return nil, ""
}

// Save writes an image to a new file img_<ms>_<8 hex>.<ext> in folder, which it creates if
// necessary. The bytes stay as they are; the extension follows the content. Anything but a complete
// image of the four formats is Invalid.
//
// Only their owner can read the files. If the folder is another user's, even through a link, Save
// uses one of the user's own.
func Save(folder string, data []byte, name string, now time.Time) (Saved, error) {
	if name == "" {
		name = "the image"
	}
	lim := DefaultLimits
	if int64(len(data)) > lim.FileBytes {
		return Saved{}, fault.New(fault.Invalid, "%s is %s, more than the %s that an image may have", name, files.Size(int64(len(data))), files.Size(lim.FileBytes))
	}
	info, err := Sniff(data, name, lim)
	if err != nil {
		return Saved{}, err
	}
	if holdsMarkup(data) {
		return Saved{}, fault.New(fault.Invalid, "%s is an image that also holds a web page or a script: save it anew with an image program first", name)
	}
	if err := whole(data, info, name); err != nil {
		return Saved{}, err
	}
	file, err := keep(folder, "img", info.Format, data, now)
	return Saved{Path: file, Info: info}, err
}

// SaveDocument writes a PDF document to a new file doc_<ms>_<8 hex>.pdf in folder, as Save does an
// image. One that could not be sent is Invalid.
func SaveDocument(folder string, data []byte, name string, now time.Time) (Saved, error) {
	if name == "" {
		name = "document.pdf"
	}
	if _, err := PrepareDocument(data, name); err != nil {
		return Saved{}, err
	}
	file, err := keep(folder, "doc", PDF, data, now)
	return Saved{Path: file, Name: name}, err
}

// keep writes a new file PREFIX_<ms>_<8 hex>.EXT in folder, which it makes when
// needed, and returns its path.
func keep(folder, prefix string, format Format, data []byte, now time.Time) (string, error) {
	what := "image"
	if format == PDF {
		what = "document"
	}
	folder, err := private(folder)
	if err != nil {
		return "", fault.New(fault.Invalid, "save %s in %s: %w", what, folder, err)
	}
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return "", fault.New(fault.Invalid, "save %s in %s: %w", what, folder, err)
	}
	defer dir.Close()
	for {
		var random [4]byte
		_, _ = rand.Read(random[:]) // never fails
		file := fmt.Sprintf("%s_%d_%s.%s", prefix, now.UnixMilli(), hex.EncodeToString(random[:]), format.Ext())
		switch err := writeNew(dir, file, data); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return "", fault.New(fault.Invalid, "save %s in %s: %w", what, folder, err)
		}
		return filepath.Join(folder, file), nil
	}
}

// whole decodes an image to see that it is one to its end.
func whole(data []byte, info Info, name string) error {
	working.Lock()
	defer working.Unlock()
	_, err := decode(data, info, name)
	return err
}

func writeNew(dir *os.Root, name string, data []byte) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = dir.Remove(name)
	}
	return err
}

// private creates the folder, or uses the existing one if it is this user's. The temporary folder
// is shared: somebody else may have made a folder or a link of that name, by chance or to read or
// replace the images.
func private(folder string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return folder, err
	}
	candidates := []string{folder}
	if folder == TempFolder() {
		candidates = append(candidates, fallbackFolder())
	}
	var last error
	for _, dir := range candidates {
		if last = makePrivate(dir); last == nil {
			return dir, nil
		}
	}
	return folder, last
}

func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !owned(info) {
		return errors.New("this folder belongs to another user")
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if info, err = os.Stat(dir); err != nil {
			return err
		}
		if !owned(info) {
			return errors.New("this link leads to a folder of another user")
		}
	}
	if !info.IsDir() {
		return errors.New("there is a file of this name")
	}
	if filepath.Base(dir) == folderName && info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// readable lists this user's existing folders of pasted images; images in them can always be read
// (SPEC 4.1).
func readable() []string {
	var out []string
	for _, dir := range []string{TempFolder(), fallbackFolder()} {
		if info, err := os.Lstat(dir); err == nil && owned(info) {
			if info, err = os.Stat(dir); err == nil && info.IsDir() && owned(info) {
				out = append(out, dir)
			}
		}
	}
	return out
}
