package branches

import (
	"slices"

	"mutsumi/backend/checkpoint"
	"mutsumi/backend/documents"
	"mutsumi/backend/notebook"
)

// PromptVersion is a text that a prompt had, and that a model got.
type PromptVersion struct {
	At      string `json:"at"` // when it was replaced, RFC 3339: names it
	Text    string `json:"text"`
	Added   int    `json:"added"` // lines that the next text has and this one has not
	Removed int    `json:"removed"`
}

// PromptHistory lists the earlier texts of a prompt, the latest first, each with what
// changed then. Errors: NotFound; Invalid for an answer without a prompt.
func (c *Calls) PromptHistory(path, cell string) ([]PromptVersion, error) {
	var all []notebook.EarlierText
	var next string
	err := c.with.Registry.With(path, func(_ *documents.Tx, nb *notebook.Document) (err error) {
		all, next, err = nb.Lineage().Earlier(cell)
		return err
	})
	if err != nil {
		return nil, err
	}
	versions := make([]PromptVersion, 0, len(all))
	for _, x := range slices.Backward(all) {
		v := PromptVersion{At: x.At, Text: x.Text}
		_, v.Added, v.Removed = checkpoint.Compare(x.Text, next)
		versions, next = append(versions, v), x.Text
	}
	return versions, nil
}
