package preview

import (
	"mutsumi/backend/documents"
	"mutsumi/backend/fault"
	"mutsumi/backend/fingerprint"
	"mutsumi/backend/ledger"
	"mutsumi/backend/notebook"
)

// Requests returns the record of the requests of a notebook, oldest first.
func (pv *Previewer) Requests(path string) ([]ledger.Request, error) { return pv.recorded(path, 0) }

func (pv *Previewer) recorded(path string, number int) (all []ledger.Request, err error) {
	uuid := ""
	err = pv.with.Registry.With(path, func(_ *documents.Tx, nb *notebook.Document) error {
		uuid = nb.Meta().UUID
		return nil
	})
	if err != nil {
		return nil, err
	}
	if file := pv.with.Kept.Ledger(uuid); file != "" {
		return ledger.Read(file, number)
	}
	return nil, nil
}

// Replay is the comparison of a body with a sent one.
type Replay struct {
	Number int  `json:"number"` // of the request that was sent
	Same   bool `json:"same"`
	// From: all bytes before it are the same, and one of Within bytes from it on differs. -1: the
	// record does not say.
	From   int64 `json:"from"`
	Within int64 `json:"within"`
	Sent   int64 `json:"sent"`  // bytes of the request
	Bytes  int64 `json:"bytes"` // of the body
}

// Replay compares a body with a sent request, 0 for the last one.
func (pv *Previewer) Replay(path string, number int, body []byte) (Replay, error) {
	all, err := pv.recorded(path, number)
	if err != nil {
		return Replay{}, err
	}
	for i, r := range all {
		if r.Number != number && (number != 0 || i < len(all)-1) {
			continue
		}
		v := Replay{Number: r.Number, Within: fingerprint.Chunk, Sent: r.Bytes, Bytes: int64(len(body))}
		v.Same, v.From = r.Print().Compare(fingerprint.Of(body))
		return v, nil
	}
	if number == 0 {
		return Replay{}, fault.New(fault.NotFound, "Nothing was sent from %s yet.", path)
	}
	return Replay{}, fault.New(fault.NotFound, "There is no record of request %d of %s.", number, path)
}
