package chat

import (
	"fmt"
	"math"
	"strconv"
)

// Documents describes which PDF documents a model accepts, and how much fits into one request. The
// zero value accepts none.
type Documents struct {
	Taken bool
	Bytes int    // of all of them, as they are on the disk; 0: any
	Pages int    // of all of them; 0: any
	Of    string // the subject of the limits, for a person: "a request to Anthropic"
}

// Room is the amount of documents that a request already holds. Messages are processed in order:
// earlier documents stay, so that the beginning of a request does too.
type Room struct {
	Documents
	bytes, pages int
}

// Take counts a document, or returns why it is left out.
func (r *Room) Take(f *File) (why string) {
	size := f.Size()
	switch {
	case !r.Taken:
		return TakesNoDocuments
	case r.Bytes > 0 && r.bytes+size > r.Bytes:
		mb := math.Round(float64(r.Bytes)/(1<<20)*10) / 10
		return fmt.Sprintf("the documents of this request are larger than the %s MB that %s takes", strconv.FormatFloat(mb, 'f', -1, 64), r.Of)
	case r.Documents.Pages > 0 && r.pages+f.Pages > r.Documents.Pages:
		return fmt.Sprintf("the documents of this request have more than the %d pages that %s takes", r.Documents.Pages, r.Of)
	}
	r.bytes, r.pages = r.bytes+size, r.pages+f.Pages
	return ""
}

// TakesNoDocuments is why a document is left out for a model that reads none.
const TakesNoDocuments = "this model takes no PDF documents"

// LeftOut is the text that a model gets in place of a document.
func LeftOut(name, why string) string { return "[" + name + " is left out: " + why + ".]" }
