package providertest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A body is read as if it had come alone, whatever came before.
func TestABodyIsReadAsIfItWereTheFirst(t *testing.T) {
	const (
		head   = `{"model":"m","tools":[{"type":"function","function":{"name":"ls","parameters":{"type":"object"}}}],"messages":[`
		user   = `{"role":"user","content":"go"}`
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"a.txt"}`
	)
	bodies := []string{}
	for _, messages := range []string{
		user, user + "," + call + "," + result, user + "," + call + "," + result + "," + call + "," + result,
		user + "," + call, user + "," + call + "," + user, user + "," + result, user + "," + call + "," + result + "," + result,
		user + "," + user, user + " ," + user + " , " + user, strings.Replace(user, "go", "gone", 1) + "," + call + "," + result, "",
		user + ",", user + "," + call + ",", user + "," + call + "," + result + ",", user + ",," + user, user + ",7", user + `,{"role":"wizard","content":""}`,
	} {
		bodies = append(bodies, head+messages+`]}`)
	}
	for _, messages := range []string{user, user + "," + call + "," + result} {
		for _, end := range []string{`],"stream_options":{"include_usage":true}}`, `]} x`, `]`, `],"messages":[` + user + `]}`, `],"model":7}`} {
			bodies = append(bodies, head+messages+end)
		}
	}
	bodies = append(bodies, "", "[]", "{}", `{"messages":null}`, `{"messages":[`+user+`]}`, `{"messages":[`+user+`],"tools":[{"type":"function"}]}`,
		strings.Replace(head, `"ls"`, `"l s"`, 1)+user+`]}`, strings.Replace(head, `"object"`, `"string"`, 1)+user+`]}`)
	said := func(b *body, err error) string {
		if err != nil {
			return "unreadable"
		}
		b.text, b.ends = nil, nil
		return fmt.Sprint(b.model, b.usage, b.names, b.refused())
	}
	taken := 0
	for _, text := range bodies {
		alone, err := readBody([]byte(text), nil)
		want := said(alone, err)
		if strings.HasSuffix(want, "<nil>") {
			taken++
		}
		for _, first := range bodies {
			before, err := readBody([]byte(first), nil)
			if err != nil {
				before = nil
			}
			got, err := readBody([]byte(text), before)
			if s := said(got, err); s != want || err == nil && !reflect.DeepEqual(got.messages, alone.messages) {
				t.Fatalf("behind\n%s\nthis\n%s\nis %s, alone %s", first, text, s, want)
			}
		}
	}
	if taken != 9 {
		t.Errorf("%d of %d bodies are taken", taken, len(bodies))
	}
}

// A request's messages stay as they were when later requests share them.
func TestARequestKeepsItsMessages(t *testing.T) {
	ask := func(texts ...string) []byte {
		var m []string
		for _, text := range texts {
			m = append(m, fmt.Sprintf(`{"role":"user","content":%q}`, text))
		}
		return []byte(`{"messages":[` + strings.Join(m, ",") + `]}`)
	}
	conversations := [][]string{{"a", "b"}, {"a", "b", "c"}, {"a", "b", "c", "d", "e"}, {"a", "b", "c", "d"}, {"a", "b", "c", "D"}, {"a", "x"}, {"a", "x", "y"}, {"a", "x"}, {"a", "x", "z"}}
	var read []*body
	var before *body
	for _, c := range conversations {
		b, err := readBody(ask(c...), before)
		if err != nil {
			t.Fatal(err)
		}
		read, before = append(read, b), b
	}
	for i, b := range read {
		var got []string
		for _, m := range b.messages {
			got = append(got, m.Content.String())
		}
		if !slices.Equal(got, conversations[i]) {
			t.Errorf("request %d holds %v, it was sent with %v", i, got, conversations[i])
		}
	}
}

func TestAStrictServerGivesTheReason(t *testing.T) {
	user := `{"role":"user","content":"go"}`
	for messages, want := range map[string]string{
		"":                               "messages: too short",
		user:                             "",
		`{"role":"user","content":null}`: "messages[0].content: expected a string, got null",
		`{"role":"user","content":[]}`:   "messages[0].content: neither",
		`{"role":"user","content":[{"type":"text","text":""}]}`:                       `messages[0].content[0]: a "text" that is empty`,
		`{"role":"user","content":"x","name":"a b"}`:                                  "messages[0].name",
		`{"role":"wizard","content":"x"}`:                                             `messages[0].role: "wizard"`,
		user + `,{"role":"tool","tool_call_id":"c","content":""}`:                     "messages[1]: a result must follow",
		user + `,{"role":"assistant","content":null}`:                                 "messages[1].content: expected a string",
		user + `,{"role":"user","content":"x","tool_call_id":"c"}`:                    "messages[1].tool_call_id",
		user + `,` + calls("{}"):                                                      "messages: the call c has no result behind it",
		user + `,` + calls("{}") + `,` + user:                                         "messages[2]: the call c has no result before it",
		user + `,` + calls("[]"):                                                      "messages[1].tool_calls[0].function.arguments",
		user + `,` + calls("{}") + `,{"role":"tool","tool_call_id":"d","content":""}`: "messages[2].tool_call_id: no call before it",
		user + `,` + calls("{}") + `,{"role":"tool","tool_call_id":"c","content":""}`: "",
	} {
		b, err := readBody([]byte(`{"messages":[`+messages+`]}`), nil)
		if err != nil {
			t.Errorf("%s: %v", messages, err)
			continue
		}
		if err := b.refused(); (want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", messages, err, want)
		}
	}
}

func calls(arguments string) string {
	return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":%q}}]}`, arguments)
}
