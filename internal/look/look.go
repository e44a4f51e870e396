// Package look is the visual language that the pages of both programs share:
// colours, spacing and type, as custom properties of CSS. It draws nothing and
// serves nothing; each program embeds it its own way.
package look

import _ "embed"

// Tokens is the style sheet that defines the custom properties, light and
// dark. Link it before any other.
//
//go:embed tokens.css
var Tokens []byte
