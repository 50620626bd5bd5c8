package cost

// Model names a model of a provider, as the settings do.
type Model struct{ Provider, ID string }

// Table holds the prices that are known.
type Table map[Model]Price

// Find looks up a price; the zero Price is an unknown one. provider may be "" if a notebook does
// not name it: then the model must have the same price at all providers that have it.
func (t Table) Find(m Model) Price {
	if p, ok := t[m]; ok || m.Provider != "" {
		return p
	}
	var found Price
	for other, p := range t {
		switch {
		case other.ID != m.ID:
		case found == (Price{}):
			found = p
		case found.sum() != p.sum():
			return Price{}
		default:
			found.Guessed = found.Guessed && p.Guessed
		}
	}
	return found
}

// Index adds Find's result for each model without a provider, so that Find looks at one entry
// instead of all of them. Call it when the table is complete.
func (t Table) Index() {
	byID := map[string]Table{}
	for m, p := range t {
		if byID[m.ID] == nil {
			byID[m.ID] = Table{}
		}
		byID[m.ID][m] = p
	}
	for id, of := range byID {
		t[Model{ID: id}] = of.Find(Model{ID: id})
	}
}

// sum is a price by its numbers alone.
func (p Price) sum() Price {
	p.Guessed = false
	return p
}
