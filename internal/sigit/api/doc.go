// Package api is the REST door at /api/v1, and the pages of the operator:
// /healthz, /readyz, /metrics.
//
// Every route is one line of the table in routes.go, with the scope that it
// needs, the shape of its body and of its answer. The OpenAPI document is made
// from the same table. A handler decodes, calls one verb of the forge and
// encodes; errors are the envelope of package httpd.
package api
