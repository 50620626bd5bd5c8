package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
)

func TestSay(t *testing.T) {
	_, missing := os.ReadFile("/no/such/file")
	denied := New(Denied, "%s is outside", "a%d{0}")
	cases := []struct {
		err  *Error
		want string
	}{
		{New(Invalid, "Could not move %s: wait %d %%, or %q.", "{1}", 5, "x"), `[{"text":"Could not move {0}: wait {1} %, or {2}.","fields":[{"text":"{1}"},{"text":"5"},{"text":"\"x\""}]}]`},
		{New(Invalid, "nothing to fill"), `null`},
		{New(Invalid, "Could not read it: %w.", missing), `[{"text":"Could not read it: {0}.","fields":[{"sentence":1}]},{"text":"open {0}: {1}","fields":[{"text":"/no/such/file"},{"sentence":2}]},{"text":"no such file or directory"}]`},
		{New(Invalid, "read %s: %w, %w", "b", denied, io.EOF), `[{"text":"read {0}: {1}, {2}","fields":[{"text":"b"},{"sentence":1},{"sentence":2}]},{"text":"{0} is outside","fields":[{"text":"a%d{0}"}]},{"text":"EOF"}]`},
		{New(Invalid, "%[2]s %[1]s", "a", "b"), `null`},
		{New(Invalid, "%*d", 4, 2), `null`},
		{New(Invalid, "%.1f of %v", 2.25, errors.New("no")), `[{"text":"{0} of {1}","fields":[{"text":"2.2"},{"sentence":1}]},{"text":"no"}]`},
		{Of(fmt.Errorf("load 5%%: %w", fmt.Errorf("x: %w", New(Invalid, "read %s: %w", "b", denied)))), `[{"text":"load 5%: {0}","fields":[{"sentence":1}]},{"text":"x: {0}","fields":[{"sentence":2}]},{"text":"read {0}: {1}","fields":[{"text":"b"},{"sentence":3}]},{"text":"{0} is outside","fields":[{"text":"a%d{0}"}]}]`},
		{Of(fmt.Errorf("%w (of %d)", io.EOF, 3)), `null`},
		{Of(fmt.Errorf("x: %w", context.Canceled)), `null`},
	}
	for _, c := range cases {
		got, err := json.Marshal(c.err.Said)
		if string(got) != c.want || err != nil {
			t.Errorf("%s: %s, want %s", c.err.Message, got, c.want)
		}
		if said := c.err.Said; said != nil && said.String() != c.err.Message {
			t.Errorf("in English it is %q, want %q", said, c.err.Message)
		}
	}
}
