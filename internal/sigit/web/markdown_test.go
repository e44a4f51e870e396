package web

import (
	"html/template"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func html2(s string) template.HTML { return template.HTML(escape(s)) }

func TestLinks(t *testing.T) {
	at := spot{repo: "/o/n", ref: "agent/42", dir: "docs/a"}
	for in, want := range map[string]string{
		"b.md": "/o/n/blob/agent/42/docs/a/b.md", "../c.md#x": "/o/n/blob/agent/42/docs/c.md#x", "/top.md": "/o/n/blob/agent/42/top.md", "../../../../../x": "/o/n/blob/agent/42/x",
		"#here": "#md-here", "https://e.example/x": "https://e.example/x", "sub/": "/o/n/tree/agent/42/docs/a/sub", "größe 1.md": "/o/n/blob/agent/42/docs/a/gr%C3%B6%C3%9Fe%201.md",
		"mailto:a@example.org": "mailto:a@example.org", "?q": "?q", "%zz": "",
	} {
		if got := at.link(in, "blob"); got != want {
			t.Errorf("link(%q) = %q, want %q", in, got, want)
		}
	}
}

// checkClean fails when rendered Markdown has anything that could act.
func checkClean(t *testing.T, text string, made template.HTML) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(string(made)))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				t.Errorf("%q makes %q: %v", text, made, z.Err())
			}
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tag := z.Token()
		switch tag.Data {
		case "script", "style", "iframe", "form", "input", "button", "object", "embed", "svg", "math", "base", "link", "meta", "textarea", "select":
			t.Errorf("%q makes %s", text, tag)
		}
		for _, a := range tag.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", strings.HasPrefix(a.Key, "hx-"), strings.HasPrefix(a.Key, "data-"), a.Key == "name":
				t.Errorf("%q makes %s", text, tag)
			case a.Key == "src" && (!strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//")):
				t.Errorf("%q loads %q", text, a.Val)
			case a.Key == "href" && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:") || strings.HasPrefix(value, "vbscript:")):
				t.Errorf("%q leads to %q", text, a.Val)
			case a.Key == "id" && !strings.HasPrefix(a.Val, "md-"):
				t.Errorf("%q takes the id %q", text, a.Val)
			case a.Key == "class" && !ownClass.MatchString(a.Val):
				t.Errorf("%q takes the class %q", text, a.Val)
			}
		}
	}
}

var markdownTries = []string{
	"# A\n\n[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) <a href=\" javascript:alert(1)\">z</a>", "![x](//elsewhere.example/a.png) ![y](data:image/svg+xml,x)",
	"<svg><script>alert(1)</script></svg>", "<img src=x onerror=alert(1)>", "<a hx-get=/x data-copy=y name=find class=button id=main>z</a>", "```js\n</code></pre><script>alert(1)</script>\n```",
	"```\"><script>\nx\n```", "<math><mi xlink:href=\"javascript:alert(1)\">", "[^1]\n\n[^1]: note <b onclick=x>", "| a |\n|---|\n| <style>*{}</style> |", "<details open ontoggle=alert(1)>", "[a]: javascript:alert(1)\n[a]",
	"<img src=\"/alice/x\" srcset=\"//e.example\">", "<!--><script>alert(1)</script>-->", "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "<a href=\"\\\\e.example\">x</a>", "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
}

func TestMarkdownIsClean(t *testing.T) {
	m := newMarkdown(newColourist())
	for _, text := range markdownTries {
		for _, at := range []spot{{}, {repo: "/o/n", ref: "main", dir: "d"}} {
			checkClean(t, text, m.html(text, at))
		}
	}
}

func TestNumbersLeadToIssues(t *testing.T) {
	m := newMarkdown(newColourist())
	for text, want := range map[string]string{
		"see #12.": `<p>see <a href="/o/n/issues/12" rel="nofollow noreferrer">#12</a>.</p>`, "#3 (#4)": `<p><a href="/o/n/issues/3" rel="nofollow noreferrer">#3</a> (<a href="/o/n/issues/4" rel="nofollow noreferrer">#4</a>)</p>`,
		"`#5` x#6 #7a #0": "<p><code>#5</code> x#6 #7a #0</p>", "[#8](y)": `<p><a href="y" rel="nofollow noreferrer">#8</a></p>`, "&#34; \"#9": "<p>&#34; &#34;#9</p>",
	} {
		if got := strings.TrimSpace(string(m.html(text, spot{repo: "/o/n"}))); got != want {
			t.Errorf("%q makes %s, want %s", text, got, want)
		}
	}
}

func TestTangledTextsAreNotRendered(t *testing.T) {
	m := newMarkdown(newColourist())
	for _, unit := range []string{"[a](", "> ", "[^1]: ", ">"} {
		text := strings.Repeat(unit, 60_000/len(unit))
		if got := m.html(text, spot{}); !strings.HasPrefix(string(got), "<pre>") {
			t.Errorf("%q over and over is rendered", unit)
		}
	}
	for _, text := range []string{"> > > deep\n", strings.Repeat("- [ ] a [link](x)\n", 500), "a > b > c"} {
		if got := m.html(text, spot{}); strings.HasPrefix(string(got), "<pre>") {
			t.Errorf("%.20q is not rendered", text)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range markdownTries {
		f.Add(text)
	}
	m := newMarkdown(newColourist())
	f.Fuzz(func(t *testing.T, text string) {
		checkClean(t, text, m.html(text, spot{repo: "/o/n", ref: "main", dir: "d"}))
	})
}

func TestColourKeepsTheText(t *testing.T) {
	for name, code := range map[string]string{
		"a.go": "package a\n\n// <b>\nfunc f() string { return `x\ny` }\n", "a.py": "def f():\n    return '<'\n", "a.html": "<p onclick=x>&amp;</p>\n", "none": "plain <text>\n", "crlf.go": "package a\r\nvar x = 1\r\n", "a.json": "{\"a\": 1}", "a.sh": "echo \"$X\" <<EOF\n</script>\nEOF\n",
	} {
		lines := colour(name, code)
		var text []string
		for _, l := range lines {
			n, err := html.Parse(strings.NewReader(string(l)))
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					b.WriteString(d.Data)
				}
				if d.Type == html.ElementNode && d.Data != "span" && d.Data != "html" && d.Data != "head" && d.Data != "body" {
					t.Errorf("%s: colours make <%s>", name, d.Data)
				}
			}
			text = append(text, b.String())
		}
		want := strings.Split(strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n"), "\n")
		if len(text) != len(want) {
			t.Errorf("%s: %d lines, want %d", name, len(text), len(want))
			continue
		}
		for i := range want {
			if strings.TrimSpace(text[i]) != strings.TrimSpace(want[i]) {
				t.Errorf("%s: line %d is %q, want %q", name, i+1, text[i], want[i])
			}
		}
	}
}

func TestCacheForgetsTheOldest(t *testing.T) {
	c := newCache[int, string](2)
	for i := range 5 {
		c.put(i, "x")
	}
	if _, ok := c.get(2); ok {
		t.Error("the cache keeps more than it should")
	}
	for _, i := range []int{3, 4} {
		if _, ok := c.get(i); !ok {
			t.Errorf("the cache forgot %d", i)
		}
	}
}
