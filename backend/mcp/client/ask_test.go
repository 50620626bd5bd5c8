package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mutsumi/backend/mcp/client"
	"mutsumi/backend/mcp/config"
	"mutsumi/backend/mcp/mcptest"
)

func TestQuestions(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		t.Parallel()
		o.Timing = quiet
		c := connect(t, o)
		r, err := c.Call(t.Context(), client.Call{Tool: "ask", Args: []byte(`{"seconds":60}`), Asks: func(ctx context.Context, q client.Question) (client.Answer, error) {
			time.Sleep(quiet.Quiet + time.Second) // the person takes their time
			if q.Text != "Which one?" || len(q.Fields) != 2 || !slices.Equal(q.Fields[1].Choices, []string{"left", "right"}) || !q.Fields[1].Required || q.Fields[0].Title != "How many" {
				return client.Answer{}, fmt.Errorf("%+v", q)
			}
			return client.Answer{Action: client.Accept, Values: map[string]any{"which": "left"}}, nil
		}})
		if err != nil || r.Parts[0].Text != "accept left" {
			t.Error(r, err)
		}
		if got := text(t, c, "ask"); got != "decline <nil>" {
			t.Error(got)
		}
	})
}

// An address is opened by the person or not: as a question of a call, and where the server does
// nothing before. One that wants ever more ends with its error.
func TestAddresses(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		c := connect(t, o)
		var asked []client.Question
		as := func(action client.Action) client.Asks {
			return func(_ context.Context, q client.Question) (client.Answer, error) {
				asked = append(asked, q)
				return client.Answer{Action: action}, nil
			}
		}
		r, err := c.Call(t.Context(), client.Call{Tool: "page", Asks: as(client.Accept)})
		if err != nil || r.Parts[0].Text != "accept" || len(asked) != 1 || asked[0].Address != "https://login.example/a?b=c" || asked[0].First {
			t.Error(r, err, asked)
		}
		r, err = c.Call(t.Context(), client.Call{Tool: "first", Asks: as(client.Accept)})
		if err != nil || r.Parts[0].Text != "done at last" || len(asked) != 2 || asked[1].Address != "https://login.example/a?b=c" || !asked[1].First {
			t.Error(r, err, asked)
		}
		if _, err = c.Call(t.Context(), client.Call{Tool: "first", Asks: as(client.Decline)}); err == nil || !strings.Contains(err.Error(), "the person declined that") {
			t.Error(err)
		}
		asked = nil
		if _, err = c.Call(t.Context(), client.Call{Tool: "never", Asks: as(client.Accept)}); err == nil || len(asked) < 1 || len(asked) > 5 {
			t.Error(err, len(asked))
		}
		if _, err = c.Call(t.Context(), client.Call{Tool: "never"}); err == nil { // nobody is there
			t.Error("it was done")
		}
	})
}

// A question ends with the call in which it is asked, also where the server neither heeds that
// the call was cancelled nor takes its question back.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	c := connect(t, client.Options{Server: mcptest.Server("s", "stubborn")})
	ctx, cancel := context.WithCancel(t.Context())
	asked, ended := make(chan struct{}), make(chan error, 1)
	go c.Call(ctx, client.Call{Tool: "send", Args: []byte(`{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{}}}}`),
		Asks: func(ctx context.Context, _ client.Question) (client.Answer, error) {
			close(asked)
			<-ctx.Done()
			ended <- ctx.Err()
			return client.Answer{}, ctx.Err()
		}})
	<-asked
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it was answered")
		}
	case <-time.After(time.Minute):
		t.Error("the question is still there")
	}
}

// The client declares that it has no roots, model or log for a server, which gets none when it asks
// all the same.
func TestWhatThisProgramLacks(t *testing.T) {
	var mu sync.Mutex
	var said []string
	handler := mcptest.Handler()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		said = append(said, string(body))
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	text(t, connect(t, client.Options{Server: config.Server{URL: h.URL}}), "pid")
	mu.Lock()
	all := strings.Join(said, "\n")
	mu.Unlock()
	if !strings.Contains(all, "server/discover") || !strings.Contains(all, `"elicitation":{"form":{},"url":{}}`) {
		t.Errorf("not what a client says: %s", all)
	}
	for _, none := range []string{"roots", "sampling", "logging", "logLevel"} {
		if strings.Contains(all, none) {
			t.Errorf("it says %s: %s", none, all)
		}
	}
	c := connect(t, client.Options{Server: mcptest.Server("s", "stubborn")})
	for method, params := range map[string]string{
		"sampling/createMessage": `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10}`, "roots/list": `{}`,
	} {
		r, err := c.Call(t.Context(), client.Call{Tool: "send", Args: fmt.Appendf(nil, `{"method":%q,"params":%s}`, method, params)})
		if err != nil || !strings.Contains(r.Parts[0].Text, `"code":`) && r.Parts[0].Text != `{"roots":[]}` {
			t.Error(method, r, err)
		}
	}
}

// A connection that ends for a reason tells it to the calls that still run.
func TestAReasonReachesRunningCalls(t *testing.T) {
	both(t, func(t *testing.T, o client.Options) {
		c := connect(t, o)
		ended := make(chan error, 1)
		go func() {
			_, err := c.Call(t.Context(), client.Call{Tool: "ask", Asks: func(ctx context.Context, _ client.Question) (client.Answer, error) {
				go c.CloseFor(errors.New("somebody has to sign in")) // while the call surely runs
				<-ctx.Done()
				return client.Answer{}, ctx.Err()
			}})
			ended <- err
		}()
		if err := <-ended; err == nil || err.Error() != "somebody has to sign in" {
			t.Error(err)
		}
	})
}
