package exchange

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/lazyregexp"
)

// maxErrorBody is how many bytes of an error's body are read.
const maxErrorBody = 64 << 10

// requestContext is what a message names: the server and the model. The key is there to be kept
// out.
type requestContext struct {
	name, host, model, key string
	lists                  bool // the request is for the list of models, and names none
}

func (p requestContext) fail(code, format string, args ...any) *failure {
	return &failure{err: fault.New(fault.Provider, format, args...).WithCode(code)}
}

func (p requestContext) quote(s string) string { return quote(s, []byte(p.key)) }

// tooLong matches the wordings with which servers say that a request exceeds the model's limit:
// OpenAI and compatible ones, Anthropic, llama.cpp, Ollama, vLLM, Gemini, Mistral, Groq, xAI,
// Bedrock, LM Studio, Kimi.
var tooLong = lazyregexp.New(`(?i)context_length_exceeded|maximum context length|exceeds? the (available |model'?s )?(maximum )?context|` +
	`exceed_context_size|context (size|length|window) (has been )?exceed|exceeds? (the )?(max(imum)? )?context|prompt (is )?too long|input (is |length )?too long|` +
	`exceed(s|ed)? (the )?(configured |model'?s? )?(token )?limit.{0,20}(context|token)|input tokens? (count )?.{0,40}exceed|` +
	`longer than the (model'?s )?maximum|exceed(s|ed)? (the )?(context|maximum number of tokens)|maximum prompt length|too large for model with|` +
	`reduce the length of|exceeded model token limit|model_max_prompt_tokens|tokens to keep from the initial prompt|keep the first \d+ tokens|` +
	`context the overflows|too many (input )?tokens|context window exceeds`)

// noModel matches the wordings with which servers say that they do not have the model.
var noModel = lazyregexp.New(`(?i)model_not_found|model.{0,120}(not found|does not exist|doesn't exist|not exist|is not available|not supported by|is not a valid)|` +
	`(unknown|no such|invalid|unsupported) model\b|not a valid model|try pulling it|no models? (is |are )?loaded|not_found_error.{0,20}model`)

// wordings of a 429 that no wait mends.
var noCredit = lazyregexp.New(`(?i)insufficient_quota|exceeded your current quota|insufficient (balance|credit|fund)|billing|credit balance is too low|out of credits`)

// status makes a failure of an answer that is not 200.
func (p requestContext) status(resp *http.Response) *failure {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	text, code := serverWords(body)
	said := ""
	if strings.TrimSpace(text) != "" {
		said = " It says: " + p.quote(text)
	}
	line := fmt.Sprintf("%d %s", resp.StatusCode, cmp.Or(http.StatusText(resp.StatusCode), ownStatus[resp.StatusCode], "Unknown"))
	var f *failure
	switch s := resp.StatusCode; {
	case s >= 300 && s < 400 && toItself(resp):
		f = p.fail(fault.CodeBadRequest, "%s keeps sending the request in a circle: it answered with a redirect to %s, which is its own address. Look at how this server, or the proxy before it, is set up.", p.name, p.target(resp))
	case s >= 300 && s < 400:
		f = p.fail(fault.CodeBadRequest, "%s answered with a redirect to %s, which is not followed because neither the key nor the conversation may go to another address. If that is where the server lives, enter it as the provider's address in the settings.", p.name, p.target(resp))
	case s == http.StatusUnauthorized && p.key == "":
		f = p.fail(fault.CodeKeyMissing, "%s asks for a key (%s) and none is set.%s Enter one in the settings.", p.name, line, said)
	default:
		f = p.classify(s, line, text, code, said)
	}
	f.status, f.reason, f.serverText = resp.StatusCode, line, clean(code+" "+text, []byte(p.key))
	if f.again {
		f.after = retryAfter(resp.Header, time.Now())
	} else if after := retryAfter(resp.Header, time.Now()); after > 0 && resp.StatusCode == 429 {
		f.err = fault.New(fault.Provider, "%s It asks to wait %s.", f.err, after.Round(time.Second)).WithCode(f.err.Code)
	}
	return f
}

// ownStatus names statuses that no standard names: 529 is Anthropic's.
var ownStatus = map[int]string{529: "Overloaded"}

// toItself reports whether a redirect leads back to the same address, or is one
// too many to follow.
func toItself(resp *http.Response) bool {
	to, err := resp.Location()
	if err != nil || resp.Request == nil {
		return false
	}
	from := resp.Request.URL
	if to.Scheme != from.Scheme || to.Host != from.Host {
		return false
	}
	return to.Path == from.Path || resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect
}

