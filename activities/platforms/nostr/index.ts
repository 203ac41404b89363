// Nostr: posts signed here, and sent to every relay of the account.
import { neventEncode, npubEncode } from 'nostr-tools/nip19';
import { getPublicKey, validateEvent, verifyEvent, type NostrEvent } from 'nostr-tools/pure';
import { nostr } from '../../../schema/platforms/nostr.ts';
import type { WithWebSocket } from '../../guarded-websocket.ts';
import type { Platform, Published, Target } from '../platform.ts';
import { credentialsInput, readCredentials } from './credentials.ts';
import { failure, toError } from './errors.ts';
import * as notes from './event.ts';
import { createAskRelays, type AskRelays, type Question, type RelayAnswer } from './relay.ts';

export interface NostrSettings {
  withWebSocket: WithWebSocket;
  /** Well under the engine's time for one call. */
  relayTimeoutMs?: number;
}

export function createNostr({ withWebSocket, relayTimeoutMs = 10_000 }: NostrSettings): Platform {
  const askRelays = createAskRelays(withWebSocket, relayTimeoutMs);
  return {
    ...nostr,

    connect: {
      credentials: credentialsInput,
      async run(credentials, signal) {
        const account = readCredentials(credentials);
        const pubkey = getPublicKey(account.key);
        const question = search({ authors: [pubkey], kinds: [0], limit: 1 }, () => false);
        const answers = await askRelays(account, question, signal);
        if (!answers.some(({ result }) => result === 'absent')) {
          throw failure('rejected', 'No relay answers.', answers, 'no_relay', 'relays');
        }
        const accountName = npubEncode(pubkey);
        return {
          externalAccountId: pubkey,
          accountName,
          credentials,
          scope: [],
          tokenExpiresAt: null,
        };
      },
    },

    async prepare(target, signal) {
      if (notes.readPrepared(target)) return target.state;
      const reply = target.replyTo === null ? [] : await findParent(askRelays, target, signal);
      const tags = [...reply, ...notes.optionTags(target), notes.markOf(target)];
      return { created_at: notes.createdAt(target), tags };
    },

    async commit(target, signal) {
      const account = readCredentials(target.credentials);
      const event = notes.signNote(target, account.key);
      const relays = await askRelays(account, announce(event), signal);
      const accepted = relays.filter(({ result }) => result === 'accepted');
      if (accepted.length === 0) throw toError(relays);
      const published = { ...toPublished(event, accepted), detail: { relays } };
      return { outcome: 'published', published };
    },

    async reconcile(target, signal) {
      const { externalAccountId: author } = target;
      const mark = String(notes.markOf(target));
      const since = notes.createdAt(target);
      const question = search(
        { authors: [author], kinds: [notes.noteKind], since, limit: 500 },
        ({ pubkey, tags }) => pubkey === author && tags.some((tag) => String(tag) === mark),
      );
      const answers = await askRelays(readCredentials(target.credentials), question, signal);
      const found = answers.filter(({ event }) => event);
      if (found[0]) return { outcome: 'published', published: toPublished(found[0].event!, found) };
      // A relay that can't be asked gets no second post by a repeat, so the others decide.
      if (answers.some(({ result }) => result === 'absent')) return { outcome: 'absent' };
      throw failure('unavailable', 'No relay says whether it has the post.', answers);
    },
  };
}

async function findParent(askRelays: AskRelays, target: Target, signal: AbortSignal) {
  const id = notes.readEventId(target.replyTo!);
  const question = search({ ids: [id] }, (event) => event.id === id);
  const answers = await askRelays(readCredentials(target.credentials), question, signal);
  const found = answers.find(({ event }) => event);
  if (found) return notes.replyTags(found.event!, found.relay);
  const kind = answers.every(({ result }) => result === 'absent') ? 'rejected' : 'unavailable';
  throw failure(kind, 'No relay has the post to answer.', answers, 'parent_not_found');
}

function announce(event: NostrEvent): Question {
  return {
    message: ['EVENT', event],
    read([type, id, isOk, words = '']) {
      const isTaken = isOk === true || String(words).startsWith('duplicate:');
      if (type !== 'OK' || id !== event.id || !isTaken) return undefined;
      return { result: 'accepted', message: String(words) };
    },
  };
}

function search(filter: object, isIt: (event: NostrEvent) => boolean): Question {
  return {
    message: ['REQ', 'fanfare', filter],
    read([type, , given]) {
      if (type === 'EOSE') return { result: 'absent' };
      if (type !== 'EVENT' || !validateEvent(given) || !isIt(given as NostrEvent)) return undefined;
      const event = given as NostrEvent;
      if (verifyEvent(event)) return { result: 'found', event };
      return { result: 'no_answer', message: 'It has the event with a wrong signature.' };
    },
  };
}

/** The page shows the post to readers without a Nostr app. */
function toPublished({ id, pubkey: author }: NostrEvent, at: RelayAnswer[]): Published {
  const relays = at.slice(0, 3).map(({ relay }) => relay);
  const pointer = neventEncode({ id, author, kind: notes.noteKind, relays });
  return { externalId: id, url: `https://njump.me/${pointer}` };
}
