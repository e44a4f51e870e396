package scan

import (
	"strings"

	"skillforge/internal/skillmap/frontmatter"
	"skillforge/internal/skillmap/provider"
)

// Taken is one file as a scan takes it apart.
type Taken struct {
	Body            string // the text after the frontmatter
	BodyHash        string
	FrontmatterHash string
	Frontmatter     map[string]any // never nil; what can be read of it
}

// Take takes the bytes of a file apart as a scan does for the provider, so
// that hashes can be compared with those of the map.
func Take(providerID, path string, content []byte) Taken {
	read := readFor(provider.ByID(providerID), path)
	block, parsed, err := takeApart(read, toText(content))
	return Taken{
		Body: block.Body, BodyHash: hashOf(block.Body, content),
		FrontmatterHash: frontmatter.Hash(parsed, block.Raw), Frontmatter: readable(read, block, parsed, err),
	}
}

// readFor is how the provider reads the file, the plain way when it does not
// say.
func readFor(p *provider.Provider, path string) provider.Read {
	if p != nil {
		for _, r := range p.Reads {
			if strings.HasSuffix(path, r.Suffix) {
				return r
			}
		}
	}
	return provider.Read{Suffix: ".md", Parser: provider.YAML}
}