// target is where a redirect points, without anything secret.
func (p requestContext) target(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return "nowhere"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return clean(u.String(), []byte(p.key))
}

// classify distinguishes the kinds of refusal. status is that of the answer, or the code inside an
// error; said is the server's text, ready to append.
func (p requestContext) classify(status int, line, text, code, said string) *failure {
	all := code + " " + text
	switch {
	case status == 429 && noCredit.MatchString(all):
		return p.fail(fault.CodeRateLimited, "%s refuses the request because the account's quota or credit is used up (%s).%s Check the plan and the billing at the provider, or choose another model.", p.name, line, said)
	case status == 429 && strings.Contains(strings.ToLower(text), "request too large"):
		return p.fail(fault.CodeRateLimited, "the request is larger than what %s lets this account send to %s in a minute (%s).%s Remove files, images or earlier cells from the context, or choose another model.", p.name, p.model, line, said)
	case status != 429 && tooLong.MatchString(all):
		return p.fail(fault.CodeContextTooLong, "the request is longer than %s at %s can take.%s Remove files, images or earlier cells from the context, or choose a model that takes more.", p.model, p.name, said)
	case status == 413:
		return p.fail(fault.CodeContextTooLong, "the request is larger than %s accepts (%s).%s Remove images, files or earlier cells from the context.", p.name, line, said)
	case status == 401:
		return p.fail(fault.CodeKeyRejected, "%s does not accept the key (%s).%s Enter another key for it in the settings.", p.name, line, said)
	case status == 402, status == 400 && strings.Contains(strings.ToLower(text), "credit balance is too low"):
		return p.fail(fault.CodeBadRequest, "%s asks for payment: the account has no credit left (%s).%s Top it up at the provider, or choose another model.", p.name, line, said)
	case status == 403:
		return p.fail(fault.CodeKeyRejected, "%s refuses the request (%s): the key may not use %s, or the provider does not serve this account or region.%s Check the key's rights, or enter another key in the settings.", p.name, line, p.model, said)
	case p.lists && (status == 404 || status == 405): // whatever it says of models: none was named
		return p.fail(fault.CodeBadRequest, "%s does not give a list of models (%s).%s Check the address in the settings: most end in /v1. If the server has no such list, name its models there.", p.name, line, said)
	case (status >= 400 && status < 500) && status != 429 && noModel.MatchString(all):
		return p.fail(fault.CodeModelUnknown, "%s has no model %s.%s Choose another model, or fetch the provider's list in the settings.", p.name, quoteModel(p.model), said)
	case status == 404 || status == 405:
		return p.fail(fault.CodeBadRequest, "there is no chat endpoint at the address of %s (%s).%s Check the address in the settings: most end in /v1.", p.name, line, said)
	case status == 429:
		f := p.fail(fault.CodeRateLimited, "%s limits how often %s may be asked, and the limit is reached (%s).%s Wait a little and run again, or choose another model.", p.name, p.model, line, said)
		f.again = true
		return f
	case status == 408 || status == 409 || status == 425 || (status >= 500 && status != 501 && status != 505):
		f := p.fail(fault.CodeServer, "%s has a problem of its own (%s).%s Run again later, or choose another model.", p.name, line, said)
		f.again = true
		return f
	}
	return p.fail(fault.CodeBadRequest, "%s refuses the request for %s (%s).%s Check the model's settings: it may not take images, tools or one of the options.", p.name, p.model, line, said)
}

func quoteModel(m string) string { return strconv.Quote(cmp.Or(m, "(none)")) }

// notAStream is a 200 whose body is not an event stream.
func (p requestContext) notAStream(contentType string, body []byte) *failure {
	text, code := serverWords(body)
	said := " It is empty."
	if strings.TrimSpace(text) != "" {
		said = " It begins: " + p.quote(text)
	}
	kind, _, _ := strings.Cut(cmp.Or(contentType, "no content type"), ";")
	if code != "" || strings.Contains(strings.ToLower(string(body[:min(len(body), 64)])), `"error"`) {
		f := p.classify(codeStatus(code), "inside a 200 OK", text, code, said)
		if f.err.Code != fault.CodeBadRequest && f.err.Code != fault.CodeServer {
			return f
		}
	}
	return p.fail(fault.CodeNotAStream, "the answer of %s is no event stream but %s.%s Check the address in the settings (most end in /v1), and that the server can stream chat completions.", p.name, clean(kind, nil), said)
}

