package preferences_test

import (
	"fmt"
	"testing"

	"mutsumi/backend/cost"
	"mutsumi/backend/preferences"
	"mutsumi/backend/settings"
)

// priced returns the prices of so many models of a provider.
func priced(tb testing.TB, models int) (*preferences.Prices, *settings.Store) {
	tb.Helper()
	store, err := settings.Open(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	input := settings.ProviderInput{Name: "Many", BaseURL: "http://127.0.0.1:1/v1"}
	for i := range models {
		input.Models = append(input.Models, settings.ModelView{ID: fmt.Sprintf("model-%d", i), InputPrice: 1, OutputPrice: 2})
	}
	if _, err := store.SaveProvider(input); err != nil {
		tb.Fatal(err)
	}
	return preferences.NewPrices(store), store
}

func priceOf(p *preferences.Prices, model string) cost.Price {
	return p.Table().Find(cost.Model{ID: model})
}

// Prices follow the present settings, however often they were requested.
func TestPricesFollowTheSettings(t *testing.T) {
	prices, store := priced(t, 3)
	if got := priceOf(prices, "model-1").Input; got != 1 {
		t.Fatalf("price %v", got)
	}
	p := store.View().Providers[0]
	p.Models[1].InputPrice = 7
	if _, err := store.SaveProvider(settings.ProviderInput{ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, Models: p.Models}); err != nil {
		t.Fatal(err)
	}
	if got := priceOf(prices, "model-1").Input; got != 7 {
		t.Errorf("after a change: price %v", got)
	}
}

// BenchmarkPrice measures the cost per piece of an answer under its document's lock with a provider
// of 2,000 models.
func BenchmarkPrice(b *testing.B) {
	prices, _ := priced(b, 2000)
	b.ReportAllocs()
	for b.Loop() {
		priceOf(prices, "model-1999")
	}
}
