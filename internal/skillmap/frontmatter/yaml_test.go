package frontmatter

import "testing"

const typical = `name: deploy-site
description: Builds the site and puts it on the server. Use when the user asks to publish, to release or to roll back.
model: sonnet
tools: [Read, Grep, Bash]
color: blue
metadata:
  version: "1.2"
  owner: web team
disable-model-invocation: false
maxTurns: 12
`

func BenchmarkParseYAML(b *testing.B) {
	b.SetBytes(int64(len(typical)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseYAML(typical); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDumpHash(b *testing.B) {
	m, err := ParseYAML(typical)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Hash(m, typical)
	}
}
