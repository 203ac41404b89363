// The blocks of Slack's Block Kit that tests use, and the text that a message with blocks shows.
// https://docs.slack.dev/reference/block-kit/blocks and /composition-objects, read on 2026-11-23.
import { z } from 'zod';

const block_id = z.string().min(1).max(255).optional();
const text = (types: ['plain_text'] | ['plain_text', 'mrkdwn'], max: number) =>
  z.strictObject({
    type: z.enum(types),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
    verbatim: z.boolean().optional(),
  });
const link = z.url({ protocol: /^https?$/ }).max(3_000);
/** "If both are provided then the payload will be rejected." */
const slackFile = z.union([
  z.strictObject({ id: z.string().regex(/^F[A-Z0-9]{8,}$/) }),
  z.strictObject({ url: z.url() }),
]);
const image = {
  type: z.literal('image'),
  alt_text: z.string().min(1).max(2_000),
  title: text(['plain_text'], 2_000).optional(),
  block_id,
};
const richText = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('link'), url: z.url(), text: z.string().min(1).optional() }),
]);
const Block = z.union([
  z.strictObject({
    type: z.literal('section'),
    text: text(['plain_text', 'mrkdwn'], 3_000),
    block_id,
  }),
  z.strictObject({ type: z.literal('divider'), block_id }),
  z.strictObject({ type: z.literal('header'), text: text(['plain_text'], 150), block_id }),
  z.strictObject({ ...image, image_url: link }),
  z.strictObject({ ...image, slack_file: slackFile }),
  z.strictObject({
    type: z.literal('rich_text'),
    elements: z.array(
      z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(richText).min(1) }),
    ),
    block_id,
  }),
]);
type Block = z.infer<typeof Block>;

const blockTypes = new Set(['section', 'divider', 'header', 'image', 'rich_text']);
export const maxBlocks = 50;

/** Returns errors in Slack's own form, such as `must be more than 0 characters [json-pointer:/blocks/0/alt_text]`. */
export function findBlockErrors(blocks: unknown[]): string[] {
  const errors = blocks.flatMap((block, i) => {
    const { type } = block as { type: string };
    if (!blockTypes.has(type)) {
      return [`unsupported type: ${type} [json-pointer:/blocks/${i}/type]`];
    }
    const { error } = Block.safeParse(block);
    return error ? [`${z.prettifyError(error)} [json-pointer:/blocks/${i}]`] : [];
  });
  const isLong = blocks.length > maxBlocks;
  return isLong
    ? [...errors, `no more than ${maxBlocks} items allowed [json-pointer:/blocks]`]
    : errors;
}

/** IDs of the files that the blocks show, with the places of the blocks. */
export function listFiles(blocks: unknown[]): { id: string; at: number }[] {
  return blocks.flatMap((block, at) => {
    const { data } = z.object({ slack_file: z.object({ id: z.string() }) }).safeParse(block);
    return data ? [{ id: data.slack_file.id, at }] : [];
  });
}

/** The text of the message as its readers see it. */
export function readText(blocks: unknown[]): string {
  return blocks.map((block) => textOf(Block.parse(block))).join('');
}

function textOf(block: Block): string {
  if (block.type === 'section' || block.type === 'header') return block.text.text;
  if (block.type !== 'rich_text') return '';
  return block.elements
    .flatMap(({ elements }) => elements)
    .map((element) => (element.type === 'link' ? (element.text ?? element.url) : element.text))
    .join('');
}
