package main

import (
	"net/url"

	"mutsumi/backend/fault"
)

// desktop is what only a real window can do. There are two: the window itself
// (window.go) and headless, which says so.
type desktop interface {
	clipboardText() (string, error)
	chooseFolder() error
	openFolder(path string) error
	openExternal(link string) error
}

// headless stands in where there is no window: in `mutsumi serve` the browser
// does these things itself.
type headless struct{}

var noWindow = fault.New(fault.Invalid, "there is no window here: do it in the browser")

func (headless) clipboardText() (string, error) { return "", noWindow }
func (headless) chooseFolder() error            { return noWindow }
func (headless) openFolder(string) error        { return noWindow }
func (headless) openExternal(string) error      { return noWindow }

// externalLink returns link if it is one that may leave the program: a web or
// mail address, whatever a model wrote.
func externalLink(link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return "", fault.New(fault.Denied, "only web and mail addresses are opened, not %.80q", link)
	}
	return u.String(), nil
}
