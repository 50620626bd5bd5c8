package jsontext_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"mutsumi/backend/jsontext"
)

func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		``, `null`, `{}`, `[]`, ` { } `, ` [ ] `, `{"a":1}`, `[1, "a\"]\\", {"b":[{}]}, null ,true]`, `{"a\"b" : "\\" , "c":{"d":[",}"]}, "e" : -1.5e3 }`,
		`[`, `{`, `{"a"`, `{"a":`, `{"a":1`, `["`, `["\`, `[1 2]`, `{1:2}`, `[]]`, `[,]`, `{"a":}`,
		`[{"a":1,"b":{"c":[{}]}}, {}, 7, "{", [{"d":1}]]`, `[{"a":1},{"b"}]`, `[{"a":1`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		elements, listErr := jsontext.Elements([]byte(s))
		var names []string
		var values []json.RawMessage
		objectErr := jsontext.Members([]byte(s), func(name string, value []byte) bool {
			names, values = append(names, name), append(values, value)
			return true
		})
		if !json.Valid([]byte(s)) {
			return // it must only end
		}
		var all, inner [][]byte
		objectsErr := jsontext.Objects([]byte(s), func(_ string, value []byte) { inner = append(inner, value) }, func(text []byte) { all = append(all, text) })
		if (objectsErr == nil) != (listErr == nil) || !reflect.DeepEqual(all, elements) {
			t.Fatalf("%q: %q at once, %q one by one; %v, %v", s, all, elements, objectsErr, listErr)
		}
		for _, e := range elements {
			jsontext.Members(e, func(name string, value []byte) bool {
				if string(inner[0]) != string(value) {
					t.Fatalf("%q: member %q is %q at once, %q one by one", s, name, inner[0], value)
				}
				inner = inner[1:]
				return true
			})
		}
		if len(inner) > 0 {
			t.Fatalf("%q: %q are of no element", s, inner)
		}
		at := 0
		outlineErr := jsontext.Outline([]byte(s), func(name string, value []byte, elements [][]byte) {
			each, _ := jsontext.Elements(value)
			if name != names[at] || string(value) != string(values[at]) || !reflect.DeepEqual(elements, each) {
				t.Fatalf("%q: member %d is %q with %q, want %q with %q", s, at, name, elements, names[at], each)
			}
			at++
		})
		if (outlineErr == nil) != (objectErr == nil) || at != len(names) {
			t.Fatalf("%q: %d members of an outline, %d members; %v, %v", s, at, len(names), outlineErr, objectErr)
		}
		var want []json.RawMessage
		if isList := json.Unmarshal([]byte(s), &want) == nil && want != nil; isList != (listErr == nil) {
			t.Fatalf("%q is a list: %v, %v", s, isList, listErr)
		}
		if len(elements) != len(want) {
			t.Fatalf("%q: elements %q, want %q", s, elements, want)
		}
		for i := range want {
			if string(elements[i]) != string(want[i]) {
				t.Errorf("%q: element %d is %q, want %q", s, i, elements[i], want[i])
			}
		}
		var members map[string]json.RawMessage
		if isObject := json.Unmarshal([]byte(s), &members) == nil && members != nil; isObject != (objectErr == nil) {
			t.Fatalf("%q is an object: %v, %v", s, isObject, objectErr)
		}
		got := map[string]json.RawMessage{}
		for i, name := range names {
			var plain string
			if err := json.Unmarshal([]byte(`"`+name+`"`), &plain); err != nil {
				t.Fatal(err)
			}
			got[plain] = values[i]
		}
		if len(members) > 0 && !reflect.DeepEqual(got, members) {
			t.Errorf("%q: members %q, want %q", s, got, members)
		}
	})
}

func TestMembersStopOnRequest(t *testing.T) {
	n := 0
	err := jsontext.Members([]byte(`{"a":1,"b":2}`), func(string, []byte) bool { n++; return false })
	if n != 1 || err != nil {
		t.Error(n, err)
	}
}
