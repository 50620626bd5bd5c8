package notebook

import "mutsumi/backend/clip"

// CacheMiss records that a server read less of a request from its cache than expected (SPEC 12.3).
type CacheMiss struct {
	Expected int    `json:"expected"`           // tokens
	Read     int    `json:"read"`               // tokens, as the server reported
	Same     int64  `json:"same"`               // the length of its common prefix with the previous request, rounded down to the record's precision; -1: not known
	Bytes    int64  `json:"bytes"`              // of the whole request
	BrokenBy string `json:"brokenBy,omitempty"` // the first difference, in words; "": none
	AgoMs    int64  `json:"agoMs"`              // how long before it the last request was sent, in milliseconds
}

// missRecord is CacheMiss as it is in the prompt's metadata.
type missRecord struct {
	Expected int    `json:"expected"`
	Read     int    `json:"read"`
	Same     int64  `json:"same"`
	Bytes    int64  `json:"bytes"`
	BrokenBy string `json:"broken_by,omitempty"`
	AgoMs    int64  `json:"ago_ms"`
}

func recordOf(m *CacheMiss) *missRecord { return (*missRecord)(m) }

// maxBrokenBy is how long the words of a CacheMiss from a file may be, in bytes.
const maxBrokenBy = 300

// miss returns the content of a record, within bounds: the file may come from anybody.
func (r *missRecord) miss() *CacheMiss {
	if r == nil {
		return nil
	}
	return &CacheMiss{
		Expected: min(max(r.Expected, 0), maxTokens), Read: min(max(r.Read, 0), maxTokens),
		Same: min(max(r.Same, -1), maxTokens), Bytes: min(max(r.Bytes, 0), maxTokens),
		BrokenBy: clip.Text(r.BrokenBy, maxBrokenBy), AgoMs: min(max(r.AgoMs, 0), maxTime),
	}
}
