package documents

import (
	"strings"
	"unicode/utf8"

	"mutsumi/backend/fault"
)

// mainName returns the path and the file by which a notebook is known: one file is one document,
// and one agent in the tree, whatever links lead to it. A file that the tree does not show under
// its own name is known by the name of the link.
func (reg *Registry) mainName(path, file string) (string, string) {
	if file == reg.Outside() {
		return path, file
	}
	return reg.mainLink(reg.linkedTo(path, file))
}

// notText is the tree's message about a notebook whose name cannot be sent to the interface.
const notText = "the name of this file is no text (it is not UTF-8): give it another name, then it can be opened"

// knownName refuses a name with replacement characters for invalid bytes.
func knownName(path, file string) error {
	if strings.ContainsRune(path, utf8.RuneError) && isGone(file) {
		return fault.New(fault.Invalid, "Could not open %s: %s", path, notText)
	}
	return nil
}
