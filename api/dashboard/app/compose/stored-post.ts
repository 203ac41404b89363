// A stored post as the form changes it.
import type { Medium } from '../media/medium.ts';
import { ownZone, toLocal } from '../browser/days.ts';
import type {
  AccountChoice,
  EditedOptionsData,
  EditedPostData,
  NetworkRules,
} from './compose-documents.ts';
import { newDraft, type AccountDraft, type Draft, type MediumInput, type When } from './draft.ts';
import {
  fromPlatformOptions,
  ofLaterParts,
  toCamelCase,
  type OptionSchema,
  type OptionValues,
} from './options/option-schema.ts';

type Result = EditedPostData['results'][number];
type PostMedium = EditedPostData['media'][number];

export interface StoredPost {
  draft: Draft;
  media: readonly Medium[];
  /** Targets that the form can't show, such as threads with different parts. They stay as they are. */
  areTargetsFixed: boolean;
}

interface Sources {
  post: EditedPostData;
  options: EditedOptionsData;
  rules: readonly NetworkRules[];
}

export function readStoredPost(sources: Sources): StoredPost {
  const { post } = sources;
  const threads = toThreads(post.results);
  const longest = threads.find((thread) => thread.length > 1) ?? [];
  const later = longest.slice(1);
  const areTargetsFixed = threads.some((thread) => !isAlike(thread, longest, sources));
  const draft = {
    ...newDraft(),
    caption: post.caption,
    labels: post.labels.join(', '),
    when: whenOf(post),
  };
  const media = toMedia(post.media, undefined);
  if (areTargetsFixed) return { draft, media, areTargetsFixed };
  return {
    areTargetsFixed,
    media: [...media, ...later.flatMap((part) => toMedia(part.media, part.id))],
    draft: {
      ...draft,
      parts: later.map(({ id, caption }) => ({ key: id, caption })),
      accounts: Object.fromEntries(
        threads.map((thread) => [thread[0]!.socialAccountId, toAccountDraft(thread[0]!, sources)]),
      ),
    },
  };
}

/** The accounts of the post, also those whose logins have ended. */
export function withAccountsOf(
  { results }: EditedPostData,
  accounts: readonly AccountChoice[],
): AccountChoice[] {
  const known = new Set(accounts.map(({ id }) => id));
  const missing = new Map(
    results
      .filter(({ socialAccountId: id }) => !known.has(id))
      .map(({ socialAccountId: id, platform, accountName }) => {
        return [id, { id, platform, accountName, displayName: null }] as const;
      }),
  );
  return [...accounts, ...missing.values()];
}

/** The targets of each account, in the order of their positions. */
function toThreads(results: readonly Result[]): Result[][] {
  const byAccount = Map.groupBy(results, ({ socialAccountId }) => socialAccountId);
  return [...byAccount.values()].map((parts) =>
    parts.toSorted((a, b) => (a.threadPosition ?? 0) - (b.threadPosition ?? 0)),
  );
}

/** Whether the form writes the same thread for this account as it is stored. */
function isAlike(thread: Result[], longest: Result[], sources: Sources): boolean {
  const [first, ...later] = thread;
  const { schema, threads } = rulesOf(first!, sources);
  if (thread.length !== (threads ? Math.max(longest.length, 1) : 1)) return false;
  const expected = ofLaterParts(schema, optionsOf(first!, sources));
  return later.every((part, at) => {
    const other = longest[at + 1]!;
    return (
      part.caption === other.caption &&
      isSame(part.media.map(toMediumInput), other.media.map(toMediumInput)) &&
      isSame(optionsOf(part, sources), expected) &&
      part.firstComment === null &&
      part.inReplyTo === null
    );
  });
}

function toAccountDraft(result: Result, sources: Sources): AccountDraft {
  const { post } = sources;
  const media = result.media.map(toMediumInput);
  return {
    options: optionsOf(result, sources),
    ...(result.caption === post.caption ? {} : { caption: result.caption }),
    ...(result.firstComment ? { firstComment: result.firstComment.text } : {}),
    ...(result.inReplyTo === null ? {} : { inReplyTo: result.inReplyTo }),
    ...(isSame(media, post.media.map(toMediumInput)) ? {} : { media }),
  };
}

function rulesOf({ platform }: Result, { rules }: Sources) {
  const rule = rules.find((one) => one.platform === platform);
  return { schema: (rule?.options ?? {}) as OptionSchema, threads: rule?.threads ?? false };
}

/** Without the defaults of the account, which the API adds again. */
function optionsOf(result: Result, sources: Sources): OptionValues {
  const { options } = sources;
  const found = options.post?.results.find(({ id }) => id === result.id);
  const { schema } = rulesOf(result, sources);
  const values = fromPlatformOptions(schema, found?.platformOptions ?? null);
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !result.defaulted.includes(toCamelCase(name))),
  );
}

function whenOf({ status, schedule, scheduledAt }: EditedPostData): When {
  const time =
    schedule ?? (scheduledAt ? { local: toLocal(scheduledAt), timezone: ownZone } : undefined);
  if (status === 'DRAFT' || !time) return { kind: 'draft' };
  return { kind: 'time', local: time.local.slice(0, 16), timezone: time.timezone };
}

function toMedia(media: readonly PostMedium[], part: string | undefined): Medium[] {
  return media.map((item, at) => {
    const { id, url, altText, ...thumbnail } = toMediumInput(item);
    return {
      key: `${part ?? ''} ${at} ${id ?? url ?? ''}`,
      part,
      name: item.media?.filename ?? url ?? 'File',
      kind:
        item.media?.kind === 'IMAGE' ? 'image' : item.media?.kind === 'VIDEO' ? 'video' : 'other',
      previewUrl: item.media?.url ?? undefined,
      altText: altText ?? '',
      thumbnail,
      ...(id ? { mediaId: id } : {}),
      ...(url ? { url } : {}),
    };
  });
}

function toMediumInput(item: PostMedium): MediumInput {
  const { mediaId, url, altText, thumbnailId, thumbnailAtMs } = item;
  return {
    ...(mediaId === null ? (url === null ? {} : { url }) : { id: mediaId }),
    ...(altText === null ? {} : { altText }),
    ...(thumbnailId === null ? {} : { thumbnailId }),
    ...(thumbnailAtMs === null ? {} : { thumbnailAtMs }),
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
