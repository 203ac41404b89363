// What the page of a review link shows: the post, its target, and the creator as TikTok describes them now.
import { publicTypes } from '../../activities/platforms/public-urls.ts';
import { readUrl } from '../../activities/platforms/platform-answer.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import { listMediaById } from '../../schema/database/media/rows.ts';
import { getPostRow, type PostWithResults } from '../../schema/database/posts/posts.ts';
import type { FoundReviewLink } from '../../schema/database/posts/review-links.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import {
  interactions,
  privacyLevelsOf,
  type Interaction,
  type PrivacyLevel,
} from '../../schema/platforms/tiktok.ts';
import { AppError, type Issue } from '../../schema/wire/errors.ts';
import { render } from '../../schema/wire/names.ts';
import { askCreator } from '../accounts/creator.ts';
import type { Context } from '../http/context.ts';
import { brandOf, type Brand } from '../http/pages/brand.ts';
import { PageError, type PageContext, type Texts } from '../http/pages/texts.ts';
import { requirePlatform } from '../platforms/absence.ts';
import { checkSchedule } from '../posts/checks/schedule.ts';
import { isError } from '../posts/checks/target-issues.ts';
import { checkTargets } from '../posts/checks/targets.ts';
import { listCopiedDefaults, toTargetInput } from '../posts/stored-post.ts';
import { findTargets, reviewed, type ReviewedTarget } from './target.ts';

/** A link with its post. */
export interface Review {
  link: FoundReviewLink;
  texts: Texts;
  scope: RowScope;
  brand: Brand;
  stored: PostWithResults;
  /** Undefined: the post no longer goes to the account of the link. */
  target: ReviewedTarget | undefined;
}

/** Only the sandbox has test accounts. */
export const scopeOf = ({ project_id: projectId }: FoundReviewLink): RowScope => ({
  projectId,
  environment: 'production',
});

export async function readReview(context: PageContext, link: FoundReviewLink): Promise<Review> {
  const scope = scopeOf(link);
  const stored = await getPostRow(context.db, scope, link.post_id);
  return {
    link,
    texts: context.texts,
    scope,
    brand: brandOf(await getProjectRow(context.db, scope.projectId)),
    stored,
    target: findTargetOf(link, stored),
  };
}

/** Undefined: the post no longer goes to the account, or only to its inbox. */
export function findTargetOf(
  { social_account_id: accountId }: FoundReviewLink,
  stored: PostWithResults,
): ReviewedTarget | undefined {
  return findTargets(stored).find(
    ({ result }) =>
      result.social_account_id === accountId && result.platform_options['mode'] !== 'inbox',
  );
}

/** What the form offers. */
export interface Offer {
  name: string;
  username: string | null;
  pictureUrl: string | null;
  levels: readonly PrivacyLevel[];
  /** The creator has turned these off at TikTok. */
  off: readonly Interaction[];
  media: readonly ShownMedia[];
  isVideo: boolean;
  /** Networks that the post goes to as well. */
  others: readonly string[];
  /** The client's ID of the creator. Null: the client gave none. */
  externalUserId: string | null;
  /** Null: the post is published at once. */
  publishAt: Date | null;
}

export interface ShownMedia {
  url: string;
  isVideo: boolean;
  altText: string | null;
}

/** Asks TikTok. Throws if the creator can't publish the post now. */
export async function readOffer(
  context: Context,
  { scope, stored }: Review,
  target: ReviewedTarget,
): Promise<Offer> {
  const platform = requirePlatform(context.platforms, reviewed.name);
  const account = await getAccountRow(context.db, scope, target.result.social_account_id);
  const { name, username, avatarUrl, reason, traits } = await askCreator(
    context,
    platform,
    account,
  );
  if (reason !== null) throw new AppError('conflict', `${reason} Try again later.`);
  if (name === null) {
    throw new PageError('conflict', ({ share }) => share.failures.noPosts(reviewed.title));
  }
  await requirePublishableMedia(context, scope, stored);
  const known = { ...account.traits, ...traits };
  const media = await listShown(context, scope, stored, target);
  return {
    name,
    username,
    pictureUrl: avatarUrl && readUrl(avatarUrl),
    levels: privacyLevelsOf(known),
    off: interactions.filter((what) => known[`${what}_disabled`] === true),
    media,
    isVideo: media.some(({ isVideo }) => isVideo),
    others: listOthers(context, stored),
    externalUserId: account.external_user_id,
    publishAt: timeOf(context, stored),
  };
}

/** A scheduled post keeps its time, and so does a draft with a time that is still ahead. Null: now. */
export function timeOf({ config }: Context, { post }: PostWithResults): Date | null {
  const { status, scheduled_at: at } = post;
  if (status === 'scheduled' || at === null) return at;
  return checkSchedule(config, { scheduled_at: at.toISOString() }).length === 0 ? at : null;
}

function listOthers({ platforms }: Context, { results }: PostWithResults): string[] {
  const names = results.map(({ platform }) => platform).filter((name) => name !== reviewed.name);
  return [...new Set(names)].map((name) => platforms.get(name)?.definition.title ?? name);
}

/** Throws if a network refuses the media, which the creator can't change on the page. */
async function requirePublishableMedia(
  context: Context,
  scope: RowScope,
  stored: PostWithResults,
): Promise<void> {
  const { issues } = await checkTargets(context, scope, toTargetInput(stored), {
    publishAt: new Date(),
    isDraft: false,
    isHashed: false,
    copied: listCopiedDefaults(stored),
  });
  const ofMedia = issues.filter(isError).filter(({ issue }) => issue.path.includes('media'));
  const tooLong = ofMedia.find(({ issue }) => issue.code === 'media_too_long')?.issue;
  const messages = new Set(ofMedia.map(({ issue }) => toSentence(issue)));
  if (tooLong && messages.size === 1) throw tooLongError(tooLong);
  if (messages.size > 0) throw new AppError('conflict', [...messages].join(' '));
}

const toSentence = (issue: Issue) =>
  issue.code === 'media_too_long' ? tooLongError(issue).message : render(issue.message);

const tooLongError = ({ actual, limit }: Issue) =>
  new PageError('conflict', ({ share }) => share.failures.tooLong(Number(limit), Number(actual)));

/** The links of the preview work for as long as a creator may take for the page. */
const shownForMs = 2 * 3_600_000;

async function listShown(
  { db, publicUrls }: Context,
  scope: RowScope,
  { post }: PostWithResults,
  { result }: ReviewedTarget,
): Promise<ShownMedia[]> {
  const items = result.media ?? post.media;
  const ids = items.flatMap(({ id }) => id ?? []);
  const rows = new Map((await listMediaById(db, scope, ids)).map((row) => [row.id, row]));
  return items.flatMap(({ id, alt_text: altText }) => {
    const { content_type: type = null, kind = null } = rows.get(id ?? '') ?? {};
    if (id === null || type === null || !publicTypes.has(type)) return [];
    const media = { projectId: scope.projectId, resultId: result.id, mediaId: id };
    // At this server, even if networks fetch media at another address.
    const { pathname } = new URL(publicUrls.urlOf(media, type, shownForMs));
    return [{ url: pathname, isVideo: kind === 'video', altText }];
  });
}
