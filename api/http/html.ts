// A template tag for HTML: whatever is put into it is escaped, unless it came from the tag itself.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

/** Lists are joined; null, undefined and false leave nothing. Quote every attribute. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(toHtml)));
}

/** Text of a description, where backticks mark code and addresses become links. */
export function prose(text: string | undefined): Html {
  const parts = (text ?? '').split('`');
  // A backtick without its other half is no mark.
  if (parts.length % 2 === 0) return html`${link(text ?? '')}`;
  return html`${parts.map((part, i) => (i % 2 === 0 ? link(part) : html`<code>${part}</code>`))}`;
}

/** In a tab of its own, so that a form keeps what was typed. */
function link(text: string): HtmlValue[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/);
  return parts.map((part, i) =>
    i % 2 === 0 ? part : html`<a href="${part}" target="_blank" rel="noopener">${part}</a>`,
  );
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toHtml(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'object') return value.map(toHtml).join('');
  return String(value).replace(/[&<>"']/g, (character) => entities[character]!);
}
