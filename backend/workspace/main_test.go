package workspace_test

import (
	"os"
	"testing"

	"mutsumi/backend/mcp/mcptest"
)

// TestMain gives every test its own settings, apart from those of the person who runs the tests.
func TestMain(m *testing.M) {
	mcptest.Main()
	for _, name := range []string{"MUTSUMI_CONFIG", "MUTSUMI_STATE", "OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// cacheOf is the cache of a test's folder: reopening the folder uses the same one.
func cacheOf(folder string) string { return folder + "-cache" }
