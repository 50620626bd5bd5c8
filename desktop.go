package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mutsumi/backend/fault"
	"mutsumi/backend/files"
	"mutsumi/backend/workspace"
)

// desktop is what only a real window can do. There are two implementations: the window itself
// (window.go) and headless, which refuses.
type desktop interface {
	clipboardText() (string, error)
	chooseFolder() error
	// openFolder opens a folder, or the folder of a notebook with that in front.
	openFolder(path string) (address string, err error)
	// chooseFile asks where to save a file and proposes a name; "": nowhere.
	chooseFile(name string) (path string, err error)
	openExternal(link string) error
}

// headless is used without a window: in `mutsumi serve` the browser does these things itself,
// except opening folders.
type headless struct{}

var noWindow = fault.New(fault.Invalid, "there is no window here: do it in the browser")

func (headless) clipboardText() (string, error)    { return "", noWindow }
func (headless) chooseFolder() error               { return noWindow }
func (headless) chooseFile(string) (string, error) { return "", noWindow }
func (headless) openExternal(string) error         { return noWindow }

// openFolder serves it in another process, which ends with this one, and returns the address
// for the browser.
func (headless) openFolder(path string) (string, error) {
	cmd, err := selfIn(path, "serve", "--until-eof")
	if err != nil {
		return "", err
	}
	if _, err := cmd.StdinPipe(); err != nil { // never closed here: the other process ends with this one
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address := lines.Text(); strings.HasPrefix(address, "http://") {
			go func() {
				io.Copy(os.Stdout, out) // a new address, if the page lost its own; control characters were made visible
				cmd.Wait()
			}()
			return address, nil
		}
	}
	cmd.Wait()
	return "", fault.New(fault.Internal, "open %s: %s", path, strings.TrimSpace(said.String()))
}

// openSample opens the sample folder with the notebook of the tour in front.
func openSample(d desktop, ws *workspace.Workspace) (address string, err error) {
	notebook, err := ws.MakeTour()
	if err != nil || ws.ShowNotebook(notebook) {
		return "", err
	}
	return d.openFolder(notebook)
}

// saveText asks where to save text and writes it there. The dialog asks before it replaces a file;
// a path in the proposed name is ignored. If the person names no file, nothing is written.
func saveText(d desktop, name, text string) error {
	path, err := d.chooseFile(filepath.Base(filepath.ToSlash(name)))
	if err != nil || path == "" {
		return err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// selfIn returns the command that runs this program on a folder or a notebook: words, then the path.
// That may begin with ~, the home folder.
func selfIn(path string, words ...string) (*exec.Cmd, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + rest
		}
	}
	folder := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() && filepath.Ext(path) == ".mtm" {
		folder = filepath.Dir(path)
	}
	if err := files.Usable(folder); err != nil { // here it is seen
		return nil, err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return exec.Command(self, append(words, path)...), nil
}

// externalLink returns link if it may be opened outside the program: only web and mail addresses
// may, whatever a model wrote.
func externalLink(link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return "", fault.New(fault.Denied, "only web and mail addresses are opened, not %.80q", link)
	}
	return u.String(), nil
}
