//go:build !linux

package settings

// keyringMissing says why there is no keyring; the other systems always have one.
func keyringMissing() string { return "" }
