package preview

import "mutsumi/backend/media"

// Longest sides of small pictures, in pixels.
const (
	listSide    = 84  // in the inspector
	previewSide = 240 // in the preview of a request
)

// maxPictures is how many images of one view have a small picture. Later ones are only named: a
// conversation may contain hundreds of screenshots.
const maxPictures = 64

// pictures makes the small pictures of one view.
type pictures struct {
	cache *media.Cache
	left  int // that may still be made
}

func (pv *Previewer) pictures() *pictures { return &pictures{pv.with.Pictures, maxPictures} }

// of returns a small picture of an image that is sent as a data URI; "" if there is none. It reads
// only the URI.
func (p *pictures) of(sent string, side int) string {
	if p.left == 0 {
		return ""
	}
	p.left--
	return media.SmallPicture(sent, side, p.cache)
}
