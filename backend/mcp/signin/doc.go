// Package signin signs the person in to an MCP server over streamable HTTP (SPEC 13.1): OAuth 2.1
// with PKCE. It finds out where to sign in, waits for the browser on a loopback address, stores the
// tokens in one entry of the keyring, and renews them before they expire.
//
// Everything servers say is hostile: network.go restricts which of the addresses they name are
// reached, and their answers are limited. The package opens no browser, trusts no folder and shows
// nothing: package mcp decides who may sign in, and asks the person.
package signin
