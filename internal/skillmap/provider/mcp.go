package provider

import (
	"io/fs"

	"skillforge/internal/skillmap"
)

// MCPServers stub.
func MCPServers(p *Provider, project fs.FS) []skillmap.Node { return nil }
