// The markup of Telegram's messages, as far as the tests use it: what is shown of it, or its first fault.
// https://core.telegram.org/bots/api#formatting-options, read on 2026-11-22; the words of the faults are
// those of `parse_html` and `parse_markdown_v2` in https://github.com/tdlib/td.

export type Markup = { text: string } | { fault: string };

export function checkMarkup(text: string, parseMode: string): Markup {
  switch (parseMode.toLowerCase()) {
    case 'html':
      return readHtml(text);
    case 'markdownv2':
      return readMarkdown(text);
    default:
      return { fault: 'unsupported parse_mode' };
  }
}

const tags = new Set(['b', 'i', 'u', 's', 'a', 'code', 'pre', 'tg-spoiler', 'blockquote']);

function readHtml(text: string): Markup {
  const open: string[] = [];
  for (const match of text.matchAll(/<(\/?)([a-z-]+)[^>]*>/gi)) {
    const name = match[2]!.toLowerCase();
    const at = Buffer.byteLength(text.slice(0, match.index));
    if (match[1] === '/') {
      const expected = open.pop();
      if (expected === undefined) {
        return { fault: `can't parse entities: Unexpected end tag at byte offset ${at}` };
      }
      if (name !== expected) {
        const fault = `Unmatched end tag at byte offset ${at}, expected "</${expected}>"`;
        return { fault: `can't parse entities: ${fault}, found "</${name}>"` };
      }
    } else if (tags.has(name)) open.push(name);
    else {
      const fault = `Unsupported start tag "${name}" at byte offset ${at}`;
      return { fault: `can't parse entities: ${fault}` };
    }
  }
  const last = open.pop();
  if (last !== undefined) {
    const fault = `Can't find end tag corresponding to start tag "${last}"`;
    return { fault: `can't parse entities: ${fault}` };
  }
  const shown = text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
  return { text: shown.replaceAll('&amp;', '&') };
}

/** Reads only bold and italic text. */
function readMarkdown(text: string): Markup {
  let shown = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\\') shown += text[++at] ?? '';
    else if (/[[\]()~`>#+\-=|{}.!]/.test(character)) {
      const fault = `Character '${character}' is reserved and must be escaped with the preceding '\\'`;
      return { fault: `can't parse entities: ${fault}` };
    } else if (!/[*_]/.test(character)) shown += character;
  }
  return { text: shown };
}
