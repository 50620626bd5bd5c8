package openai_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

// waits runs script against a client with the default patience, in a bubble
// where time costs nothing, and returns the waits that were announced, the time
// it all took, and the error. change adapts configuration and request.
func waits(t *testing.T, script string, change func(*openai.Config, *provider.Request)) (list []provider.Wait, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := providertest.NewPipe(t, script)
		cfg, req := openai.Config{Name: "Test", BaseURL: s.URL, Transport: s.Transport()}, user("hi")
		if change != nil {
			change(&cfg, &req)
		}
		began, ended := time.Now(), 0
		err = openai.New(cfg).Stream(t.Context(), req, func(ch provider.Chunk) error {
			if ch.Wait != nil && ch.Wait.Until.IsZero() {
				if len(list) == 0 || list[len(list)-1].Attempt != ch.Wait.Attempt {
					t.Errorf("the end of a wait that never began: %+v", ch.Wait)
				}
				ended++
			} else if ch.Wait != nil {
				if d := time.Until(ch.Wait.Until); d <= 0 {
					t.Errorf("wait until %s ago", -d)
				}
				list = append(list, *ch.Wait)
			}
			return nil
		})
		took = time.Since(began)
		if ended != len(list) {
			t.Errorf("%d waits, %d ends", len(list), ended)
		}
	})
	return list, took, err
}

func TestWaitsGrow(t *testing.T) {
	list, took, err := waits(t, "answer times 5\nfail 503 Loading model", nil)
	check(t, err, fault.CodeServer, "503|Loading model|5 attempts")
	if len(list) != 4 {
		t.Fatalf("waits: %+v", list)
	}
	// 1, 2, 4, 8 seconds, each up to a quarter more or less.
	if took < 11250*time.Millisecond || took > 18750*time.Millisecond {
		t.Errorf("took %s", took)
	}
	for i, w := range list {
		if w.Attempt != i+1 || w.Reason != "503 Service Unavailable" {
			t.Errorf("wait %d: %+v", i, w)
		}
	}
}

func TestNoAttemptAfterElapsed(t *testing.T) {
	list, took, err := waits(t, "answer times 2\nfail 500 no", func(c *openai.Config, _ *provider.Request) {
		c.Elapsed, c.FirstWait = 10*time.Second, 8*time.Second
	})
	check(t, err, fault.CodeServer, "2 attempts")
	if len(list) != 1 || took > 10*time.Second {
		t.Errorf("%d waits, %s", len(list), took)
	}
}

