package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"skillforge/internal/sigit"
)

// openAPI describes the table as an OpenAPI document.
func openAPI(routes []route, site sigit.Site) ([]byte, error) {
	paths := map[string]map[string]any{}
	for _, r := range routes {
		operation, err := r.operation()
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", r.method, r.path, err)
		}
		if paths[r.path] == nil {
			paths[r.path] = map[string]any{}
		}
		paths[r.path][strings.ToLower(r.method)] = operation
	}
	document, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "siGit", "version": "1", "description": "Repositories, issues and pull requests of a siGit forge."},
		"servers": []any{map[string]any{"url": string(site) + Prefix}},
		"paths":   paths,
		"components": map[string]any{
			"securitySchemes": map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer"}},
			"schemas":         map[string]any{"Error": errorSchema},
		},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the description: %w", err)
	}
	return document, nil
}

var errorSchema = map[string]any{
	"type": "object", "required": []string{"ok", "error"},
	"properties": map[string]any{
		"ok": map[string]any{"const": false},
		"error": map[string]any{
			"type": "object", "required": []string{"code", "message", "details"},
			"properties": map[string]any{
				"code":    map[string]any{"type": "string", "description": "the case, for programs"},
				"message": map[string]any{"type": "string", "description": "the case, in a sentence"},
				"details": map[string]any{"type": []string{"object", "null"}},
			},
		},
	},
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (r route) operation() (map[string]any, error) {
	params := []any{}
	for _, m := range pathParam.FindAllStringSubmatch(r.path, -1) {
		kind := "string"
		if m[1] == "number" || m[1] == "id" {
			kind = "integer"
		}
		params = append(params, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": kind}})
	}
	for _, p := range r.params {
		kind := "string"
		if p.name == "limit" {
			kind = "integer"
		}
		params = append(params, map[string]any{"name": p.name, "in": "query", "description": p.about, "schema": map[string]any{"type": kind}})
	}
	failure := map[string]any{"description": "a refusal", "content": content(map[string]any{"$ref": "#/components/schemas/Error"})}
	success := map[string]any{"description": http.StatusText(r.status)}
	operation := map[string]any{
		"operationId": r.name, "summary": r.summary, "parameters": params, "x-scope": string(r.scope),
		"responses": map[string]any{strconv.Itoa(r.status): success, "default": failure},
	}
	if r.scope != public {
		operation["security"] = []any{map[string]any{"bearer": []string{}}}
		if strings.HasSuffix(string(r.scope), ":read") && r.method == http.MethodGet {
			operation["security"] = []any{map[string]any{"bearer": []string{}}, map[string]any{}} // what is public needs no token
		}
	}
	if r.out != nil {
		schema, err := schemaOf(r.out)
		if err != nil {
			return nil, err
		}
		success["content"] = content(schema)
	}
	if r.in != nil {
		schema, err := schemaOf(r.in)
		if err != nil {
			return nil, err
		}
		operation["requestBody"] = map[string]any{"required": true, "content": content(schema)}
	}
	return operation, nil
}

func content(schema any) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": schema}}
}

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	return jsonschema.ForType(t, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"}},
	})
}
