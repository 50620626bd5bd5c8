package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"mutsumi/backend/mcp/signin"
)

// testDocument is the client metadata document that the conformance tests want to see named.
const testDocument = "https://conformance-test.local/client-metadata.json"

// presser signs in whenever a server wants it, like a person who presses the button immediately:
// for the conformance tests alone. Its browser only follows redirects.
type presser struct{ *signin.Session }

func pressing(address string) presser {
	var given struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Issuer string `json:"issuer"`
	}
	json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given) // nothing, where it is something else
	own := signin.Registered{ID: given.ID, Secret: given.Secret, Issuer: given.Issuer}
	if own.ID == "" {
		own.ID = testDocument
	}
	return presser{signin.New(signin.Options{Server: address, Registered: own, Keep: &signin.Memory{}})}
}

// Refused implements client.Auth.
func (p presser) Refused(ctx context.Context, status int, h http.Header, token string) (again bool, err error) {
	again, err = p.Session.Refused(ctx, status, h, token)
	var needed *signin.Needed
	if !errors.As(err, &needed) || needed.Rights && needed.Scopes == nil {
		return again, err
	}
	attempt, err := p.Begin(ctx)
	if err != nil {
		return false, err
	}
	go browse(ctx, attempt)
	if err := attempt.Wait(ctx); err != nil {
		return false, fmt.Errorf("sign in: %w", err)
	}
	return true, nil
}

// browse opens an address as a browser does.
func browse(ctx context.Context, attempt *signin.Attempt) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, attempt.Address, nil)
	if err != nil {
		attempt.Close()
		return
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		attempt.Close()
		return
	}
	res.Body.Close()
}