// An attempt that is held back when its wait is over loses none of the time in
// which others follow.
func TestTheTimeThatAnAttemptIsHeldBackDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := providertest.NewPipe(t, "answer times 2\nfail 500 no\nanswer\ntext fine")
		c := openai.New(openai.Config{Name: "Test", BaseURL: s.URL, Transport: s.Transport()})
		err := c.Stream(t.Context(), user("hi"), func(ch provider.Chunk) error {
			if ch.Wait != nil && ch.Wait.Until.IsZero() {
				time.Sleep(10 * time.Minute)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		want   time.Duration
		reason string
	}{
		"seconds":         {"Retry-After: 17", 17 * time.Second, "429 Too Many Requests"},
		"milliseconds":    {"Retry-After-Ms: 4500", 4500 * time.Millisecond, "429 Too Many Requests"},
		"a date":          {"Retry-After: Sat, 01 Jan 2000 00:00:40 GMT", 40 * time.Second, "429 Too Many Requests"},
		"more than a cap": {"Retry-After: 3600", 2 * time.Minute, "429 Too Many Requests; the server asks to wait 1h0m0s, which is cut to 2m0s"},
		"a used-up limit": {"x-ratelimit-limit-requests: 60\nheader x-ratelimit-remaining-requests: 0\nheader x-ratelimit-reset-requests: 33s", 33 * time.Second, "429 Too Many Requests"},
		"Anthropic's":     {"anthropic-ratelimit-tokens-limit: 6\nheader anthropic-ratelimit-tokens-remaining: 0\nheader anthropic-ratelimit-tokens-reset: 2000-01-01T00:00:25Z", 25 * time.Second, "429 Too Many Requests"},
	} {
		t.Run(name, func(t *testing.T) {
			// A bubble's clock begins at midnight UTC 2000-01-01.
			list, took, err := waits(t, "header "+c.header+"\nfail 429 Slow down\nanswer\ntext a", nil)
			if err != nil || len(list) != 1 || list[0].Reason != c.reason || took != c.want {
				t.Errorf("%s %+v %v, want %s", took, list, err, c.want)
			}
		})
	}
	for _, nonsense := range []string{"-5", "soon", "NaN", "1e300"} {
		_, took, err := waits(t, "header Retry-After: "+nonsense+"\nfail 429 Slow down\nanswer\ntext a", nil)
		if err != nil || took > 2*time.Minute {
			t.Errorf("%s: %s %v", nonsense, took, err)
		}
	}
}

func TestSkipWait(t *testing.T) {
	list, took, err := waits(t, "header Retry-After: 100\nfail 429 Slow down\nanswer\ntext a", func(_ *openai.Config, r *provider.Request) {
		skip := make(chan struct{})
		r.SkipWait = skip
		go func() { time.Sleep(3 * time.Second); skip <- struct{}{} }()
	})
	if err != nil || len(list) != 1 || took != 3*time.Second {
		t.Errorf("%s %+v %v", took, list, err)
	}
}

func TestCancelInTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := providertest.NewPipe(t, "header Retry-After: 100\nfail 429 Slow down")
		ctx, cancel := context.WithCancel(t.Context())
		err := openai.New(openai.Config{BaseURL: s.URL, Transport: s.Transport()}).Stream(ctx, user("hi"), func(ch provider.Chunk) error {
			time.AfterFunc(5*time.Second, cancel)
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestStall(t *testing.T) {
	_, took, err := waits(t, "text a\nstall", nil)
	check(t, err, fault.CodeStreamBroken, "fell silent|kept|continue")
	if took != 2*time.Minute {
		t.Errorf("took %s", took)
	}
}

func TestNoFirstToken(t *testing.T) {
	for name, script := range map[string]string{"no head": "delay 1h", "a head only": "header X-A: b\nraw \"\"\nstall"} {
		t.Run(name, func(t *testing.T) {
			list, took, err := waits(t, script, func(c *openai.Config, _ *provider.Request) { c.FirstToken = 7 * time.Minute })
			f := fault.Of(err)
			if f.Kind != fault.Provider || (f.Code != fault.CodeUnreachable && f.Code != fault.CodeStreamBroken) || len(list) != 0 {
				t.Errorf("%+v %v", list, err)
			}
			if took != 7*time.Minute {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestSignsOfLife(t *testing.T) {
	script := strings.Repeat("delay 100s\ncomment PROCESSING\n", 5) + strings.Repeat("text a\ndelay 110s\n", 5)
	_, took, err := waits(t, script, nil)
	if err != nil || took != 1050*time.Second {
		t.Errorf("%s %v", took, err)
	}
}

// A server that gives signs of life and nothing else ends like a silent one.
func TestSignsOfLifeAlone(t *testing.T) {
	for name, sign := range map[string]string{"keep-alives": "comment PROCESSING", "empty chunks": `chunk {"choices":[{"delta":{"content":""}}]}`} {
		t.Run(name, func(t *testing.T) {
			_, took, err := waits(t, "text a\n"+strings.Repeat("delay 50s\n"+sign+"\n", 20)+"stall", nil)
			check(t, err, fault.CodeStreamBroken, "fell silent|kept|continue")
			if took != 10*time.Minute {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestNoEndMarkAfterTheFinishReason(t *testing.T) {
	_, took, err := waits(t, `chunk {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\nstall", nil)
	if err != nil || took != 10*time.Second {
		t.Errorf("%s %v", took, err)
	}
}

func TestABodyThatStaysOpen(t *testing.T) {
	_, took, err := waits(t, "text a\n"+`chunk {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\nraw \"data: [DONE]\\n\\n\"\nstall", nil)
	if err != nil || took > time.Second {
		t.Errorf("%s %v", took, err)
	}
}

func TestAnOldSkipSkipsNothing(t *testing.T) {
	_, took, err := waits(t, "header Retry-After: 9\nfail 429 Slow down\nanswer\ntext a", func(_ *openai.Config, r *provider.Request) {
		skip := make(chan struct{}, 1)
		skip <- struct{}{}
		r.SkipWait = skip
	})
	if err != nil || took != 9*time.Second {
		t.Errorf("%s %v", took, err)
	}
}

func TestASlowReaderIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := providertest.NewPipe(t, "text a\ntext b")
		err := openai.New(openai.Config{BaseURL: s.URL, Transport: s.Transport()}).Stream(t.Context(), user("hi"), func(provider.Chunk) error {
			time.Sleep(time.Hour)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
