package preferences

import (
	"sync/atomic"

	"mutsumi/backend/cost"
	"mutsumi/backend/settings"
)

// Prices are the prices of the models in the settings. It is safe for concurrent use.
type Prices struct {
	settings *settings.Store
	kept     atomic.Pointer[pricesAt]
}

// pricesAt are the prices at a version of the settings.
type pricesAt struct {
	version uint64
	table   cost.Table // never changed
}

// NewPrices makes the prices of the settings.
func NewPrices(s *settings.Store) *Prices { return &Prices{settings: s} }

// Table is rebuilt only after the settings changed. The caller must not change it.
func (p *Prices) Table() cost.Table {
	version := p.settings.Version() // before they are read, so that a concurrent change has another one
	if kept := p.kept.Load(); kept != nil && kept.version == version {
		return kept.table
	}
	t := cost.Table{}
	for _, provider := range p.settings.View().Providers {
		for _, m := range provider.Models {
			t[cost.Model{Provider: provider.ID, ID: m.ID}] = cost.Price{
				Input: m.InputPrice, Cached: m.CachedPrice, Output: m.OutputPrice,
				Free: provider.Source == settings.BuiltIn || provider.Source == settings.FromDiscovery, Guessed: m.Guessed,
			}
		}
	}
	t.Index()
	p.kept.Store(&pricesAt{version, t})
	return t
}
