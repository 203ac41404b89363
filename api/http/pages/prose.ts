// Text as markup: marks code, and makes links of addresses.
import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** Our own text: backticks mark code, and addresses become links. */
export function prose(text: string | undefined): Html {
  return markCode(text, link);
}

/** Text that may quote a network: backticks mark code, and nothing becomes a link. */
export function plain(text: string): Html {
  return markCode(text, (part) => part);
}

function markCode(
  text: string | undefined,
  show: (part: string) => string | (Html | string)[],
): Html {
  const parts = (text ?? '').split('`');
  // A backtick without its other half marks nothing.
  if (parts.length % 2 === 0) return html`${show(text ?? '')}`;
  return html`${parts.map((part, i) => (i % 2 === 0 ? show(part) : html`<code>${part}</code>`))}`;
}

/** Opens in a new tab, so that a form keeps what was typed. */
function link(text: string): (Html | string)[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/);
  return parts.map((part, i) =>
    i % 2 === 0 ? part : html`<a href="${part}" target="_blank" rel="noopener">${part}</a>`,
  );
}
