package frontmatter

import "math"

// Finite returns v with nil in the place of every infinite or undefined
// number, which JSON cannot write. It returns v itself when there is none, so
// hash first: the canonical form knows .inf and .nan.
func Finite(v map[string]any) map[string]any {
	if allFinite(v) {
		return v
	}
	return finiteValue(v).(map[string]any)
}

func allFinite(v any) bool {
	switch v := v.(type) {
	case float64:
		return !math.IsInf(v, 0) && !math.IsNaN(v)
	case map[string]any:
		for _, child := range v {
			if !allFinite(child) {
				return false
			}
		}
	case []any:
		for _, child := range v {
			if !allFinite(child) {
				return false
			}
		}
	}
	return true
}

func finiteValue(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			out[key] = finiteValue(child)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = finiteValue(child)
		}
		return out
	}
	return v
}
