// The event that a post becomes: what is fixed before it is sent, so that its id never changes.
import { createHash } from 'node:crypto';
import { parse } from 'nostr-tools/nip10';
import { decode } from 'nostr-tools/nip19';
import { finalizeEvent, type NostrEvent } from 'nostr-tools/pure';
import { z } from 'zod';
import type { Target } from '../platform.ts';
import { PlatformError } from '../platform-error.ts';
import { maxRelayChars } from './credentials.ts';

/** A short text note. https://github.com/nostr-protocol/nips/blob/master/10.md */
export const noteKind = 1;
/** Relays refuse events that name more people: `hellthread_limit` of nostr-relay. */
const maxPeople = 100;

const Prepared = z.object({ created_at: z.int(), tags: z.array(z.array(z.string())) });

export const readPrepared = ({ state }: Target) => Prepared.safeParse(state).data;

/** In seconds. */
export const createdAt = (target: Target) =>
  readPrepared(target)?.created_at ?? Math.floor(target.dueAt.getTime() / 1000);

export function signNote(target: Target, key: Uint8Array): NostrEvent {
  const prepared = readPrepared(target);
  if (!prepared) throw new PlatformError('rejected', 'The post was never prepared.');
  // A lone surrogate has no UTF-8 form, so relays would compute another id.
  const content = target.caption.toWellFormed();
  return finalizeEvent({ ...prepared, kind: noteKind, content }, key);
}

/**
 * Tells the post from every other with the same text in the same second, and finds it, whatever else
 * is lost. A nonce of difficulty 0 claims no work. https://github.com/nostr-protocol/nips/blob/master/13.md
 */
export function markOf({ resultId }: Target): string[] {
  return ['nonce', createHash('sha256').update(resultId).digest('hex').slice(0, 16), '0'];
}

export function optionTags({ platformOptions }: Target): string[][] {
  const { hashtags, content_warning: reason } = platformOptions as Record<string, never>;
  // Lower case: https://github.com/nostr-protocol/nips/blob/master/24.md
  const topics = new Set((hashtags as string[] | undefined)?.map((tag) => tag.toLowerCase()));
  // https://github.com/nostr-protocol/nips/blob/master/36.md
  return [
    ...[...topics].map((tag) => ['t', tag]),
    ...(reason ? [['content-warning', reason]] : []),
  ];
}

export function readEventId(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  try {
    const { type, data } = decode(text);
    if (type === 'note') return data;
    if (type === 'nevent') return data.id;
  } catch {
    // Its checksum is wrong.
  }
  throw new PlatformError('rejected', `${text} is not the id of a Nostr event.`);
}

export function replyTags(parent: NostrEvent, relay: string): string[][] {
  if (parent.kind !== noteKind) {
    const message = `A post can't answer an event of kind ${parent.kind}, only a text note.`;
    throw new PlatformError('rejected', message, { platformCode: 'not_a_note' });
  }
  const { root, profiles } = parse(parent);
  const hint = root?.relays?.[0] ?? '';
  const people = new Set([parent.pubkey, ...profiles.map(({ pubkey }) => pubkey)]);
  return [
    ...(root ? [['e', root.id, hint.length > maxRelayChars ? '' : hint, 'root']] : []),
    ['e', parent.id, relay, root ? 'reply' : 'root', parent.pubkey],
    ...[...people].slice(0, maxPeople).map((pubkey) => ['p', pubkey]),
  ];
}
