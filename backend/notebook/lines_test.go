package notebook

import (
	"errors"
	"strings"
	"testing"
)

// Damage is reported in a line that exists, for each prefix of a notebook and for each byte
// replaced by another.
func TestDamageIsInALineThatExists(t *testing.T) {
	whole := "{\n  \"metadata\": {\n    \"name\": \"a\\u00e9\"\n  },\n  \"context\": [\n    {\"role\": \"user\", \"content\": \"x\\ny\"}\n  ]\n}"
	texts := []string{"", "\n", "\ufeff", "\xff", "\n\n\xff", "[]", "null", "{}", "{}{}", "\x00"}
	for i := range whole {
		texts = append(texts, whole[:i], whole[:i]+"\x01"+whole[i+1:], whole[:i]+"}"+whole[i:])
	}
	for _, text := range texts {
		_, err := Parse([]byte(text))
		bad, damaged := errors.AsType[*DamagedError](err)
		if !damaged {
			continue
		}
		if line := bad.Problem.Line; line < 1 || line > 1+strings.Count(text, "\n") || bad.Problem.Column < 1 {
			t.Errorf("%q: line %d, column %d", text, line, bad.Problem.Column)
		}
	}
}
