// The post that is being written, and what the API gets of it.
import type {
  AccountChoice,
  EditedPostData,
  NetworkRules,
  PostInput,
} from './compose-documents.ts';
import {
  toPlatformOptions,
  type OptionSchema,
  type OptionValues,
} from './options/option-schema.ts';
import type { Medium } from './use-uploads.ts';

export interface AccountDraft {
  /** Undefined: the text of the post. */
  caption?: string;
  firstComment?: string;
  options: OptionValues;
}

export type When =
  | { kind: 'now' }
  | { kind: 'draft' }
  | { kind: 'time'; local: string; timezone: string }
  | { kind: 'queue'; queueId: string };

export interface Draft {
  caption: string;
  labels: string;
  /** The chosen accounts by their IDs. */
  accounts: Readonly<Record<string, AccountDraft>>;
  when: When;
}

export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function newDraft(chosen: readonly string[] = [], local?: string): Draft {
  return {
    caption: '',
    labels: '',
    accounts: Object.fromEntries(chosen.map((id) => [id, { options: {} }])),
    when: local === undefined ? { kind: 'now' } : { kind: 'time', local, timezone: ownZone },
  };
}

export function draftOf({ caption, labels, status, schedule, scheduledAt }: EditedPostData): Draft {
  const time =
    schedule ?? (scheduledAt ? { local: toLocal(scheduledAt), timezone: ownZone } : undefined);
  return {
    ...newDraft(),
    caption,
    labels: labels.join(', '),
    when: status === 'DRAFT' || !time ? { kind: 'draft' } : { kind: 'time', ...pick(time) },
  };
}

const pick = ({ local, timezone }: { local: string; timezone: string }) => ({
  local: local.slice(0, 16),
  timezone,
});

/** An instant as clocks of this browser's zone show it. */
export function toLocal(at: string | number): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function mediaOf(post: EditedPostData): Medium[] {
  return post.media.map(({ mediaId, altText, url, media }, at) => ({
    key: `${at} ${mediaId ?? url ?? ''}`,
    name: media?.filename ?? url ?? 'File',
    kind: media?.kind === 'IMAGE' ? 'image' : media?.kind === 'VIDEO' ? 'video' : 'other',
    previewUrl: media?.url ?? undefined,
    altText: altText ?? '',
    sizeBytes: 1,
    sentBytes: 1,
    state: 'ready',
    ...(mediaId === null ? {} : { mediaId }),
    ...(mediaId === null && url !== null ? { url } : {}),
  }));
}

type TargetInput = NonNullable<PostInput['platformPosts']>[number];
type MediumInput = NonNullable<PostInput['media']>[number];
type OptionsInput = NonNullable<TargetInput['platformOptions']>;

interface InputParts {
  draft: Draft;
  media: readonly Medium[];
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
}

export function toInput({ draft, media, accounts, rules }: InputParts): PostInput {
  const { caption, when } = draft;
  const platformPosts = accounts.flatMap(({ id, platform }): TargetInput[] => {
    const own = draft.accounts[id];
    if (!own) return [];
    const schema = rules.find((one) => one.platform === platform)?.options as OptionSchema;
    // The schema of the options says what they are, and the API checks them.
    const platformOptions = toPlatformOptions(platform, schema ?? {}, own.options) as
      OptionsInput | undefined;
    return [
      {
        accountId: id,
        ...(own.caption === undefined ? {} : { caption: own.caption }),
        ...(own.firstComment ? { firstComment: own.firstComment } : {}),
        ...(platformOptions ? { platformOptions } : {}),
      },
    ];
  });
  return { caption, ...commonInput(draft, media), ...timeInput(when), platformPosts };
}

/** What new and changed posts share. */
export function commonInput(draft: Draft, media: readonly Medium[]) {
  return {
    labels: draft.labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
    media: media.flatMap(({ mediaId, url, altText, kind }): MediumInput[] => {
      const alt = altText === '' || kind === 'other' ? {} : { altText };
      if (mediaId !== undefined) return [{ id: mediaId, ...alt }];
      return url === undefined ? [] : [{ url, ...alt }];
    }),
  };
}

export function timeInput(when: When) {
  if (when.kind === 'draft') return { status: 'DRAFT' as const };
  if (when.kind === 'queue') return { queueId: when.queueId };
  if (when.kind === 'now') return {};
  return { schedule: { local: when.local, timezone: when.timezone } };
}
