// Markdown of strangers, drawn. The text is taken apart into tokens and each
// token becomes an element here; none of it is ever markup, so there is nothing
// to sanitise: HTML in it is shown as the text it is, addresses are checked, and
// nothing is fetched.

import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import * as act from "./act";
import { decode, resolve } from "./reading";
import { Icon } from "./ui";
import * as s from "./state";

const most = 120_000; // characters drawn at once

export function Markdown({ text, path }: { text: string; path: string }) {
  const tokens = useMemo(() => {
    try {
      return marked.lexer(text.slice(0, most), { gfm: true });
    } catch {
      return null;
    }
  }, [text]);
  if (!tokens) return <pre class="raw">{text}</pre>;
  return (
    <div class="markdown">
      {blocks(tokens, path)}
      {text.length > most && <p class="hint">The rest, {text.length - most} characters, is in the raw text.</p>}
    </div>
  );
}

function blocks(tokens: Token[], path: string): ComponentChildren {
  return tokens.map((t, i) => <Block key={i} token={t} path={path} />);
}

function Block({ token, path }: { token: Token; path: string }) {
  switch (token.type) {
    case "heading": {
      // The page has headings of its own above these.
      const level = Math.min(6, (token as Tokens.Heading).depth + 3) as 4 | 5 | 6;
      const H = `h${level}` as "h4";
      return <H class={"md-h is-" + (token as Tokens.Heading).depth}>{inline(token.tokens, path)}</H>;
    }
    case "paragraph":
      return <p>{inline(token.tokens, path)}</p>;
    case "text":
      return <>{token.tokens ? inline(token.tokens, path) : decode((token as Tokens.Text).text)}</>;
    case "code":
      return (
        <pre class="md-code" tabIndex={0} aria-label={(token as Tokens.Code).lang ? `Code, ${(token as Tokens.Code).lang}` : "Code"}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], path)}</blockquote>;
    case "list": {
      const list = token as Tokens.List;
      const items = list.items.map((item, i) => (
        <li key={i} class={item.task ? "md-task" : undefined}>
          {item.task && <span class="md-box" role="img" aria-label={item.checked ? "done" : "open"}>{item.checked ? "☑" : "☐"}</span>}
          {blocks(item.tokens.filter((t) => t.type !== "checkbox"), path)}
        </li>
      ));
      return list.ordered ? <ol start={typeof list.start === "number" ? list.start : 1}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table": {
      const table = token as Tokens.Table;
      return (
        <div class="md-table" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {table.header.map((c, i) => (
                  <th key={i}>{inline(c.tokens, path)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row, r) => (
                <tr key={r}>
                  {row.map((c, i) => (
                    <td key={i}>{inline(c.tokens, path)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "html":
      return <pre class="md-html">{token.raw.trim()}</pre>;
  }
  return <Inline token={token} path={path} />;
}

function inline(tokens: Token[] | undefined, path: string): ComponentChildren {
  return tokens?.map((t, i) => <Inline key={i} token={t} path={path} />);
}

function Inline({ token, path }: { token: Token; path: string }) {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, path)}</strong>;
    case "em":
      return <em>{inline(token.tokens, path)}</em>;
    case "del":
      return <del>{inline(token.tokens, path)}</del>;
    case "codespan":
      return <code>{decode((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <Link href={(token as Tokens.Link).href} path={path}>
          {inline(token.tokens, path)}
        </Link>
      );
    case "image":
      // Images are named, not loaded: one elsewhere would tell who reads this.
      return (
        <span class="md-image" title={(token as Tokens.Image).href}>
          <Icon name="map" /> {decode((token as Tokens.Image).text) || "image"} <span>{(token as Tokens.Image).href}</span>
        </span>
      );
    case "text":
    case "escape":
      return <>{"tokens" in token && token.tokens ? inline(token.tokens, path) : decode((token as Tokens.Text).text)}</>;
    case "html":
      return <code class="md-html">{token.raw}</code>;
  }
  return <>{token.raw}</>;
}

function Link({ href, path, children }: { href: string; path: string; children: ComponentChildren }) {
  const inside = resolve(href, path);
  if (inside !== null && s.index.value.has(inside)) {
    return (
      <button type="button" class="link" onClick={() => act.reveal(inside)} title={inside}>
        {children}
      </button>
    );
  }
  if (/^https?:\/\//i.test(href)) {
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
        <Icon name="external" />
      </a>
    );
  }
  return (
    <span class="md-dead" title={href}>
      {children}
    </span>
  );
}
