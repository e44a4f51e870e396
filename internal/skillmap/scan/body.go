package scan

import (
	"strings"

	"skillforge/internal/skillmap/provider"
)

// Body is the body of a node as a scan takes it from the text of its file: the
// one that its BodyHash is taken of. Of a provider that is not known it is the
// text itself.
func Body(providerID, path, text string) string {
	p := provider.ByID(providerID)
	if p == nil {
		return text
	}
	for _, r := range p.Reads {
		if strings.HasSuffix(path, r.Suffix) {
			block, _, _ := takeApart(r, text) // a head that does not parse has a body all the same
			return block.Body
		}
	}
	return text
}
