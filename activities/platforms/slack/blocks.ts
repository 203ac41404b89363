// Blocks of a message with pictures: the caption, then one block for each picture.
import type { Target } from '../platform.ts';

/**
 * Maximum length of the text in a section: https://docs.slack.dev/reference/block-kit/blocks/section-block
 */
const maxSectionLength = 3_000;
/** Matches a URL without the punctuation that ends a sentence. */
const link = /https?:\/\/[^\s<>]*[^\s<>.,;:!?'")\]}]/g;

/** `files`: IDs of the pictures. @see https://docs.slack.dev/reference/block-kit/blocks/image-block */
export function toBlocks(
  { caption, media, platformOptions }: Target,
  files: readonly string[],
): Record<string, unknown>[] {
  const { blocks, mrkdwn } = platformOptions;
  const text = mrkdwn === true ? toSections(caption) : toRichText(caption);
  const pictures = files.map((id, at) => ({
    type: 'image',
    slack_file: { id },
    // Slack requires an alt text.
    alt_text: media[at]!.altText || media[at]!.filename,
  }));
  return [...((blocks as Record<string, unknown>[] | undefined) ?? text), ...pictures];
}

/** Shows the text as written. A section would format the text, and notify channels that it mentions. */
export function toRichText(text: string) {
  if (text.trim() === '') return [];
  const elements = [];
  let end = 0;
  for (const { 0: url, index } of text.matchAll(link)) {
    if (index > end) elements.push({ type: 'text', text: text.slice(end, index) });
    elements.push({ type: 'link', url });
    end = index + url.length;
  }
  if (end < text.length) elements.push({ type: 'text', text: text.slice(end) });
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }];
}

function toSections(text: string) {
  return splitText(text).map((part) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: part },
  }));
}

/** Cuts the text at the last line break that fits. Without a line break, cuts at the last space. */
function splitText(text: string): string[] {
  const rest = text.trim();
  if (rest.length <= maxSectionLength) return rest === '' ? [] : [rest];
  const head = rest.slice(0, maxSectionLength + 1);
  const cut = [head.lastIndexOf('\n'), head.lastIndexOf(' ')].find((at) => at > 0);
  const at = cut ?? maxSectionLength;
  return [rest.slice(0, at), ...splitText(rest.slice(at))];
}
