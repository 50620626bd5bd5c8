package notebook

import (
	"regexp"
	"testing"
)

// What a person may see of a refusal says what failed, why, and the way out, in whole sentences.
func TestRefusalsAreSentences(t *testing.T) {
	whole := regexp.MustCompile(`^Could not [^:]+: .+\. [A-Z].+\.$`)
	for _, err := range []error{errGone, errChanged, errMade, errRunning()} {
		if !whole.MatchString(err.Error()) {
			t.Errorf("%q", err)
		}
	}
}
