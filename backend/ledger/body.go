package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"mutsumi/backend/fingerprint"
	"mutsumi/backend/jsontext"
)

// Of returns the record of a body that is being sent. head is the body up to its messages, or all
// of it.
func Of(head []byte, print fingerprint.Print, server, model, cell string, attempt int, at time.Time) Request {
	r := Request{
		Time: at.UTC().Truncate(time.Millisecond), Cell: cell, Server: server, Model: model,
		Bytes: print.Bytes, SHA256: hex.EncodeToString(print.SHA256[:]), Tools: []Hash{}, print: print,
	}
	if attempt > 1 {
		r.Attempt = attempt
	}
	parameters := []byte("{")
	_ = jsontext.Members(head, func(name string, value []byte) bool {
		switch name {
		case "model", "messages", "input", "system", "instructions":
		case "tools":
			r.Tools = toolsOf(value)
		default:
			if len(parameters) > 1 {
				parameters = append(parameters, ',')
			}
			parameters = append(append(append(append(parameters, '"'), name...), `":`...), value...)
		}
		return true
	}) // head may end within the body: complete members were visited
	r.Parameters = append(parameters, '}')
	return r
}

func toolsOf(list []byte) []Hash {
	definitions, err := jsontext.Elements(list)
	if err != nil {
		return []Hash{}
	}
	all := make([]Hash, 0, len(definitions))
	for _, d := range definitions {
		var t struct {
			Name     string
			Function struct{ Name string }
		}
		_ = json.Unmarshal(d, &t) // without a name it still has a hash
		if t.Name == "" {
			t.Name = t.Function.Name
		}
		sum := sha256.Sum256(d)
		all = append(all, Hash{Name: t.Name, SHA256: hex.EncodeToString(sum[:])})
	}
	return all
}
