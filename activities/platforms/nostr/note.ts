// The note of a post. Its ID is the hash of its content, so the content is fixed before it is sent.
import { hash } from 'node:crypto';
import { ShortTextNote } from 'nostr-tools/kinds';
import { parse } from 'nostr-tools/nip10';
import { finalizeEvent, type NostrEvent } from 'nostr-tools/pure';
import { z } from 'zod';
import { nostr } from '../../../schema/platforms/nostr.ts';
import type { Target, TargetMedia } from '../platform.ts';
import { writeMediaUrls } from '../text-rules.ts';
import { maxRelayChars } from './credentials.ts';

/** Relays refuse events that mention more people: `hellthread_limit` of nostr-relay. */
const maxPeople = 100;

const Prepared = z.object({ created_at: z.int(), tags: z.array(z.array(z.string())) });

export function prepareNote(target: Target, replyTags: string[][]): z.infer<typeof Prepared> {
  const { hashtags = [], content_warning: warning } = nostr.options.parse(target.platformOptions);
  // Lower case: https://github.com/nostr-protocol/nips/blob/master/24.md
  const topics = new Set(hashtags.map((tag) => tag.toLowerCase()));
  const tags = [
    ...replyTags,
    ...Array.from(topics, (topic) => ['t', topic]),
    // https://github.com/nostr-protocol/nips/blob/master/36.md
    ...(warning === undefined ? [] : [['content-warning', warning]]),
    ...target.media.map(toImeta),
    markOf(target),
  ];
  return { created_at: createdAt(target), tags };
}

/** In seconds. */
export const createdAt = ({ dueAt }: Target) => Math.floor(dueAt.getTime() / 1_000);

/**
 * Distinguishes the post from other posts with the same text in the same second, and lets a search find the
 * post. A nonce of difficulty 0 claims no work.
 * @see https://github.com/nostr-protocol/nips/blob/master/13.md
 */
export function markOf({ resultId }: Target): string[] {
  return ['nonce', hash('sha256', resultId).slice(0, 16), '0'];
}

/**
 * What apps need to show a file before they fetch it.
 * @see https://github.com/nostr-protocol/nips/blob/master/92.md
 */
function toImeta({ url, contentType, sha256, width, height, altText }: TargetMedia): string[] {
  return [
    'imeta',
    `url ${url}`,
    `m ${contentType}`,
    `dim ${width}x${height}`,
    `x ${sha256}`,
    ...(altText === null ? [] : [`alt ${altText.toWellFormed()}`]),
  ];
}

export function signNote({ state, caption, media }: Target, key: Uint8Array): NostrEvent {
  // A lone surrogate has no UTF-8 form, so relays would compute a different ID.
  const content = writeMediaUrls(caption, media).toWellFormed();
  return finalizeEvent({ ...Prepared.parse(state), kind: ShortTextNote, content }, key);
}

/** @see https://github.com/nostr-protocol/nips/blob/master/10.md */
export function toReplyTags(parent: NostrEvent, relay: string): string[][] {
  const { root, profiles } = parse(parent);
  const hint = root?.relays?.[0] ?? '';
  const people = new Set([parent.pubkey, ...profiles.map(({ pubkey }) => pubkey)]);
  return [
    ...(root ? [['e', root.id, hint.length > maxRelayChars ? '' : hint, 'root']] : []),
    ['e', parent.id, relay, root ? 'reply' : 'root', parent.pubkey],
    ...[...people].slice(0, maxPeople).map((pubkey) => ['p', pubkey]),
  ];
}
