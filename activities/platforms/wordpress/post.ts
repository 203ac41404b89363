// A post in WordPress's form: its content, its media, its terms, and a mark by which a lost post is found.
import { z } from 'zod';
import { escapeMarkup } from '../../../schema/platforms/text/escape-markup.ts';
import { wordpress } from '../../../schema/platforms/wordpress.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { ProviderState, PublishedPost, Target } from '../platform.ts';
import { toLibrary, toMediaBlock, type Block } from './media.ts';

export function toPost(target: Target): object {
  const { resultId, caption, media, platformOptions, state } = target;
  const options = wordpress.options.parse(platformOptions);
  const { title, excerpt, slug, format, status = 'publish' } = options;
  const { uploads: _, ...terms } = state;
  const library = toLibrary(target);
  const featured =
    options.featured_media === false ? undefined : media.find(({ kind }) => kind === 'image');
  const inContent = media.filter((each) => each !== featured);
  const blocks = inContent.map((each) => toMediaBlock(each, library));
  const content = toContent({ resultId, caption, options }, blocks);
  const texts = { title: title && escapeMarkup(title), excerpt: excerpt && escapeMarkup(excerpt) };
  const featured_media = featured && library.get(featured)!.id;
  return { ...terms, ...texts, content, slug, format, status, featured_media };
}

interface Written {
  resultId: string;
  caption: string;
  options: z.infer<typeof wordpress.options>;
}

/** `media`: the blocks after the text. */
function toContent({ resultId, caption, options }: Written, media: readonly Block[]): string {
  const blocks = [...media];
  // A post needs content.
  if (caption.trim() !== '' || blocks.length === 0) {
    const isHtml = options.content_type === 'html';
    blocks.unshift(...(isHtml ? [{ name: 'html', html: caption }] : toParagraphs(caption)));
  }
  // WordPress keeps the attributes of the first block when a person edits the post, and doesn't show them.
  const mark = { metadata: { fanfare: resultId } };
  return blocks.map((block, i) => toText(block, i ? {} : mark)).join('\n\n');
}

/** The texts of a published post without media. */
export function toEdit({ resultId, caption, platformOptions }: PublishedPost) {
  const options = wordpress.options.parse(platformOptions);
  const { title = '', excerpt = '' } = options;
  return {
    content: toContent({ resultId, caption, options }, []),
    title: escapeMarkup(title),
    excerpt: escapeMarkup(excerpt),
  };
}

export const markOf = (resultId: string) => `"fanfare":${JSON.stringify(resultId)}`;

/** Blocks in the block editor's format. */
function toText({ name, attributes, html }: Block, mark: object): string {
  const all = { ...attributes, ...mark };
  const json = Object.keys(all).length > 0 ? ` ${JSON.stringify(all)}` : '';
  return `<!-- wp:${name}${json} -->\n${html}\n<!-- /wp:${name} -->`;
}

function toParagraphs(caption: string): Block[] {
  const texts = caption
    .trim()
    .replaceAll('\r\n', '\n')
    .split(/\n\s*\n/);
  return texts.map((text) => ({ name: 'paragraph', html: `<p>${toHtml(text)}</p>` }));
}

const url = /(https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]])/;

function toHtml(text: string): string {
  // Every second piece is a URL. WordPress would run a text in brackets as a shortcode.
  const pieces = text.split(url).map((piece) => escapeMarkup(piece).replaceAll('[', '&#091;'));
  const html = pieces.map((piece, i) => (i % 2 === 1 ? `<a href="${piece}">${piece}</a>` : piece));
  return html.join('').replaceAll('\n', '<br>');
}

export const TermExists = z.object({ data: z.object({ term_id: z.int().positive() }) });
const Id = z.object({ id: z.int().positive() });
const Categories = z.array(Id.extend({ name: z.string() }));
/** The answer to creating a tag, which may name an existing tag with this name. WordPress ignores case. */
const Tag = z.union([
  Id.transform(({ id }) => id),
  TermExists.transform(({ data }) => data.term_id),
]);

/**
 * Returns IDs of the terms. Authors may add tags. Only editors may add categories, so missing categories are
 * an error.
 */
export async function prepareTerms(ask: Ask, { platformOptions }: Target): Promise<ProviderState> {
  const { categories, tags } = wordpress.options.parse(platformOptions);
  async function findCategory(name: string): Promise<number> {
    const stored = escapeMarkup(name);
    const query = { search: stored, per_page: '100', _fields: 'id,name' };
    const { body } = await ask('wp/v2/categories', Categories, { query });
    const found = body.find((each) => each.name.toLowerCase() === stored.toLowerCase());
    if (found) return found.id;
    const message = `The WordPress site has no category named "${name}".`;
    throw new PlatformError('rejected', message, { platformCode: 'category_not_found' });
  }
  const createTag = async (name: string) => (await ask('wp/v2/tags', Tag, { json: { name } })).body;
  return {
    ...(categories && { categories: await Promise.all(categories.map(findCategory)) }),
    ...(tags && { tags: await Promise.all(tags.map(createTag)) }),
  };
}
