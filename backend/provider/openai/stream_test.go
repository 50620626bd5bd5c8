package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mutsumi/backend/chat"
	"mutsumi/backend/fault"
	"mutsumi/backend/provider"
	"mutsumi/backend/provider/openai"
	"mutsumi/backend/provider/providertest"
)

// patient is a client that does not wait long between attempts.
func patient(s *providertest.Server) openai.Config {
	return openai.Config{Name: "Test", BaseURL: s.URL, Transport: s.Transport(),
		FirstWait: time.Millisecond, LongestWait: 2 * time.Millisecond}
}

func user(text string) provider.Request {
	return provider.Request{Model: "m1", Messages: []chat.Message{{Role: chat.User, Content: chat.Text(text)}}}
}

func tell(ctx context.Context, c *openai.Client, req provider.Request) (string, error) {
	return providertest.Tell(ctx, c, req)
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"text and usage": {
			"model m1-2026\ntext Hel\ntext \"lo \"\nusage 12 5 cached=3 reasoning=2",
			"model m1-2026\ntext \"Hel\"\ntext \"lo \"\nfinish stop\nusage 12 3 5 2\n"},
		"reasoning under both names": {
			"reasoning First\nthinking second\ntext So",
			"model m1\nreasoning \"First\"\nreasoning \"second\"\ntext \"So\"\nfinish stop\n"},
		"the same reasoning twice": {
			`chunk {"choices":[{"delta":{"reasoning":"Hm","reasoning_content":"Hm"}}]}` + "\ntext x",
			"reasoning \"Hm\"\ntext \"x\"\nfinish stop\n"},
		"content in parts": {
			`chunk {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"Yes ☂"}]}}]}`,
			"reasoning \"Hm\"\ntext \"Yes ☂\"\nfinish stop\n"},
		"whole tool calls": {
			`tool ls {"uri":"."}` + "\n" + `tool read_file {"uri":"a"}`,
			"model m1\ncall 0 call_1 ls {\"uri\":\".\"}\ncall 1 call_2 read_file {\"uri\":\"a\"}\nfinish tool_calls\n"},
		"fragments, interleaved": {
			"call 0 a ls\ncall 1 b cat {\nargs 0 {}\nargs 1 }",
			"model m1\ncall 0 a ls \ncall 1 b cat {\ncall 0   {}\ncall 1   }\nfinish tool_calls\n"},
		"no id, name repeated": {
			"call 0 - ls {\ncall 0 - ls }",
			"model m1\ncall 0 (made) ls {\ncall 0   }\nfinish tool_calls\n"},
		"an id in each fragment": {
			"call 0 a ls\ncall 0 b - {\ncall 0 c - }",
			"model m1\ncall 0 a ls \ncall 0   {\ncall 0   }\nfinish tool_calls\n"},
		"several calls with index 0": {
			"call 0 a ls {}\ncall 0 b cat {}\ncall 0 c rm {}",
			"model m1\ncall 0 a ls {}\ncall 1 b cat {}\ncall 2 c rm {}\nfinish tool_calls\n"},
		"several whole calls with index 0 and no id": {
			"call 0 - ls {}\ncall 0 - ls {\"a\":1}\ncall 0 - cat {\"b\":2}\ncall 0 - pwd",
			"model m1\ncall 0 (made) ls {}\ncall 1 (made) ls {\"a\":1}\ncall 2 (made) cat {\"b\":2}\ncall 3 (made) pwd \nfinish tool_calls\n"},
		"one call in whole pieces under its id": {
			"call 0 a ls {}\ncall 0 - ls {}",
			"model m1\ncall 0 a ls {}\ncall 0   {}\nfinish tool_calls\n"},
		"what a server adds to a call": {
			`chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{}"},"extra_content":{"google":{"thought_signature":"Ab+/="}},"odd":null}]}}]}` +
				"\n" + `chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"later":"x"}]}}]}`,
			"call 0 a ls {} extra_content={\"google\":{\"thought_signature\":\"Ab+/=\"}}\ncall 0    later=\"x\"\nfinish tool_calls\n"},
		"too much of that": {
			`chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"},"deep":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `,"long":"` + strings.Repeat("x", 1<<20) + `","ok":1}]}}]}`,
			"call 0 a ls {} ok=1\nfinish tool_calls\n"},
		"no index": {
			`chunk {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}},{"id":"b","function":{"name":"cat","arguments":"{"}}]}}]}` +
				"\n" + `chunk {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}` + "\nfinish stop",
			"call 0 a ls {}\ncall 1 b cat {\ncall 1   }\nfinish tool_calls\n"},
		"no index, no id": {
			`chunk {"choices":[{"delta":{"tool_calls":[{"function":{"name":"ls","arguments":"{}"}},{"function":{"name":"cat","arguments":"{}"}}]}}]}` + "\nfinish stop",
			"call 0 (made) ls {}\ncall 1 (made) cat {}\nfinish tool_calls\n"},
		"an index that begins at 1": {
			"call 1 a ls {}\ncall 2 b cat {}",
			"model m1\ncall 0 a ls {}\ncall 1 b cat {}\nfinish tool_calls\n"},
		"the name comes late": {
			"call 0 a -\nargs 0 {\ncall 0 - ls }",
			"model m1\ncall 0 a ls {}\nfinish tool_calls\n"},
		"arguments that are no string": {
			`chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"uri":"."}}}]}}]}`,
			"call 0 a ls {\"uri\":\".\"}\nfinish tool_calls\n"},
		"the old function call": {
			`chunk {"choices":[{"delta":{"function_call":{"name":"ls","arguments":"{"}}}]}` + "\n" + `chunk {"choices":[{"delta":{"function_call":{"arguments":"}"}}}]}` + "\nfinish function_call",
			"call 0 (made) ls {\ncall 0   }\nfinish tool_calls\n"},
		"comments, other events, blank lines": {
			"comment OPENROUTER PROCESSING\nraw \"event: ping\\ndata: {\\\"type\\\":\\\"ping\\\"}\\n\\nevent: ping\\ndata: now\\n\\n\\n\\nid: 3\\nretry: 10\\n\"\ntext a\ncomment x",
			"model m1\ntext \"a\"\nfinish stop\n"},
		"no blank lines, carriage returns, no space, split data, no end of line": {
			`raw "\xef\xbb\xbfdata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\ndata: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"b\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"c\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]"` + "\nend",
			"text \"a\"\ntext \"b\"\ntext \"c\"\nfinish stop\n"},
		"a stream that is not declared as one": {
			"header Content-Type: text/plain\nraw \"\\n\"\ntext a",
			"model m1\ntext \"a\"\nfinish stop\n"},
		"no end mark but a finish reason": {"text a\nnodone", "model m1\ntext \"a\"\nfinish stop\n"},
		"cut after the finish reason":     {"text a\n" + `chunk {"choices":[{"delta":{},"finish_reason":"length"}]}` + "\ncut", "model m1\ntext \"a\"\nfinish length\n"},
		"usage in every chunk": {
			`chunk {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}` + "\n" + `chunk {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_cache_hit_tokens":4}}`,
			"text \"a\"\ntext \"b\"\nfinish stop\nusage 5 4 2 0\n"},
		"reasoning beside the output": {
			`chunk {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":17,"completion_tokens_details":{"reasoning_tokens":10}}}`,
			"text \"a\"\nfinish stop\nusage 5 0 12 10\n"},
		"fields of the wrong type": {
			`chunk {"model":3,"choices":[{"index":"0","delta":{"content":"a","tool_calls":[{"index":"0","id":7,"function":{"name":"ls","arguments":"{}"}}]}},5],"usage":{"prompt_tokens":3.5,"completion_tokens":2}}` + "\n" + `chunk {"choices":[{"delta":{"content":{"x":1}}}]}`,
			"text \"a\"\ncall 0 (made) ls {}\nfinish tool_calls\nusage 0 0 2 0\n"},
		"thinking in tags": {
			"text \"<thi\"\ntext \"nk>\\nHm\"\ntext \" a < b </th\"\ntext \"ink>\\n\\nSo\"\ntext \" <think>it</think> is\"",
			"model m1\nreasoning \"Hm\"\nreasoning \" a < b \"\ntext \"So\"\ntext \" <think>it</think> is\"\nfinish stop\n"},
		"thinking without an end":   {"text <think>Hm</th", "model m1\nreasoning \"Hm\"\nreasoning \"</th\"\nfinish stop\n"},
		"no thinking in tags":       {"text \"<\"\ntext \"thin ice\"", "model m1\ntext \"<thin ice\"\nfinish stop\n"},
		"only the beginning of one": {"text \" <th\"", "model m1\ntext \" <th\"\nfinish stop\n"},
		"tags beside reasoning":     {"reasoning Hm\ntext <think>x</think>", "model m1\nreasoning \"Hm\"\ntext \"<think>x</think>\"\nfinish stop\n"},
		"a character cut in two": {
			`chunk {"choices":[{"delta":{"content":"a \ud83d"}}]}` + "\n" + `chunk {"choices":[{"delta":{"content":"\ude00 b","reasoning":"\ud83d"}}]}` + "\n" +
				`chunk {"choices":[{"delta":{"reasoning":"\ude00","tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":"{\"uri\":\"\ud83d"}}]}}]}` + "\n" +
				`chunk {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]}}]}`,
			"text \"a \"\ntext \"😀 b\"\nreasoning \"😀\"\ncall 0 c ls {\"uri\":\"\ncall 0   😀\"}\nfinish tool_calls\n"},
		"halves of characters": {
			`chunk {"choices":[{"delta":{"content":"\ude00 a \ud83d"}}]}` + "\n" + `chunk {"choices":[{"delta":{"content":"x \\ud83d"}}]}` + "\n" + `chunk {"choices":[{"delta":{"content":"\ud83d"}}]}`,
			"text \"\uFFFD a \"\ntext \"\uFFFDx \\\\ud83d\"\ntext \"\uFFFD\"\nfinish stop\n"},
		"an empty answer":          {"finish stop", "model m1\nfinish stop\n"},
		"a refusal":                {`chunk {"choices":[{"delta":{"refusal":"No."}}]}`, "text \"No.\"\nfinish stop\n"},
		"other words for the end":  {"text a\nfinish max_tokens", "model m1\ntext \"a\"\nfinish length\n"},
		"another choice than ours": {`chunk {"choices":[{"index":1,"delta":{"content":"no"}}]}` + "\ntext a", "model m1\ntext \"a\"\nfinish stop\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := providertest.New(t, c.script)
			got, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	s := providertest.New(t, "size 70000\nsize 3000000")
	n := 0
	err := openai.New(patient(s)).Stream(t.Context(), user("hi"), func(ch provider.Chunk) error { n += len(ch.Text); return nil })
	if err != nil || n != 3070000 {
		t.Errorf("got %d bytes, %v", n, err)
	}
}

func TestErrorOfEmitEndsTheStream(t *testing.T) {
	s := providertest.New(t, "text a\nstall")
	stop := errors.New("enough")
	err := openai.New(patient(s)).Stream(t.Context(), user("hi"), func(provider.Chunk) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("err = %v", err)
	}
}

func TestCancel(t *testing.T) {
	for name, script := range map[string]string{"before the first token": "stall", "inside the answer": "text a\nstall"} {
		t.Run(name, func(t *testing.T) {
			s := providertest.New(t, script)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for len(s.Requests()) == 0 {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
			_, err := tell(ctx, openai.New(patient(s)), user("hi"))
			if !errors.Is(err, context.Canceled) || !fault.Is(err, fault.Canceled) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func TestTooManyCalls(t *testing.T) {
	var script strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&script, "call %d c%d ls {}\n", i, i)
	}
	s := providertest.New(t, script.String())
	got, err := tell(t.Context(), openai.New(patient(s)), user("hi"))
	check(t, err, fault.CodeStreamBroken, "more than 512 tool calls")
	if n := strings.Count(got, "call "); n != 512 {
		t.Errorf("%d calls were taken", n)
	}
}
