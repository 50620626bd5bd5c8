package settings

import (
	"strings"
	"testing"

	"mutsumi/backend/fault"
)

// Prices of the table are guesses until the person confirms them, even unchanged.
func TestPricesAreConfirmed(t *testing.T) {
	s := store(t, "")
	id, err := s.SaveProvider(ProviderInput{Name: "P", BaseURL: "https://p.example/v1", Models: []ModelView{Known("gpt-5"), Known("gpt-4o")}})
	must(t, err)
	models := s.View().Providers[0].Models
	if !models[0].Guessed || strings.Contains(text(t, s), "Price") {
		t.Fatalf("%+v in\n%s", models[0], text(t, s))
	}
	models[0].Guessed = false
	models[1].Guessed, models[1].OutputPrice = false, 8
	_, err = s.SaveProvider(ProviderInput{ID: id, Name: "P", BaseURL: "https://p.example/v1", Models: models})
	must(t, err)
	got := s.View().Providers[0].Models
	if got[0] != models[0] || got[1] != models[1] || got[0].InputPrice != 1.25 || got[1].OutputPrice != 8 {
		t.Errorf("%+v, saved as\n%s", got, text(t, s))
	}
	if _, err := s.SaveProvider(ProviderInput{ID: id, Name: "P", BaseURL: "https://p.example/v1", Models: []ModelView{{ID: "x", InputPrice: -1}}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a negative price is taken: %v", err)
	}
}

// The prices of the environment's provider are edited like any other's; when the entry in the file
// is removed, the environment's provider returns.
func TestTheEnvironmentsProviderIsEdited(t *testing.T) {
	s := store(t, "")
	t.Setenv("OPENAI_API_KEY", "sk-x")
	t.Setenv("OPENAI_BASE_URL", "https://llm.example/v1")
	t.Setenv("OPENAI_MODEL", "m")
	before := s.View().Providers
	if len(before) != 1 || before[0].Source != FromEnvironment {
		t.Fatalf("%+v", before)
	}
	p := before[0]
	p.Models[0].InputPrice, p.Models[0].OutputPrice = 1, 2
	id, err := s.SaveProvider(ProviderInput{ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, KeyEnv: p.Key.Env, Models: p.Models})
	must(t, err)
	after := s.View().Providers
	if id != EnvironmentID || len(after) != 1 || after[0].Source != FromFile || after[0].Models[0].OutputPrice != 2 || !after[0].Key.Set {
		t.Errorf("%q %+v", id, after)
	}
	if strings.Contains(text(t, s), "sk-x") {
		t.Error("the key is in the file")
	}
	must(t, s.DeleteProvider(id))
	if again := s.View().Providers; len(again) != 1 || again[0].Source != FromEnvironment {
		t.Errorf("%+v", again)
	}
}
