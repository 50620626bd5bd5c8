package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mutsumi/backend/clip"
)

// Record is what is stored of a sign-in, in the keyring alone.
type Record struct {
	Server   string    `json:"server"` // the address that it is for
	Issuer   string    `json:"issuer"` // who issued it
	Resource string    `json:"resource"`
	Client   Client    `json:"client"`
	Tokens   string    `json:"tokenEndpoint"`
	Revoke   string    `json:"revocationEndpoint,omitempty"`
	Access   string    `json:"access,omitempty"` // "": the sign-in expired
	Refresh  string    `json:"refresh,omitempty"`
	Scopes   []string  `json:"scopes,omitempty"` // the requested scopes
	Given    time.Time `json:"given"`
	Expires  time.Time `json:"expires,omitzero"` // zero: unknown
}

// longestMargin is how long before it expires a token is renewed at the earliest.
const longestMargin = time.Minute

// isFresh reports whether the access token can be used for a while.
func (r *Record) isFresh(now time.Time) bool {
	if r == nil || r.Access == "" {
		return false
	}
	return r.Expires.IsZero() || now.Before(r.Expires.Add(-min(longestMargin, r.Expires.Sub(r.Given)/5)))
}

// lasts reports whether the access token may still be good.
func (r *Record) lasts(now time.Time) bool {
	return r != nil && r.Access != "" && (r.Expires.IsZero() || now.Before(r.Expires))
}

// fetch asks the token endpoint, and stores its answer in a record.
func (r *reach) fetch(ctx context.Context, rec Record, form url.Values) (Record, error) {
	at, err := r.address("address for tokens", rec.Tokens)
	if err != nil {
		return Record{}, err
	}
	form.Set("resource", rec.Resource)
	show := rec.Client.show(form)
	a, err := r.send(ctx, http.MethodPost, at, "application/x-www-form-urlencoded", []byte(form.Encode()), show)
	if err != nil {
		return Record{}, err
	}
	host := clip.VisibleLine(at.Host, 100)
	if a.status != http.StatusOK {
		return Record{}, fmt.Errorf("%s gave no token: %w", host, rec.Client.hide(refusal(a), form))
	}
	var got struct {
		Access  string          `json:"access_token"`
		Type    string          `json:"token_type"`
		Refresh string          `json:"refresh_token"`
		Expires json.RawMessage `json:"expires_in"`
	}
	switch err := json.Unmarshal(a.body, &got); {
	case err != nil || !isValue(got.Access) || got.Refresh != "" && !isValue(got.Refresh):
		return Record{}, fmt.Errorf("%s answered with something else than a token", host)
	case !strings.EqualFold(got.Type, "Bearer"):
		return Record{}, fmt.Errorf("%s gave a token of a kind that is not known here", host)
	}
	rec.Access, rec.Given, rec.Expires = got.Access, time.Now(), time.Time{}
	if got.Refresh != "" {
		rec.Refresh = got.Refresh
	}
	const longest = 10 * 365 * 24 * 3600 // seconds
	if n, err := strconv.ParseFloat(strings.Trim(string(got.Expires), `"`), 64); err == nil && n > 0 {
		rec.Expires = rec.Given.Add(time.Duration(min(n, longest) * float64(time.Second)))
	}
	return rec, nil
}

// hide takes the secrets of a request out of the error about its answer.
func (c Client) hide(err error, form url.Values) error {
	var r *refused
	if !errors.As(err, &r) {
		return err
	}
	text := r.text
	for _, secret := range []string{form.Get("code"), form.Get("code_verifier"), form.Get("refresh_token"), c.Secret} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "...")
		}
	}
	return &refused{r.code, text}
}

// renewed asks for the next tokens.
func (r *reach) renewed(ctx context.Context, rec Record) (Record, error) {
	return r.fetch(ctx, rec, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {rec.Refresh}})
}

// revoke tells the server that tokens are no longer used (RFC 7009).
func (r *reach) revoke(ctx context.Context, rec Record) error {
	at, err := r.address("address for signing out", rec.Revoke)
	if err != nil {
		return err
	}
	var all error
	for _, one := range []struct{ kind, token string }{{"refresh_token", rec.Refresh}, {"access_token", rec.Access}} {
		if one.token == "" {
			continue
		}
		form := url.Values{"token": {one.token}, "token_type_hint": {one.kind}}
		show := rec.Client.show(form)
		a, err := r.send(ctx, http.MethodPost, at, "application/x-www-form-urlencoded", []byte(form.Encode()), show)
		if err == nil && a.status != http.StatusOK {
			err = fmt.Errorf("%s did not take a token back: status %d", clip.VisibleLine(at.Host, 100), a.status)
		}
		all = errors.Join(all, err)
	}
	return all
}
