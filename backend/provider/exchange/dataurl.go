package exchange

import "strings"

// DataURI returns the type and the base64 text of a data URI, false for another address.
func DataURI(uri string) (mediaType, base64 string, ok bool) {
	rest, ok := strings.CutPrefix(uri, "data:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ";base64,")
}
