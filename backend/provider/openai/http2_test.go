package openai_test

import (
	"io"
	"log"
	"net/http/httptest"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

// TestHTTP2 has the endings of a stream over HTTP/2, where connections end in
// other ways than over HTTP/1.
func TestHTTP2(t *testing.T) {
	script := providertest.New(t, `
answer when "whole"
text a
answer when "cut"
text a
delay 20ms
cut
answer when "reset" times 2
reset
`)
	s := httptest.NewUnstartedServer(script)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	c := openai.New(openai.Config{Name: "Test", BaseURL: s.URL + "/v1", Transport: s.Client().Transport, Attempts: 2, FirstWait: 1})
	if got, err := tell(t.Context(), c, user("whole")); err != nil || got != "model m1\ntext \"a\"\nfinish stop\n" {
		t.Errorf("%q %v", got, err)
	}
	got, err := tell(t.Context(), c, user("cut"))
	check(t, err, fault.CodeStreamBroken, "connection was lost|kept")
	if got != "model m1\ntext \"a\"\n" {
		t.Errorf("%q", got)
	}
	_, err = tell(t.Context(), c, user("reset"))
	check(t, err, fault.CodeUnreachable, "cannot be reached|2 attempts")
}
