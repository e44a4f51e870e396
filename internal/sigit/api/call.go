package api

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
)

// call is one request.
type call struct {
	*API
	w  http.ResponseWriter
	r  *http.Request
	by sigit.Actor
}

// repo is the repository that the path names. What could never be one is one
// that does not exist.
func (c *call) repo() (sigit.RepoName, error) {
	name, err := sigit.ParseRepoName(c.r.PathValue("owner") + "/" + c.r.PathValue("name"))
	if err != nil {
		return name, sigit.NoRepo()
	}
	return name, nil
}

// number is the issue or pull request that the path names.
func (c *call) number() (int, error) {
	n, err := strconv.Atoi(c.r.PathValue("number"))
	if err != nil || n < 1 {
		return 0, fault.New(fault.Invalid, "%q is no number of an issue or pull request", sigit.Short(c.r.PathValue("number"), 40))
	}
	return n, nil
}

// thread is both.
func (c *call) thread() (sigit.RepoName, int, error) {
	name, err := c.repo()
	if err != nil {
		return name, 0, err
	}
	n, err := c.number()
	return name, n, err
}

// query is a parameter of the address, empty when it is absent.
func (c *call) query(name string) string { return c.r.URL.Query().Get(name) }

// count is a parameter that is a whole number in a range, fallback when absent.
func (c *call) count(name string, fallback, low, high int) (int, error) {
	text := c.query(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fault.New(fault.Invalid, "%s must be a whole number", name)
	}
	return min(max(n, low), high), nil
}

// page is the part of a list that the address asks for.
func (c *call) page() (sigit.Page, error) {
	limit, err := c.count("limit", 0, 1, 100)
	return sigit.Page{Limit: limit, Cursor: c.query("cursor")}, err
}

func (c *call) filter() sigit.Filter {
	return sigit.Filter{State: sigit.State(c.query("state")), Query: c.query("query")}
}

// route is one line of the table: an address, what it needs, what goes in and
// comes out.
type route struct {
	method, path string
	scope        httpd.Scope
	name         string // operationId
	summary      string
	params       []param
	in, out      reflect.Type // nil for none
	status       int
	serve        func(*call) error
}

// param is a parameter of the query.
type param struct{ name, about string }

var pageParams = []param{{"limit", "how many at most, 1 to 100"}, {"cursor", "next_cursor of the part before"}}

// with adds parameters of the query to a route.
func (r route) with(params ...param) route {
	r.params = append(r.params, params...)
	return r
}

// paged adds the parameters of a list.
func (r route) paged() route { return r.with(pageParams...) }

// read makes a route that answers with what f finds.
func read[Out any](path string, scope httpd.Scope, name, summary string, f func(*call) (Out, error)) route {
	return route{
		method: http.MethodGet, path: path, scope: scope, name: name, summary: summary, out: reflect.TypeFor[Out](), status: http.StatusOK,
		serve: func(c *call) error {
			out, err := f(c)
			if err != nil {
				return err
			}
			return httpd.JSON(c.w, http.StatusOK, out)
		},
	}
}

// write makes a route that reads a body, does f and answers with what it gives.
func write[In, Out any](method, path string, scope httpd.Scope, name, summary string, f func(*call, In) (Out, error)) route {
	status := http.StatusOK
	if method == http.MethodPost && !strings.HasSuffix(path, "}/close") && !strings.HasSuffix(path, "}/reopen") && !strings.HasSuffix(path, "}/merge") {
		status = http.StatusCreated
	}
	r := route{method: method, path: path, scope: scope, name: name, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), status: status}
	if r.in == reflect.TypeFor[nothing]() {
		r.in = nil
	}
	if r.out == reflect.TypeFor[nothing]() {
		r.out, r.status = nil, http.StatusNoContent
	}
	r.serve = func(c *call) error {
		var in In
		if r.in != nil {
			if err := httpd.Decode(c.r, &in); err != nil {
				return err
			}
		}
		out, err := f(c, in)
		if err != nil {
			return err
		}
		if r.out == nil {
			c.w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return httpd.JSON(c.w, r.status, out)
	}
	return r
}

// nothing is the body of a request or an answer that has none.
type nothing struct{}
