package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestOf(t *testing.T) {
	denied := New(Denied, "no")
	cases := []struct {
		err  error
		json string
	}{
		{denied, `{"kind":"denied","message":"no"}`},
		{fmt.Errorf("open a: %w", denied), `{"kind":"denied","message":"open a: no","said":[{"text":"open a: {0}","fields":[{"sentence":1}]},{"text":"no"}]}`},
		{denied.WithCode(CodeServer), `{"kind":"denied","code":"server","message":"no"}`},
		{io.EOF, `{"kind":"internal","message":"EOF"}`},
		{fmt.Errorf("run: %w", context.Canceled), `{"kind":"canceled","message":"stopped"}`},
		{nil, `null`},
	}
	for _, c := range cases {
		if got := JSON(c.err); got != c.json {
			t.Errorf("%v: got %s, want %s", c.err, got, c.json)
		}
	}
	if denied.Code != "" {
		t.Error("WithCode changed the original")
	}
}

func TestCausesStay(t *testing.T) {
	if !errors.Is(New(Invalid, "read a: %w", io.EOF), io.EOF) || !errors.Is(New(Invalid, "x").Because(io.EOF), io.EOF) {
		t.Error("the cause is gone")
	}
	if err := fmt.Errorf("load: %w", New(Invalid, "read: %w", io.EOF)); !errors.Is(Of(err), io.EOF) {
		t.Error("the cause is gone in Of")
	}
	if !Is(fmt.Errorf("x: %w", New(NotFound, "y")), NotFound) || Is(nil, Internal) || Is(io.EOF, Invalid) {
		t.Error("Is is wrong")
	}
}
