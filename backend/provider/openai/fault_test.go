package openai_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mutsumi/backend/fault"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

const secret = "sk-test-0123456789abcdefghijklmnop"

// TestFaults covers every kind of server failure: the code that the interface branches on, words
// that must be in the message, the number of requests, and what arrived before.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		script   string
		code     string
		words    string // separated by |
		requests int
		arrived  string
	}{
		"wrong key":                 {"fail 401 Incorrect API key provided: " + secret, fault.CodeKeyRejected, "Test does not accept the key|401 Unauthorized|***|settings", 1, ""},
		"forbidden":                 {"fail 403 Country not supported", fault.CodeKeyRejected, "403 Forbidden|Country not supported", 1, ""},
		"no credit":                 {"fail 402 Insufficient Balance", fault.CodeBadRequest, "payment|Insufficient Balance", 1, ""},
		"quota":                     {`status 429` + "\n" + `body {"error":{"message":"You exceeded your current quota, please check your plan","code":"insufficient_quota"}}`, fault.CodeRateLimited, "quota|billing", 1, ""},
		"larger than a minute":      {"fail 429 Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000", fault.CodeRateLimited, "in a minute|Limit 30000", 1, ""},
		"rate limit":                {"answer times 3\nfail 429 Slow down", fault.CodeRateLimited, "limit is reached|429 Too Many Requests|Slow down|3 attempts", 3, "wait 1 429 Too Many Requests\nwait 2 429 Too Many Requests\n"},
		"server error":              {"answer times 3\nstatus 500", fault.CodeServer, "problem of its own|500 Internal Server Error|3 attempts", 3, "wait 1 500 Internal Server Error\nwait 2 500 Internal Server Error\n"},
		"not implemented":           {"status 501", fault.CodeBadRequest, "501", 1, ""},
		"bad request":               {`status 400` + "\n" + `body {"detail":[{"loc":["body","top_k"],"msg":"Extra inputs are not permitted"}]}`, fault.CodeBadRequest, "400 Bad Request|top_k", 1, ""},
		"unprocessable":             {"fail 422 bad schema", fault.CodeBadRequest, "bad schema", 1, ""},
		"too large a body":          {"status 413\nhtml <html><head><title>413</title><style>x{}</style></head><body><h1>Request Entity Too Large</h1></body></html>", fault.CodeContextTooLong, "413|Request Entity Too Large", 1, ""},
		"no such page":              {"status 404\nheader Content-Type: text/plain\nbody 404 page not found", fault.CodeBadRequest, "no chat endpoint|/v1", 1, ""},
		"redirect":                  {"status 302\nheader Location: https://user:pw@elsewhere.example/login?token=1\nbody moved", fault.CodeBadRequest, "redirect|https://elsewhere.example/login", 1, ""},
		"html":                      {"html <!doctype html><title>Open WebUI</title><script>var a=1</script>", fault.CodeNotAStream, "no event stream but text/html|\"Open WebUI\"|/v1", 1, ""},
		"json":                      {`body {"id":"1","object":"chat.completion","choices":[]}`, fault.CodeNotAStream, "application/json|chat.completion", 1, ""},
		"an error with 200":         {`body {"error":{"message":"model 'm1' not found, try pulling it first"}}`, fault.CodeModelUnknown, "no model \"m1\"|pulling", 1, ""},
		"an empty body":             {"header Content-Type: text/plain\nbody", fault.CodeNotAStream, "It is empty", 1, ""},
		"plain text as stream":      {"raw upstream connect error\nend", fault.CodeNotAStream, "upstream connect error", 1, ""},
		"nothing at all":            {"answer times 3\nend", fault.CodeStreamBroken, "Nothing had arrived|3 attempts", 3, "wait 1 it ended without saying that it is complete\nwait 2 it ended without saying that it is complete\n"},
		"no finish reason":          {"text a\nend", fault.CodeStreamBroken, "ended without saying|kept|continue", 1, "model m1\ntext \"a\"\n"},
		"only the end mark":         {"text a\nraw \"data: [DONE]\\n\\n\"\nend", fault.CodeStreamBroken, "ended without saying", 1, "model m1\ntext \"a\"\n"},
		"cut":                       {"text a\ncut", fault.CodeStreamBroken, "broke off|connection was lost|kept", 1, "model m1\ntext \"a\"\n"},
		"reset":                     {"text a\ndelay 20ms\nreset", fault.CodeStreamBroken, "broke off|connection was lost", 1, "model m1\ntext \"a\"\n"},
		"reset at once":             {"answer times 3\nreset", fault.CodeUnreachable, "Test at 127.0.0.1|reset|3 attempts", 3, "wait 1 the connection was reset\nwait 2 the connection was reset\n"},
		"cut inside a chunk":        {"text a\nraw \"data: {\\\"choices\\\":[{\\\"del\"\nend", fault.CodeStreamBroken, "connection was lost", 1, "model m1\ntext \"a\"\n"},
		"malformed":                 {"text a\nchunk {\"choices\":[{]}\ntext b", fault.CodeStreamBroken, "cannot be read|{\"choices\":[{]}", 1, "model m1\ntext \"a\"\n"},
		"a bare value":              {"text a\nchunk 42", fault.CodeStreamBroken, "cannot be read", 1, "model m1\ntext \"a\"\n"},
		"malformed at once":         {"chunk <html>", fault.CodeStreamBroken, "cannot be read", 1, ""},
		"an error inside":           {"text a\nusage 1 1\nerror CUDA out of memory", fault.CodeStreamError, "broke off the answer of m1|CUDA out of memory|Continue", 1, "model m1\ntext \"a\"\n"},
		"an overload at once":       {"answer times 3\n" + `error {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, fault.CodeStreamError, "Overloaded|3 attempts", 3, "wait 1 error inside the stream: overloaded_error\nwait 2 error inside the stream: overloaded_error\n"},
		"an overload inside":        {"text a\n" + `error {"error":{"code":502,"message":"Upstream down"}}`, fault.CodeStreamError, "Upstream down", 1, "model m1\ntext \"a\"\n"},
		"OpenRouter's error":        {"text a\n" + `chunk {"choices":[{"delta":{"content":""},"finish_reason":"error","error":{"code":"server_error","message":"Provider disconnected"}}]}`, fault.CodeStreamError, "Provider disconnected", 1, "model m1\ntext \"a\"\n"},
		"usage before an error":     {"text a\n" + `chunk {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}` + "\nerror gone", fault.CodeStreamError, "gone", 1, "model m1\ntext \"a\"\nusage 9 0 1 0\n"},
		"held text before an error": {"text \"<think>a</t\"\nerror gone", fault.CodeStreamError, "gone", 1, "model m1\nreasoning \"a\"\nreasoning \"</t\"\n"},
		"llama.cpp's error":         {"text a\nraw \"error: {\\\"code\\\":500,\\\"message\\\":\\\"slot lost\\\"}\\n\\n\"\nend", fault.CodeStreamError, "slot lost", 1, "model m1\ntext \"a\"\n"},
		"vLLM's error":              {`error {"object":"error","message":"engine died","type":"InternalServerError","code":500}` + "\nanswer times 2\n" + `error {"object":"error","message":"engine died","type":"InternalServerError","code":500}`, fault.CodeStreamError, "engine died", 3, "wait 1 error inside the stream: 500\nwait 2 error inside the stream: 500\n"},
		"an error event":            {"text a\nraw \"event: error\\ndata: it broke\\n\\n\"\nend", fault.CodeStreamError, "it broke", 1, "model m1\ntext \"a\"\n"},
		"context inside":            {`error {"error":{"message":"This model's maximum context length is 10 tokens","code":400}}`, fault.CodeContextTooLong, "longer than m1", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := providertest.New(t, c.script)
			cfg := patient(s)
			cfg.Attempts = 3
			cfg.Key = func() (string, error) { return secret, nil }
			got, err := tell(t.Context(), openai.New(cfg), user("hi"))
			check(t, err, c.code, c.words)
			if got != c.arrived {
				t.Errorf("arrived\n%swant\n%s", got, c.arrived)
			}
			if n := len(s.Requests()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

func check(t *testing.T, err error, code, words string) {
	t.Helper()
	providertest.CheckFault(t, err, code, words, secret)
}

// TestContextTooLong has the wordings of the servers that there are.
func TestContextTooLong(t *testing.T) {
	for _, said := range []string{
		`400 {"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		`400 {"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","code":null}}`,
		`400 {"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."}}`,
		`400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`,
		`400 {"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000"}}`,
		`400 {"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`,
		`500 {"error":{"code":500,"message":"context size has been exceeded","type":"server_error"}}`,
		`400 {"error":{"message":"prompt too long; exceeded max context length by 120 tokens","type":"api_error"}}`,
		`400 {"error":"the input length exceeds the context length"}`,
		`400 {"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).","type":"BadRequestError","code":400}`,
		`400 {"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError"}}`,
		`400 {"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens","code":400}}`,
		`400 {"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 1 > 0\"}}"}}}`,
		`400 [{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
		`400 {"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}`,
		`400 {"error":{"message":"Please reduce the length of the messages or completion."}}`,
		`400 {"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`,
		`400 {"error":{"message":"Invalid request: Your request exceeded model token limit: 262144"}}`,
		`400 {"message":"Input is too long for requested model."}`,
		`400 {"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`,
	} {
		status, body, _ := strings.Cut(said, " ")
		s := providertest.New(t, "status "+status+"\nbody "+body)
		_, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
		if f := fault.Of(err); f.Code != fault.CodeContextTooLong {
			t.Errorf("%s: code %s (%s)", said, f.Code, f.Message)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: %d requests", said, n)
		}
	}
}

// TestModelUnknown has the wordings of the servers that there are.
func TestModelUnknown(t *testing.T) {
	for _, said := range []string{
		"404 {\"error\":{\"message\":\"The model `m1` does not exist or you do not have access to it.\",\"type\":\"invalid_request_error\",\"code\":\"model_not_found\"}}",
		`404 {"error":{"message":"model \"m1\" not found, try pulling it first","type":"api_error"}}`,
		`404 {"type":"error","error":{"type":"not_found_error","message":"model: m1"}}`,
		`400 {"error":{"message":"m1 is not a valid model ID","code":400}}`,
		`404 {"object":"error","message":"The model m1 does not exist.","type":"NotFoundError","code":404}`,
		`400 {"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`,
		`400 {"object":"error","message":"Invalid model: m1","type":"invalid_model","code":"1500"}`,
		`404 {"error":{"message":"No models loaded. Please load a model in the developer page."}}`,
	} {
		status, body, _ := strings.Cut(said, " ")
		s := providertest.New(t, "status "+status+"\nbody "+body)
		_, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
		if f := fault.Of(err); f.Code != fault.CodeModelUnknown || !strings.Contains(f.Message, `"m1"`) {
			t.Errorf("%s: code %s (%s)", said, f.Code, f.Message)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := openai.New(openai.Config{Name: "Ollama", BaseURL: "http://" + l.Addr().String() + "/v1", Attempts: 2, FirstWait: 1})
	got, err := tell(t.Context(), c, user("hi"))
	check(t, err, fault.CodeUnreachable, "Ollama at 127.0.0.1|connection refused|start the server|2 attempts")
	if got != "wait 1 connection refused\n" {
		t.Errorf("arrived %q", got)
	}
}

func TestNoSuchHost(t *testing.T) {
	c := openai.New(openai.Config{Name: "Nowhere", BaseURL: "https://nowhere.invalid/v1", Transport: noName(t)})
	_, err := tell(t.Context(), c, user("hi"))
	check(t, err, fault.CodeUnreachable, "no host of this name")
}

func TestHTTPSWhereThereIsNone(t *testing.T) {
	s := providertest.New(t, "answer always\ntext a")
	c := openai.New(openai.Config{Name: "Test", BaseURL: strings.Replace(s.URL, "http:", "https:", 1)})
	_, err := tell(t.Context(), c, user("hi"))
	check(t, err, fault.CodeUnreachable, "does not speak https|http://")
}

func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := tell(t.Context(), openai.New(openai.Config{Name: "Test", BaseURL: s.URL}), user("hi"))
	check(t, err, fault.CodeUnreachable, "certificate or encryption is not accepted")
}

func TestBadAddress(t *testing.T) {
	for _, url := range []string{"", "localhost:11434", "ftp://x/v1", "http://", ":"} {
		_, err := tell(t.Context(), openai.New(openai.Config{BaseURL: url}), user("hi"))
		check(t, err, fault.CodeUnreachable, "not valid|https://host/v1")
	}
}

// noName is a transport whose name server, a real one on loopback, resolves no name.
func noName(t *testing.T) http.RoundTripper {
	t.Helper()
	dns, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dns.Close() })
	go func() {
		b := make([]byte, 512)
		for {
			n, from, err := dns.ReadFrom(b)
			if err != nil {
				return // closed
			}
			b[2], b[3] = 0x81, 0x83                                 // an answer: NXDOMAIN
			b[6], b[7], b[8], b[9], b[10], b[11] = 0, 0, 0, 0, 0, 0 // without records
			_, _ = dns.WriteTo(b[:n], from)
		}
	}()
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", dns.LocalAddr().String())
	}}
	return &http.Transport{DialContext: (&net.Dialer{Resolver: r}).DialContext}
}
