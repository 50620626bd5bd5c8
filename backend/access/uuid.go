package access

// ValidUUID reports whether a uuid, which a file is free to choose, is safe as a file
// name on every system.
func ValidUUID(uuid string) bool {
	if uuid == "" || len(uuid) > 128 || uuid[0] == '.' || uuid[0] == '-' {
		return false
	}
	for _, c := range uuid {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}
