package checkpoint

import "testing"

func pipe(t *testing.T, _ string) { t.Skip("there are no pipes in folders here") }
