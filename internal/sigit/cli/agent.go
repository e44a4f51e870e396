package cli

import (
	"context"
	"log/slog"
	"net/http"

	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/search"
	"skillforge/internal/sigit/tools"
)

// webSearch are the settings of the tool web_search. They are not checked at
// the start: who searches hears what is wrong with them.
type webSearch struct {
	SearchProvider    string `help:"Who searches the web for agents: brave, searxng, tavily, exa, or fake, which invents." env:"SEARCH_PROVIDER" default:"brave"`
	SearchBaseURL     string `help:"Address of the search provider's API, for a proxy before it." env:"SEARCH_BASE_URL" placeholder:"URL"`
	BraveSearchAPIKey string `name:"brave-search-api-key" help:"Key for the provider brave." env:"BRAVE_SEARCH_API_KEY" secret:""`
	SearxngURL        string `name:"searxng-url" help:"Address of the SearXNG server, for the provider searxng." env:"SEARXNG_URL" placeholder:"URL"`
	TavilyAPIKey      string `name:"tavily-api-key" help:"Key for the provider tavily." env:"TAVILY_API_KEY" secret:""`
	ExaAPIKey         string `name:"exa-api-key" help:"Key for the provider exa." env:"EXA_API_KEY" secret:""`
}

// setting is the value of a variable, from its flag or the environment.
func (s webSearch) setting(name string) string {
	return map[string]string{
		"SEARCH_PROVIDER": s.SearchProvider, "SEARCH_BASE_URL": s.SearchBaseURL, "BRAVE_SEARCH_API_KEY": s.BraveSearchAPIKey,
		"SEARXNG_URL": s.SearxngURL, "TAVILY_API_KEY": s.TavilyAPIKey, "EXA_API_KEY": s.ExaAPIKey,
	}[name]
}

// searcher is the settings as they count: a demonstration works without a key.
func (c *serveCmd) searcher() webSearch {
	s := c.webSearch
	if c.Demo && s.SearchProvider == "brave" && s.BraveSearchAPIKey == "" {
		s.SearchProvider = "fake"
	}
	return s
}

// mcp is the door of agents, whole: it knows itself which pages may call and
// what is said to whom the gate does not let through.
func (c *serveCmd) mcp(ctx context.Context, f *forge.Forge, gate *auth.Auth, log *slog.Logger) (http.Handler, error) {
	web := c.searcher()
	door, err := tools.Handler(tools.Options{
		Forge: f, Web: search.New(search.Options{Env: web.setting, Log: log}), Admit: gate.MCP, Origins: c.AllowedOrigins, Log: log,
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, door.Close) // or open subscriptions would hold up the end
	return door, nil
}
