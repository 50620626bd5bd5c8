package workspace_test

import (
	"os"
	"testing"

	"mutsumi/backend/mcp/mcptest"
)

// TestMain has every test begin with settings of its own: none of the person who
// runs the tests counts.
func TestMain(m *testing.M) {
	mcptest.Main()
	for _, name := range []string{"MUTSUMI_CONFIG", "MUTSUMI_STATE", "OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// cacheOf is the cache of a folder of a test: one that is opened again has the same.
func cacheOf(folder string) string { return folder + "-cache" }
