// Nostr for the contract test: one strict relay, reached over WebSockets that can fail.
import { nsecEncode, npubEncode } from 'nostr-tools/nip19';
import { parse } from 'nostr-tools/nip10';
import { generateSecretKey, getPublicKey, type NostrEvent } from 'nostr-tools/pure';
import type { WithWebSocket } from '../../../../activities/egress/guarded-websocket.ts';
import { createSafeFetch } from '../../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../../activities/egress/url-guard.ts';
import { nostr as definition } from '../../../../schema/platforms/nostr.ts';
import type { NetworkFacts, NetworkSubject, PublicPost } from '../contract/subject.ts';
import type { Switchboard } from '../faults.ts';
import { deadRelay } from './author.ts';
import { startRelay } from './server.ts';

export const nostrFacts: NetworkFacts = {
  name: 'nostr',
  options: [
    {
      given: { hashtags: ['Fanfare', 'fanfare'], content_warning: 'Spoilers' },
      arrives: { hashtags: ['fanfare'], content_warning: 'Spoilers' },
    },
  ],
  // The text has as many bytes as characters.
  textOf: (length) => 'a'.repeat(length),
};

export const nostr: NetworkSubject = {
  ...nostrFacts,
  resolution: 'key',
  calls: { commit: 1, reconcile: 1 },
  // No message to a relay carries a token.
  publicStages: ['commit', 'reconcile'],
  isUnavailableSafe: true,
  hasNoRetryAfter: true,
  textLimit: definition.rules.text.max,
  refusal: { platformCode: 'blocked', message: 'blocked: you are banned from posting here' },
  start,
};

async function start(switchboard: Switchboard) {
  const hanging = new Map<string, AbortController>();
  const relay = await startRelay({ onHang: (callId) => hanging.get(callId)?.abort() });
  const guard = createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] });
  const safeFetch = createSafeFetch({ guard });
  let calls = 0;

  const withWebSocket: WithWebSocket = (url, signal, use) =>
    switchboard.take((fault) => {
      if (fault === undefined) return safeFetch.withWebSocket(url, signal, use);
      if (fault === 'refused') return safeFetch.withWebSocket(deadRelay, signal, use);
      const callId = String(++calls);
      const hang = new AbortController();
      hanging.set(callId, hang);
      const until = AbortSignal.any([signal, hang.signal]);
      return safeFetch.withWebSocket(`${url}?fault=${fault}&call=${callId}`, until, use);
    });

  const key = generateSecretKey();
  const private_key = nsecEncode(key);
  return {
    env: { FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' },
    credentials: { private_key, relays: relay.url },
    wrongCredentials: [
      {
        field: 'private_key',
        credentials: { private_key: npubEncode(getPublicKey(key)), relays: relay.url },
      },
      { field: 'relays', credentials: { private_key, relays: deadRelay } },
    ],
    tools: { withWebSocket },
    listPosts: () => relay.events.map(toPost),
    listSecrets: () => [private_key, Buffer.from(key).toString('hex')],
    async [Symbol.asyncDispose]() {
      await relay[Symbol.asyncDispose]();
      await safeFetch.close();
    },
  };
}

export function toPost(event: NostrEvent): PublicPost {
  const valuesOf = (name: string) =>
    event.tags.filter((tag) => tag[0] === name).map(([, value]) => value);
  return {
    id: event.id,
    text: event.content,
    replyTo: parse(event).reply?.id ?? null,
    options: { hashtags: valuesOf('t'), content_warning: valuesOf('content-warning')[0] },
  };
}
