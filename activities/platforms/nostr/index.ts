// Nostr: posts signed here, and sent to every relay of the account.
import { Metadata, ShortTextNote } from 'nostr-tools/kinds';
import { neventEncode, npubEncode } from 'nostr-tools/nip19';
import { getPublicKey, verifyEvent, type NostrEvent } from 'nostr-tools/pure';
import { nostr } from '../../../schema/platforms/nostr.ts';
import type { WithWebSocket } from '../../egress/guarded-websocket.ts';
import type { PlatformErrorOptions } from '../platform-error.ts';
import type { Credentials, Grant, Platform, Published } from '../platform.ts';
import { permanent, preparedAs } from '../results.ts';
import { ConnectInput } from './credentials.ts';
import { createdAt, markOf, prepareNote, signNote, toReplyTags } from './note.ts';
import { createAskRelays, keyOf, toError, type AskRelays } from './relays.ts';

/** `relayTimeoutMs` is well below the engine's timeout for a call. */
export function createNostr(withWebSocket: WithWebSocket, relayTimeoutMs = 10_000): Platform {
  const open = createAskRelays(withWebSocket, relayTimeoutMs);

  /** `whenNone`: options of the error if no relay answers. */
  async function logIn(
    credentials: Credentials,
    signal: AbortSignal,
    whenNone: PlatformErrorOptions = {},
  ): Promise<Grant> {
    const externalAccountId = getPublicKey(keyOf(credentials));
    const profile = { authors: [externalAccountId], kinds: [Metadata], limit: 1 };
    const answers = await open(credentials, signal)(['REQ', 'fanfare', profile]);
    if (!answers.some(({ result }) => result === 'searched')) {
      throw toError('other', 'No relay answers.', answers, whenNone);
    }
    const accountName = npubEncode(externalAccountId);
    const account = { externalAccountId, accountName, problem: null };
    return { credentials, ...permanent, accounts: [account] };
  }

  return {
    definition: nostr,

    connect: [
      {
        kind: 'form',
        fields: ConnectInput,
        run: (credentials, signal) =>
          logIn(credentials, signal, { platformCode: 'no_relay', field: 'relays' }),
      },
    ],

    async prepare(target, signal) {
      const { replyTo, credentials } = target;
      const reply = replyTo === null ? [] : await findParent(open(credentials, signal), replyTo);
      return preparedAs(prepareNote(target, reply));
    },

    async commit(target, signal) {
      const event = signNote(target, keyOf(target.credentials));
      const relays = await open(target.credentials, signal)(['EVENT', event]);
      const accepted = relays.filter(({ result }) => result === 'accepted');
      if (!accepted[0]) throw toError('commit', 'No Nostr relay confirmed the post.', relays);
      const published = { ...toPublished(event, accepted), detail: { relays } };
      return { outcome: 'published', published };
    },

    async reconcile(target, signal) {
      const { externalAccountId: author, credentials } = target;
      const notes = { authors: [author], kinds: [ShortTextNote], since: createdAt(target) };
      const answers = await open(credentials, signal)(['REQ', 'fanfare', { ...notes, limit: 500 }]);
      const mark = String(markOf(target));
      const isIt = (event: NostrEvent) =>
        event.pubkey === author &&
        event.tags.some((tag) => String(tag) === mark) &&
        verifyEvent(event);
      const found = answers.flatMap(({ relay, events = [] }) =>
        events.filter(isIt).map((event) => ({ relay, event })),
      );
      if (found[0]) return { outcome: 'published', published: toPublished(found[0].event, found) };
      // A repeated event adds no second post, so relays without an answer don't matter here.
      if (answers.some(({ result }) => result === 'searched')) return { outcome: 'absent' };
      throw toError('other', 'No relay says whether it has the post.', answers);
    },

    checks: { inspect: ({ credentials }, signal) => logIn(credentials, signal) },
  };
}

async function findParent(ask: AskRelays, id: string): Promise<string[][]> {
  const answers = await ask(['REQ', 'fanfare', { ids: [id], kinds: [ShortTextNote] }]);
  for (const { relay, events = [] } of answers) {
    const parent = events.find((event) => event.id === id && event.kind === ShortTextNote);
    if (parent && verifyEvent(parent)) return toReplyTags(parent, relay);
  }
  const options = { platformCode: 'parent_not_found' };
  throw toError('other', 'No relay has the post to reply to.', answers, options);
}

/** The page shows the post to readers without a Nostr app. */
function toPublished({ id, pubkey: author }: NostrEvent, at: { relay: string }[]): Published {
  const relays = at.slice(0, 3).map(({ relay }) => relay);
  const pointer = neventEncode({ id, author, kind: ShortTextNote, relays });
  return { externalId: id, url: `https://njump.me/${pointer}`, visibility: 'public' };
}
