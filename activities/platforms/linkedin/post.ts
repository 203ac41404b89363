// A post as LinkedIn takes it, and how it is found again after a lost answer.
import { z } from 'zod';
import { linkedin, postUrn } from '../../../schema/platforms/linkedin.ts';
import { earliestOf, toComparable } from '../lost-posts.ts';
import type { Ask } from '../network-api.ts';
import type { ReconcileOutcome, Target, TargetMedia } from '../platform.ts';
import { publishedAs } from '../results.ts';
import { postUrl } from './client.ts';
import { withoutAccess } from './comment.ts';
import { fromLittleText, toLittleText } from './little-text.ts';
import { uploadedUrns } from './media.ts';

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api */
export function toPost({ externalAccountId, caption, platformOptions, media, state }: Target) {
  const options = linkedin.options.parse(platformOptions);
  const urns = uploadedUrns(state);
  const content = toContent(options, media, urns);
  return {
    author: externalAccountId,
    commentary: toLittleText(caption),
    visibility: options.visibility ?? 'PUBLIC',
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: [],
      thirdPartyDistributionChannels: [],
    },
    ...(content && { content }),
    lifecycleState: 'PUBLISHED',
    isReshareDisabledByAuthor: options.disable_reshare ?? false,
  };
}

function toContent(
  { link, poll, document_title }: z.infer<typeof linkedin.options>,
  media: readonly TargetMedia[],
  urns: readonly string[],
) {
  if (poll) {
    const { question, options, duration = 'THREE_DAYS' } = poll;
    const texts = options.map((text) => ({ text: text.toWellFormed() }));
    return { poll: { question: question.toWellFormed(), options: texts, settings: { duration } } };
  }
  if (link) {
    const { href, host } = new URL(link.url);
    const description = link.description?.toWellFormed();
    return {
      article: {
        source: href,
        title: (link.title ?? host).toWellFormed(),
        ...(description && { description }),
        ...(urns[0] && { thumbnail: urns[0] }),
      },
    };
  }
  const items = media.map(({ kind, altText }, i) => ({
    id: urns[i]!,
    ...(kind === 'image' && altText && { altText: altText.toWellFormed() }),
    ...(kind === 'document' && document_title && { title: document_title.toWellFormed() }),
  }));
  if (items.length > 1) return { multiImage: { images: items } };
  return items[0] && { media: items[0] };
}

const visibilities = new Map([
  ['PUBLIC', 'public'],
  ['LOGGED_IN', 'public'],
  ['CONNECTIONS', 'followers'],
]);

export const toPublished = (urn: string, visibility: string) =>
  publishedAs(urn, postUrl(urn), visibilities.get(visibility) ?? null);

export const PostUrn = z.string().regex(postUrn);

const Listed = z.object({
  id: z.string(),
  commentary: z.string().default(''),
  visibility: z.string().default(''),
  lifecycleState: z.string().optional(),
  createdAt: z.number(),
  content: z
    .object({
      media: z.object({ id: z.string() }).optional(),
      multiImage: z.object({ images: z.array(z.object({ id: z.string() })) }).optional(),
      article: z.object({ source: z.string() }).optional(),
      poll: z.object({ question: z.string() }).optional(),
    })
    .optional(),
});
type Listed = z.infer<typeof Listed>;
const Page = z.object({ elements: z.array(Listed) });

const pageSize = 100;

/**
 * Searches the account's latest posts. This needs `r_organization_social`. The posts of a member can't be
 * searched, because LinkedIn no longer grants `r_member_social`.
 */
export async function findPost(rest: Ask, target: Target): Promise<ReconcileOutcome> {
  const { externalAccountId: author } = target;
  if (!author.startsWith('urn:li:organization:')) return { outcome: 'unknown' };
  const query = { author, q: 'author', count: pageSize, sortBy: 'CREATED' };
  const headers = { 'x-restli-method': 'FINDER' };
  const page = await rest('/posts', Page, { query, headers }).catch(withoutAccess);
  if (!page) return { outcome: 'unknown' };
  const since = earliestOf(target);
  const recent = page.body.elements.filter(({ createdAt }) => createdAt >= since);
  // The oldest post comes first, since an equal post that a person wrote later comes after it.
  const found = recent.toReversed().find((post) => isSame(post, target));
  if (found) return toPublished(found.id, found.visibility);
  return { outcome: recent.length < pageSize ? 'absent' : 'unknown' };
}

function isSame({ commentary, lifecycleState, content = {} }: Listed, target: Target): boolean {
  if (lifecycleState !== undefined && lifecycleState !== 'PUBLISHED') return false;
  if (toComparable(fromLittleText(commentary)) !== toComparable(target.caption)) return false;
  const { link, poll } = linkedin.options.parse(target.platformOptions);
  if (poll) return content.poll?.question === poll.question;
  if (link) return content.article?.source === new URL(link.url).href;
  const ids = (content.multiImage?.images ?? [content.media ?? []].flat()).map(({ id }) => id);
  if (content.poll || content.article || ids.length !== target.media.length) return false;
  const urns = uploadedUrns(target.state);
  // The IDs may be lost with the state.
  return urns.length < ids.length || ids.every((id, i) => id === urns[i]);
}
