// Package signin signs the person in to an MCP server over streamable HTTP (SPEC 13.1): OAuth
// 2.1 with PKCE. It finds out where to sign in, waits for the browser on a loopback address,
// keeps what it was given in one entry of the keyring, and renews it before it ends.
//
// What servers say is hostile: addresses that they name are reached only as network.go says,
// and their answers are bounded. The package opens no browser, trusts no folder and shows
// nothing: package mcp decides who may sign in, and asks the person.
package signin
