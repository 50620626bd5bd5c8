package approval

import (
	"reflect"
	"strings"
	"testing"
)

func TestDescribed(t *testing.T) {
	long := strings.Repeat("x", 2*maxDescription)
	for schema, want := range map[string]map[string]string{
		"":    nil,
		"[1]": nil,
		`{"properties":{"a":{"type":"string"},"b":true}}`:                                                nil,
		`{"properties":{"a":{"description":"the file","type":["null","string"]},"b":{"description":3}}}`: {"a": "the file"},
		`{"properties":{"edits":{"description":"all or none","items":{"properties":{"old":{"description":"what is there"},"new":{}}}}}}`: {
			"edits": "all or none", "edits.old": "what is there",
		},
		`{"properties":{"list":{"items":true},"n":{"description":"how many"}}}`: {"n": "how many"},
	} {
		if got := NewRequest(Call{Tool: "any", Arguments: "{}"}, About{Schema: []byte(schema)}).Described; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", schema, got, want)
		}
	}
	if got := described([]byte(`{"properties":{"a":{"description":"` + long + `"}}}`))["a"]; len(got) > maxDescription+100 || got == "" {
		t.Errorf("%d bytes of a long description", len(got))
	}
}
