// The post that is being written, and what the API gets of it.
import type { Medium } from '../media/medium.ts';
import { ownZone } from '../browser/days.ts';
import type { AccountChoice, NetworkRules, PostInput } from './compose-documents.ts';
import {
  ofLaterParts,
  toPlatformOptions,
  type OptionSchema,
  type OptionValues,
} from './options/option-schema.ts';

export type MediumInput = NonNullable<PostInput['media']>[number];

export interface AccountDraft {
  /** Undefined: the text of the post. */
  caption?: string;
  firstComment?: string;
  options: OptionValues;
  /** Undefined: the media of the post. */
  media?: readonly MediumInput[];
  /** The ID, on the network, of the post that this one replies to. */
  inReplyTo?: string;
}

/** A part of a thread after the first one. Its media name its key. */
export interface Part {
  key: string;
  caption: string;
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
  /** Only accounts of networks with threads get them. */
  parts: readonly Part[];
  when: When;
}

export function newDraft(): Draft {
  return { caption: '', labels: '', accounts: {}, parts: [], when: { kind: 'now' } };
}

/** By the clock of this browser. */
export const timeAt = (local: string): When => ({ kind: 'time', local, timezone: ownZone });

/** Whether someone has written or chosen something. */
export function isBegun({ caption, labels, accounts, parts }: Draft, mediaCount: number): boolean {
  const chosen = Object.keys(accounts).length;
  return caption + labels !== '' || chosen + parts.length + mediaCount > 0;
}

/** The draft for these of its accounts. Undefined: for all. */
export function withAccounts(draft: Draft, ids: readonly string[] | undefined): Draft {
  if (ids === undefined) return draft;
  const chosen = Object.entries(draft.accounts).filter(([id]) => ids.includes(id));
  return { ...draft, accounts: Object.fromEntries(chosen) };
}

export type TargetInput = NonNullable<PostInput['platformPosts']>[number];
type OptionsInput = NonNullable<TargetInput['platformOptions']>;

export interface InputParts {
  draft: Draft;
  media: readonly Medium[];
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
}

export function toInput({ draft, media, accounts, rules }: InputParts): PostInput {
  const { caption, labels, when } = draft;
  const later = draft.parts.map(({ key, caption: text }) => {
    return { caption: text, media: toMediaInput(media, key) };
  });
  // In the order in which they were chosen, so that a stored post keeps the order of its targets.
  const platformPosts = Object.entries(draft.accounts).flatMap(([id, own]): TargetInput[] => {
    const platform = accounts.find((account) => account.id === id)?.platform;
    if (!platform) return [];
    const rule = rules.find((one) => one.platform === platform);
    const schema = (rule?.options ?? {}) as OptionSchema;
    // The schema of the options says what they are, and the API checks them.
    const withOptions = (values: OptionValues) => {
      const options = toPlatformOptions(platform, schema, values) as OptionsInput | undefined;
      return options ? { platformOptions: options } : {};
    };
    const isThread = later.length > 0 && rule?.threads === true;
    const first: TargetInput = {
      accountId: id,
      ...(own.caption === undefined ? {} : { caption: own.caption }),
      ...(own.firstComment ? { firstComment: own.firstComment } : {}),
      ...(own.media === undefined ? {} : { media: [...own.media] }),
      ...(own.inReplyTo === undefined ? {} : { inReplyTo: own.inReplyTo }),
      ...withOptions(own.options),
    };
    if (!isThread) return [first];
    const parts = later.map((part) => {
      return { accountId: id, ...part, ...withOptions(ofLaterParts(schema, own.options)) };
    });
    return [first, ...parts].map((part, at) => ({ ...part, threadPosition: at + 1 }));
  });
  return {
    caption,
    labels: labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
    media: toMediaInput(media, undefined),
    ...timeInput(when),
    platformPosts,
  };
}

function toMediaInput(media: readonly Medium[], part: string | undefined): MediumInput[] {
  return media
    .filter((medium) => medium.part === part)
    .flatMap(({ mediaId, url, altText, kind, thumbnail }): MediumInput[] => {
      const own = { ...(altText === '' || kind === 'other' ? {} : { altText }), ...thumbnail };
      if (mediaId !== undefined) return [{ id: mediaId, ...own }];
      return url === undefined ? [] : [{ url, ...own }];
    });
}

function timeInput(when: When) {
  if (when.kind === 'draft') return { status: 'DRAFT' as const };
  if (when.kind === 'queue') return { queueId: when.queueId };
  if (when.kind === 'now') return {};
  return { schedule: { local: when.local, timezone: when.timezone } };
}
