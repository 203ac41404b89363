// Checks the targets of a request, and plans the results to write.
import { scheduler } from 'node:timers/promises';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Names, Path } from '../../../schema/wire/names.ts';
import type { RowScope } from '../../../schema/database/row-scope.ts';
import type { MediaItem, QueueRow, SocialAccountRow } from '../../../schema/database/tables.ts';
import { listAccountsById, type AccountRow } from '../../../schema/database/accounts/accounts.ts';
import type { PostIssue } from '../../../schema/posts/posts.ts';
import { createFairPlaces } from '../../../activities/fair-places.ts';
import { factsOf, type MediaFacts } from '../../../activities/platforms/media-rules.ts';
import { optionSchemaOf, rulesOf, withoutRequired } from '../../../activities/platforms/index.ts';
import type { Context } from '../../http/context.ts';
import { explainAbsence } from '../../platforms/absence.ts';
import { checkAccess, unknownAccount, warnOfAccess } from './account-access.ts';
import {
  atAccount,
  splitOptions,
  withDefaults,
  type DefaultedTarget,
  type Options,
} from './default-options.ts';
import { hashContent } from './hash-content.ts';
import type { NamedMedia } from './media.ts';
import { checkContent, checkOwnOptions } from './network-rules.ts';
import { checkTargetMedia, readAllMedia, type RequestMedia } from './request-media.ts';
import { readTargets, type RequestTarget, type TargetInput } from './request-targets.ts';
import { error, isError, ofDraft, requireWarnings, type TargetIssue } from './target-issues.ts';
import { checkThreads, orderThreads, warnOfRepeats } from './threads.ts';
import { checkWholePost } from './whole-post.ts';

export interface PlannedTarget {
  /** The position in the request's list. */
  index: number;
  account: SocialAccountRow;
  /** The path of the account in the request. */
  path: Path;
  caption: string | null;
  /** Null: the media of the post. */
  media: readonly MediaItem[] | null;
  /** The target's own options. An option with the value null doesn't get the account's default. */
  platformOptions: Options;
  /** The account's defaults for options that the target doesn't set. */
  defaultOptions: Options;
  /** Null: the client has given the request an idempotency key, so its content isn't compared to find a repeat. */
  contentHash: string | null;
  threadPosition: number | null;
  inReplyTo: string | null;
  firstComment: string | null;
}

export interface CheckedTargets {
  issues: TargetIssue[];
  accounts: ReadonlyMap<string, SocialAccountRow>;
  /** The post's media. */
  media: readonly MediaItem[];
  /** Empty if an issue is an error. */
  targets: PlannedTarget[];
  /** The time of the database. Undefined: no account was found. */
  checkedAt: Date | undefined;
}

interface CheckOptions {
  publishAt: Date;
  /** Whether the post stays a draft, which may lack parts. */
  isDraft: boolean;
  /** Whether the content is compared with the content of other posts. */
  isHashed: boolean;
  /**
   * Defaults that were copied into the targets before, in the order of the request. Null or absent: the
   * target gets the current defaults of its account.
   */
  copied?: readonly (Options | null)[];
  /** The queue that the post takes a slot of. Its accounts are the only targets that the post may have. */
  queue?: Pick<QueueRow, 'account_ids'> | undefined;
}

/** Throws one error with all issues. Does not compare the content with the content of other posts. */
export async function planTargets(
  context: Context,
  scope: RowScope,
  input: TargetInput,
  { names, ...given }: Omit<CheckOptions, 'isHashed'> & { names: Names },
): Promise<Pick<CheckedTargets, 'media' | 'targets'> & { warnings: PostIssue[] }> {
  const options = { ...given, isHashed: false };
  const { issues, accounts, media, targets } = await checkTargets(context, scope, input, options);
  return { media, targets, warnings: requireWarnings(issues, accounts, names) };
}

const longCaption = 1_000;
const inPlace = createFairPlaces(1);

/** Counting a long caption takes up to 50 ms for some networks, so other work may run before each count. */
function inTurn<T>(projectId: string, work: () => T): Promise<T> {
  return inPlace(projectId, async () => {
    await scheduler.yield();
    return work();
  });
}

