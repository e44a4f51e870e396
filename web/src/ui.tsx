// The small parts that every panel is made of.

import { useSignal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { paths } from "./icons";
import { others } from "./kinds";
import { registries, isDark, notes, dropNote } from "./state";
import { kindColours } from "./map/palette";
import type { Severity } from "./wire";

export function Icon({ name, label }: { name: string; label?: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden={label ? undefined : "true"} role={label ? "img" : undefined} aria-label={label}>
      <path d={paths[name] ?? paths.node} />
    </svg>
  );
}

interface ButtonProps extends Omit<ButtonHTMLAttributes, "icon" | "label"> {
  icon?: string;
  label?: string; // for a button that is only a picture
  tone?: "plain" | "main" | "quiet" | "bad";
  small?: boolean;
  pressed?: boolean;
  busy?: boolean;
  disabled?: boolean;
  children?: ComponentChildren;
}

export function Button({ icon, label, tone = "plain", small, pressed, busy, children, class: extra, ...rest }: ButtonProps) {
  const names = ["button", "is-" + tone];
  if (small) names.push("is-small");
  if (!children) names.push("is-bare");
  if (extra) names.push(String(extra));
  return (
    <button type="button" class={names.join(" ")} aria-label={label} title={label} aria-pressed={pressed} aria-busy={busy} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function Chip({ tone, icon, title, children }: { tone?: string; icon?: string; title?: string; children: ComponentChildren }) {
  return (
    <span class={"chip" + (tone ? " is-" + tone : "")} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}

const severityIcon: Record<Severity, string> = { error: "error", warn: "alert", info: "info" };
const severityWord: Record<Severity, string> = { error: "Error", warn: "Warning", info: "Note" };

export function Mark({ severity }: { severity: Severity }) {
  return (
    <span class={"severity is-" + severity}>
      <Icon name={severityIcon[severity]} label={severityWord[severity]} />
    </span>
  );
}

// Kind is the picture of a kind in its colour and shape.
export function Kind({ kind, small }: { kind: string; small?: boolean }) {
  const colour = kind === "ghost" ? "var(--error-fill)" : (kindColours(registries.value, isDark.value)[kind] ?? "var(--ink-3)");
  return (
    <svg class={"kind" + (small ? " is-small" : "")} viewBox="-12 -12 24 24" aria-hidden="true" style={{ color: colour }}>
      {shape(kind)}
    </svg>
  );
}

function shape(kind: string) {
  switch (kind) {
    case "skill":
      return <path d="M-5 -9h10l5.5 9-5.5 9h-10l-5.5-9z" fill="currentColor" />;
    case "command":
    case "plugin":
      return <rect x="-8.5" y="-8.5" width="17" height="17" rx="4" fill="currentColor" />;
    case "workflow":
    case "marketplace":
      return <path d="M0 -11 11 0 0 11-11 0z" fill="currentColor" />;
    case "markdown":
    case "rule":
      return <rect x="-7" y="-9" width="14" height="18" rx="2.5" fill="currentColor" />;
    case "mcp":
      return <path d="M-4 -9.500h8l5.5 5.500v8l-5.5 5.500h-8l-5.5-5.500v-8z" fill="currentColor" />;
    case "ghost":
      return <path d="M0 -8a8 8 0 1 0 0 16 8 8 0 1 0 0-16M-5.5 5.500l11-11" fill="none" stroke="currentColor" stroke-width="2.4" />;
  }
  return <circle r="9.5" fill="currentColor" />;
}

export function kindLabel(kind: string): string {
  if (kind === "ghost") return "Missing";
  const entry = registries.value.kindRegistry[kind];
  return entry?.providers[entry.primaryProviderId]?.label ?? others[kind]?.label ?? kind;
}

export function providerLabel(provider: string): string {
  return registries.value.providerRegistry[provider]?.label ?? provider;
}

// Section is a titled part of a panel that folds.
export function Section({ title, count, tone, open = true, aside, children }: { title: string; count?: number | string; tone?: string; open?: boolean; aside?: ComponentChildren; children: ComponentChildren }) {
  const isOpen = useSignal(open);
  const name = useId();
  // What comes to hold something opens by itself; what a person folded stays.
  useEffect(() => {
    if (open) isOpen.value = true;
  }, [open]);
  return (
    <section class="section">
      <div class="section-head">
        <h3>
          <button type="button" aria-expanded={isOpen.value} aria-controls={name} onClick={() => (isOpen.value = !isOpen.value)}>
            <Icon name="chevron" />
            <span>{title}</span>
            {count !== undefined && <span class={"count" + (tone ? " is-" + tone : "")}>{count}</span>}
          </button>
        </h3>
        {aside}
      </div>
      <div id={name} class="section-body" hidden={!isOpen.value}>
        {isOpen.value && children}
      </div>
    </section>
  );
}

// Segments is a choice among a few, all seen.
export function Segments<T extends string>({ label, value, choices, onChoose }: { label: string; value: T; choices: { value: T; label: string; icon?: string; title?: string }[]; onChoose: (v: T) => void }) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="sr">{label}</legend>
      {choices.map((c) => (
        <label key={c.value} title={c.title} class={c.value === value ? "is-on" : ""}>
          <input type="radio" name={name} value={c.value} checked={c.value === value} onChange={() => onChoose(c.value)} />
          {c.icon && <Icon name={c.icon} />}
          <span>{c.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

// Dialog is modal, closes on Escape, and gives the focus back.
export function Dialog({ title, onClose, wide, children }: { title: string; onClose: () => void; wide?: boolean; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const d = ref.current!;
    const before = document.activeElement as HTMLElement | null;
    d.showModal();
    return () => {
      d.close();
      before?.focus?.();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={"dialog" + (wide ? " is-wide" : "")}
      aria-labelledby={name}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      onMouseDown={(e) => e.target === ref.current && onClose()}
    >
      <div class="dialog-head">
        <h2 id={name}>{title}</h2>
        <Button icon="close" label="Close" tone="quiet" onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

export interface Choice {
  label: string;
  icon?: string;
  hint?: string;
  bad?: boolean;
  checked?: boolean;
  off?: boolean;
  run: () => void;
}

// Menu is a list of actions at a place of the page.
export function Menu({ x, y, choices, onClose, label }: { x: number; y: number; choices: (Choice | null)[]; onClose: () => void; label: string }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = ref.current!;
    const r = box.getBoundingClientRect();
    const left = Math.max(8, Math.min(x, innerWidth - r.width - 8));
    const top = Math.max(8, y + r.height > innerHeight - 8 ? Math.max(8, y - r.height) : y);
    box.style.left = left + "px";
    box.style.top = top + "px";
  });
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    ref.current!.querySelector<HTMLElement>("[role^=menuitem]:not([disabled])")?.focus();
    const away = (e: Event) => !ref.current?.contains(e.target as Node) && onClose();
    document.addEventListener("pointerdown", away, true);
    window.addEventListener("blur", onClose);
    return () => {
      document.removeEventListener("pointerdown", away, true);
      window.removeEventListener("blur", onClose);
      before?.focus?.();
    };
  }, []);
  const step = (by: number) => {
    const items = [...ref.current!.querySelectorAll<HTMLElement>("[role^=menuitem]:not([disabled])")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + by + items.length) % items.length]?.focus();
  };
  return (
    <div
      ref={ref}
      class="menu"
      role="menu"
      aria-label={label}
      onKeyDown={(e) => {
        if (e.key === "Escape" || e.key === "Tab") onClose();
        else if (e.key === "ArrowDown") step(1);
        else if (e.key === "ArrowUp") step(-1);
        else return;
        e.preventDefault();
        e.stopPropagation();
      }}
    >
      {choices.map((c, i) =>
        c === null ? (
          <hr key={i} />
        ) : (
          <button
            key={i}
            type="button"
            role={c.checked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={c.checked}
            class={c.bad ? "is-bad" : ""}
            disabled={c.off}
            onClick={() => {
              onClose();
              c.run();
            }}
          >
            {c.icon ? <Icon name={c.icon} /> : c.checked === undefined ? null : <Icon name={c.checked ? "check" : "none"} />}
            <span>{c.label}</span>
            {c.hint && <kbd>{c.hint}</kbd>}
          </button>
        ),
      )}
    </div>
  );
}

// MenuButton opens a menu below itself.
export function MenuButton({ label, icon, text, choices, tone = "quiet", small }: { label: string; icon: string; text?: string; choices: () => (Choice | null)[]; tone?: "quiet" | "plain"; small?: boolean }) {
  const open = useSignal<{ x: number; y: number } | null>(null);
  return (
    <>
      <Button
        icon={icon}
        label={label}
        tone={tone}
        small={small}
        aria-haspopup="menu"
        aria-expanded={open.value !== null}
        onClick={(e) => {
          const r = (e.currentTarget as HTMLElement).getBoundingClientRect();
          open.value = open.value ? null : { x: r.left, y: r.bottom + 4 };
        }}
      >
        {text}
      </Button>
      {open.value && <Menu {...open.value} label={label} choices={choices()} onClose={() => (open.value = null)} />}
    </>
  );
}

// Copy shows a text that is for another place, and copies it.
export function Copy({ text, label, block }: { text: string; label: string; block?: boolean }) {
  const done = useSignal(false);
  return (
    <div class={"copy" + (block ? " is-block" : "")}>
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <Button
        icon={done.value ? "check" : "copy"}
        label={done.value ? "Copied" : "Copy"}
        tone="quiet"
        small
        onClick={async () => {
          await navigator.clipboard.writeText(text);
          done.value = true;
          setTimeout(() => (done.value = false), 1600);
        }}
      />
    </div>
  );
}

// Blank is a panel that has nothing to show, and says why and what to do.
export function Blank({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="blank">
      <span class="blank-mark">
        <Icon name={icon} />
      </span>
      <p class="blank-title">{title}</p>
      {children && <div class="blank-text">{children}</div>}
    </div>
  );
}

// Absent says that this server does not have a feature, and what it would be.
export function Absent({ what }: { what: string }) {
  return (
    <p class="absent">
      <Icon name="info" />
      <span>{what} This server does not offer it; a newer <code>sm</code> may.</span>
    </p>
  );
}

export function Notes() {
  return (
    <div class="notes" role="region" aria-label="Notices" aria-live="polite">
      {notes.value.map((n) => (
        <div key={n.n} class={"note is-" + n.tone}>
          <Icon name={n.tone === "bad" ? "alert" : n.tone === "good" ? "check" : "info"} />
          <span>{n.text}</span>
          {n.act && (
            <button
              type="button"
              class="link"
              onClick={() => {
                n.act!.run();
                dropNote(n.n);
              }}
            >
              {n.act.label}
            </button>
          )}
          <Button icon="close" label="Dismiss" tone="quiet" small onClick={() => dropNote(n.n)} />
        </div>
      ))}
    </div>
  );
}

// Bar is a share of a whole, as a line.
export function Bar({ parts, label }: { parts: { value: number; tone: string; label: string }[]; label: string }) {
  const sum = parts.reduce((n, p) => n + p.value, 0) || 1;
  return (
    <span class="bar-line" role="img" aria-label={label}>
      {parts
        .filter((p) => p.value > 0)
        .map((p) => (
          <span key={p.label} class={"is-" + p.tone} title={p.label} style={{ flexGrow: p.value / sum }} />
        ))}
    </span>
  );
}

// useClock re-renders now and then, for "2 min ago".
export function useClock(seconds: number): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds]);
  return now.value;
}
