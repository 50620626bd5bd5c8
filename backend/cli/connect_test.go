package cli

import (
	"testing"

	"mutsumi/backend/chat"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/providertest"
	"mutsumi/backend/settings"
)

// A provider is spoken to in the protocol that the settings name.
func TestConnectorSpeaksTheProtocolOfTheSettings(t *testing.T) {
	t.Parallel()
	for wire, path := range map[settings.Wire]string{
		"": "/v1/chat/completions", settings.WireChat: "/v1/chat/completions",
		settings.WireResponses: "/v1/responses", settings.WireAnthropic: "/v1/messages",
	} {
		s := providertest.New(t, "key sk-test\nmodels m\ntext Hello")
		c := connector()(settings.Endpoint{Name: "Test", BaseURL: s.URL, Wire: wire, Key: func() (string, error) { return "sk-test", nil }})
		m, err := providertest.Message(t.Context(), c.Model, provider.Request{Model: "m", Messages: []chat.Message{{Role: chat.User, Content: chat.Text("hi")}}})
		if err != nil || m.Content.String() != "Hello" || s.Requests()[0].Path != path {
			t.Errorf("%s: %q, %v, %+v", wire, m.Content.String(), err, s.Requests())
		}
		if ids, err := c.List(t.Context()); err != nil || len(ids) != 1 {
			t.Errorf("%s: %v, %v", wire, ids, err)
		}
	}
}
