package agentfiles

import "io/fs"

const onWindows = true

// isOwn is true: the cache folder and that for temporary files are each user's own.
func isOwn(fs.FileInfo) bool { return true }