/** An account outside the scope counts as unknown. */
export async function checkTargets(
  context: Context,
  scope: RowScope,
  input: TargetInput,
  { publishAt, isDraft, isHashed, copied = [], queue }: CheckOptions,
): Promise<CheckedTargets> {
  const { named: given, issue } = readTargets(input, context.config.maxTargets, queue);
  const rows = await listAccountsById(
    context.db,
    scope,
    given.map((target) => target.accountId),
  );
  const accounts = new Map(rows.map((account) => [account.id, account]));
  const named = given.map((target) =>
    addDefaults(context, target, accounts.get(target.accountId), copied[target.index]),
  );
  const media = await readAllMedia(context, scope, input, named);
  const issues = [
    ...(issue ? [error(issue)] : []),
    ...(queue ? requireAccounts(given, queue) : []),
    ...media.issues,
  ];
  for (const target of named) {
    const account = accounts.get(target.accountId);
    const checkOne = () =>
      checkTarget(context, target, account, { input, media, publishAt, isDraft });
    const { length } = target.own.caption ?? input.caption ?? '';
    issues.push(...(length > longCaption ? await inTurn(scope.projectId, checkOne) : checkOne()));
  }
  issues.push(...checkThreads(named), ...warnOfRepeats(named, input));
  const found = isDraft ? issues.map(ofDraft) : issues;
  const planned = found.some(isError) ? [] : named;
  const targets = planned.map((target) => ({
    ...plan(context, target, accounts.get(target.accountId)!, { media, isDraft }),
    contentHash: isHashed ? hashContent(target, input, media) : null,
  }));
  return {
    issues: found,
    accounts,
    media: media.ofPost.items,
    targets: orderThreads(targets),
    checkedAt: rows[0]?.read_at,
  };
}

function requireAccounts(
  targets: readonly RequestTarget[],
  { account_ids }: Pick<QueueRow, 'account_ids'>,
): TargetIssue[] {
  const message = 'The queue does not have this account.';
  return targets
    .filter(({ accountId }) => !account_ids.includes(accountId))
    .map((target) => error({ path: target.path, code: 'not_in_queue', message }, target));
}

function addDefaults(
  { platforms }: Context,
  target: RequestTarget,
  account: AccountRow | undefined,
  copied: Options | null | undefined,
): DefaultedTarget {
  return withDefaults(target, copied ?? account?.default_options ?? {}, () => {
    const platform = account && platforms.get(account.platform);
    return platform && optionSchemaOf(platform, account.traits);
  });
}

/** What the targets of a request share. */
interface CheckedRequest extends Pick<CheckOptions, 'publishAt' | 'isDraft'> {
  input: TargetInput;
  media: RequestMedia;
}

function checkTarget(
  { platforms }: Context,
  target: DefaultedTarget,
  account: AccountRow | undefined,
  { input, media, publishAt, isDraft }: CheckedRequest,
): TargetIssue[] {
  const refuse = (issue: Omit<Issue, 'path'>) => [error({ path: target.path, ...issue }, target)];
  if (!account) return refuse(unknownAccount);
  const lost = checkAccess(account);
  // A draft keeps the target, so its content is checked too.
  if (lost && !isDraft) return refuse(lost);
  const platform = platforms.get(account.platform);
  if (!platform) {
    const message = `This installation does not publish to ${account.platform}.`;
    return refuse(explainAbsence(platforms, account.platform, message));
  }
  const { definition } = platform;
  const schema = optionSchemaOf(platform, account.traits);
  const network = {
    ...definition,
    rules: rulesOf(platform, account.traits),
    options: isDraft ? withoutRequired(schema) : schema,
  };
  const named = media.ofTarget.get(target) ?? media.ofPost;
  const facts = named.items.map((item) => factsOf(item, media.found.get(item.id ?? '')));
  const issues = [
    ...(lost ? refuse(lost) : []),
    ...checkOwnOptions(platforms, { ...definition, options: schema }, target).map((issue) =>
      error(issue, target),
    ),
    ...checkContent(network, target, input, facts).map((issue) => error(issue, target)),
    ...checkTargetMedia(network, target, input, named, facts),
    ...checkWholePost(network, target, input, named, facts),
    ...checkPublicImages(platforms, network, named, facts).map((issue) => error(issue, target)),
    ...warnOfAccess(platform, account, target, publishAt),
  ];
  return issues.map((issue) => atAccount(target, issue));
}

/** The network fetches images, and can't fetch those of this installation. */
function checkPublicImages(
  { withoutImages = [] }: Context['platforms'],
  { name, title }: PlatformEntry,
  { path }: NamedMedia,
  media: readonly MediaFacts[],
): Issue[] {
  if (!withoutImages.includes(name) || !media.some(({ kind }) => kind === 'image')) return [];
  const message = `${title} fetches images, and this installation has no public address for them.`;
  return [{ path, code: 'media_not_public', message }];
}

function plan(
  { platforms }: Context,
  target: DefaultedTarget,
  account: SocialAccountRow,
  { media: { ofTarget }, isDraft }: Pick<CheckedRequest, 'media' | 'isDraft'>,
): Omit<PlannedTarget, 'contentHash'> {
  const { own, path, index } = target;
  const schema = optionSchemaOf(platforms.get(account.platform)!, account.traits);
  const parsed = isDraft ? withoutRequired(schema) : schema;
  return {
    index,
    account,
    path,
    caption: own.caption ?? null,
    media: ofTarget.get(target)?.items ?? null,
    ...splitOptions(target, parsed.parse(own.platform_options ?? {})),
    threadPosition: own.thread_position ?? null,
    inReplyTo: own.in_reply_to ?? null,
    firstComment: own.first_comment ?? null,
  };
}