// codeStatus extracts an HTTP status from an error's own code; 400 if there is none.
func codeStatus(code string) int {
	switch code {
	case "rate_limit_exceeded", "rate_limit_error", "tokens", "requests", "RESOURCE_EXHAUSTED":
		return 429
	case "overloaded_error", "api_error", "timeout_error", "server_error", "internal_server_error", "UNAVAILABLE", "INTERNAL", "InternalServerError", "server_is_overloaded", "slow_down":
		return 503
	case "invalid_api_key", "authentication_error", "UNAUTHENTICATED":
		return 401
	case "billing_error":
		return 402
	case "permission_error":
		return 403
	case "request_too_large":
		return 413
	}
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		return n
	}
	return 400
}

// inStream is an error that the server sent as an event. Before the first token, a transient one is
// retried.
func (p requestContext) inStream(data []byte, early bool) *failure {
	text, code := serverWords(data)
	said := " It says: " + p.quote(text)
	status := codeStatus(code)
	f := p.classify(status, cmp.Or(clean(code, []byte(p.key)), "no code"), text, code, said)
	if !slices.Contains([]string{fault.CodeContextTooLong, fault.CodeModelUnknown, fault.CodeRateLimited, fault.CodeKeyRejected}, f.err.Code) {
		again := f.again
		f = p.fail(fault.CodeStreamError, "%s broke off the answer of %s with an error.%s Continue, or run again.", p.name, p.model, said)
		f.again = again
	}
	f.again = f.again && early
	f.reason = "error inside the stream: " + clean(cmp.Or(code, text), []byte(p.key))
	f.serverText = clean(code+" "+text, []byte(p.key))
	return f
}

// malformed is an event that is not JSON of the API.
func (p requestContext) malformed(data []byte, err error) *failure {
	return p.fail(fault.CodeStreamBroken, "%s sent something in the answer of %s that cannot be read (%s): %s What came before is kept; continue, or run again.", p.name, p.model, clean(err.Error(), []byte(p.key)), p.quote(string(data[:min(len(data), 200)])))
}

// broken is a stream that ended before the answer did.
func (p requestContext) broken(err error, started bool) *failure {
	why := "the connection was lost: " + short(err)
	switch {
	case errors.Is(err, errStalled):
		why = "the server fell silent"
	case err == io.EOF:
		why = "it ended without saying that it is complete"
	case errors.Is(err, errEventTooLong):
		return p.fail(fault.CodeStreamBroken, "the answer of %s at %s was given up: %s. Run again, or choose another model.", p.model, p.name, err)
	}
	kept := "Nothing had arrived yet; run again."
	if started {
		kept = "What had arrived is kept; continue, or run again."
	}
	f := p.fail(fault.CodeStreamBroken, "the answer of %s at %s broke off: %s. %s", p.model, p.name, why, kept)
	f.err = f.err.Because(err)
	f.again, f.reason = !started, why
	return f
}

// unreachable is a request that got no answer.
func (p requestContext) unreachable(err error, patience time.Duration) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	why, hint, again := short(err), "Check the network and the provider's address in the settings.", true
	var (
		dns   *net.DNSError
		alert tls.AlertError
		cert  *tls.CertificateVerificationError
		auth  x509.UnknownAuthorityError
		plain tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, errStalled):
		why = fmt.Sprintf("it gave no answer within %s", patience)
		hint = "Run again, or choose another model."
	case errors.As(err, &dns) && dns.IsNotFound:
		why, again = "there is no host of this name, or no network", false
	case errors.As(err, &dns):
		why = "its name cannot be looked up at the moment"
	case errors.As(err, &cert), errors.As(err, &auth), errors.As(err, &alert):
		why, again = "its certificate or encryption is not accepted: "+short(err), false
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		why, again = "it does not speak https", false
		hint = "Write http:// in the provider's address if that is meant."
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "connection refused"
		if nearby((&url.URL{Host: p.host}).Hostname()) {
			hint = "Nothing listens there: start the server, or correct the provider's address in the settings."
		}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE):
		why = "the connection was reset"
	case errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		why = "the connection timed out"
	}
	f := p.fail(fault.CodeUnreachable, "%s at %s cannot be reached: %s. %s", p.name, p.host, clean(why, []byte(p.key)), hint)
	f.err = f.err.Because(err)
	f.again, f.reason = again, clean(why, []byte(p.key))
	return f
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// short is an error without the address that package http puts before it: the
// message names the provider already, and an address may hold a secret.
func short(err error) string {
	for {
		switch e := err.(type) {
		case interface {
			Timeout() bool
			Unwrap() error
		}:
			if u := e.Unwrap(); u != nil {
				err = u
				continue
			}
		}
		return err.Error()
	}
}
