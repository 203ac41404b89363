// A Nostr account of tests, and the connector that posts for it to relays on loopback.
import { getPublicKey, generateSecretKey } from 'nostr-tools/pure';
import { createNostr } from '../../../../activities/platforms/nostr/index.ts';
import type { Platform, Published, Target } from '../../../../activities/platforms/platform.ts';
import { createSafeFetch } from '../../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../../activities/egress/url-guard.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { prepareTarget } from '../target.ts';

/** A published post with its ID, because Nostr gives every post an ID. */
type PublishedNote = Published & { externalId: string };

export interface Author {
  nostr: Platform;
  key: Uint8Array;
  pubkey: string;
  /** Credentials as they are stored. */
  credentials: { private_key: string; relays: string };
  toTarget(target?: Partial<Target>): Target;
  /** Prepares and commits. */
  publish(target?: Partial<Target>): Promise<PublishedNote>;
}

/** No relay listens at this address. */
export const deadRelay = 'ws://127.0.0.1:2';

export function createConnector(
  allowPrivateCidrs: readonly string[] = ['127.0.0.0/8'],
  relayTimeoutMs = 1_000,
): Platform {
  const { withWebSocket } = createSafeFetch({ guard: createUrlGuard({ allowPrivateCidrs }) });
  return createNostr(withWebSocket, relayTimeoutMs);
}

export function createAuthor(relays: string[], nostr = createConnector()): Author {
  const key = generateSecretKey();
  const pubkey = getPublicKey(key);
  const credentials = {
    private_key: Buffer.from(key).toString('hex'),
    relays: relays.join(' '),
  };

  function toTarget(target: Partial<Target> = {}): Target {
    return {
      resultId: newId('result'),
      externalAccountId: pubkey,
      caption: 'Hello',
      media: [],
      replyTo: null,
      platformOptions: {},
      dueAt: new Date(),
      credentials,
      traits: {},
      state: {},
      ...target,
    };
  }

  async function publish(target?: Partial<Target>): Promise<PublishedNote> {
    const signal = AbortSignal.timeout(30_000);
    const whole = toTarget(target);
    const state = await prepareTarget(nostr, whole, signal);
    const outcome = await nostr.commit({ ...whole, state }, signal);
    if (outcome.outcome !== 'published') throw new Error(`It is ${outcome.outcome}.`);
    return outcome.published as PublishedNote;
  }

  return { nostr, key, pubkey, credentials, toTarget, publish };
}
