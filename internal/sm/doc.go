// Package sm is the room of the local program: the nouns that its packages
// share. An Event tells listeners what happened, an Operation is a line of the
// operations log, and the constants say who we are.
//
// It knows no database and serves nobody; config, job and finding hold the
// larger nouns, store keeps them, atlas is what callers may do.
package sm

// Who we are, on the wire and in what we store.
const (
	Name        = "skill-map" // serverInfo.name, scannedBy.name
	Version     = "0.1.0"     // implVersion
	SpecVersion = "1.12.2"    // of the contract that this program keeps
)
