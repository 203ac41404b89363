// Nostr at a real relay: nostr-relay of PyPI.
import { npubEncode, nsecEncode } from 'nostr-tools/nip19';
import { finalizeEvent, verifyEvent, type NostrEvent } from 'nostr-tools/pure';
import { afterAll, describe, expect, test } from 'vitest';
import {
  createAuthor,
  createConnector,
  deadRelay,
  type Author,
} from '../support/networks/nostr/author.ts';
import { linkedMedia } from '../support/networks/nostr/linked-media.ts';
import { startLossyProxy } from '../support/networks/nostr/lossy-proxy.ts';
import { realRelayMaxText, startRealRelay } from '../support/networks/nostr/real-relay.ts';
import { startApp } from '../support/app/app.ts';
import { createTestDatabase } from '../support/rows/database.ts';
import { connectClient } from '../support/networks/contract/live-client.ts';
import { describeLiveCases } from '../support/networks/contract/live-cases.ts';
import { nostrFacts, toPost } from '../support/networks/nostr/subject.ts';
import { refusal } from '../support/checks/platform-refusal.ts';
import { formOf } from '../support/networks/connection.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startRealRelay();
if ('skipped' in started) console.warn(`No Nostr relay here: ${started.skipped}`);
const relay = 'skipped' in started ? undefined : started;
afterAll(() => relay?.stop());

const signal = AbortSignal.timeout(60_000);
const nostr = createConnector(undefined, 5_000);
const newAuthor = (...relays: string[]): Author =>
  createAuthor(relays.length > 0 ? relays : [relay!.url], nostr);

/** What the relay has of an author. */
async function list(pubkey: string): Promise<NostrEvent[]> {
  const events: NostrEvent[] = [];
  const socket = new WebSocket(relay!.url);
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify(['REQ', 'test', { authors: [pubkey] }])),
  );
  await new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const [type, , event] = JSON.parse(String(data)) as [string, string, NostrEvent];
      if (type === 'EVENT') events.push(event);
      else resolve();
    });
  });
  socket.close();
  return events;
}

/** As the relay shows it over HTTP, which is not the way that it came. */
async function read(id: string): Promise<NostrEvent | null> {
  const response = await fetch(`${relay!.url.replace('ws', 'http')}/e/${id}`);
  return response.ok ? ((await response.json()) as NostrEvent) : null;
}

const withoutMark = ({ tags }: NostrEvent) => tags.filter(([name]) => name !== 'nonce');

const env = { FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8' };

describe.skipIf(!relay)('nostr-relay under the contract', () => {
  describeLiveCases({
    ...nostrFacts,
    textLimit: realRelayMaxText,
    start() {
      const { key, pubkey } = newAuthor();
      const private_key = nsecEncode(key);
      const relays = relay!.url;
      return Promise.resolve({
        env,
        credentials: { private_key, relays },
        wrongCredentials: [
          { field: 'private_key', credentials: { private_key: npubEncode(pubkey), relays } },
          { field: 'relays', credentials: { private_key, relays: deadRelay } },
        ],
        listPosts: async () => (await list(pubkey)).map(toPost),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      });
    },
  });
});

describe.skipIf(!relay)('nostr-relay', () => {
  test('connects an account', async () => {
    const { key, pubkey } = newAuthor();
    const { credentials, run } = formOf(nostr);
    const given = { private_key: nsecEncode(key), relays: `${relay!.url}/ ${deadRelay}` };
    const connection = await run(credentials.parse(given), signal);
    expect(connection).toMatchObject({ externalAccountId: pubkey });
  });

  test('publishes a post that can be read back', async () => {
    const author = newAuthor();
    const caption = 'Hello 👩‍👩‍👧 "\\ \u007f\n\t https://example.com é';
    const { externalId, detail } = await author.publish({
      caption,
      platformOptions: { hashtags: ['Fanfare'], content_warning: 'Spoilers' },
    });
    const event = (await read(externalId))!;
    expect(verifyEvent({ ...event })).toBe(true);
    expect(event).toMatchObject({ pubkey: author.pubkey, kind: 1, content: caption });
    expect(withoutMark(event)).toEqual([
      ['t', 'fanfare'],
      ['content-warning', 'Spoilers'],
    ]);
    expect(detail).toEqual({ relays: [{ relay: relay!.url, result: 'accepted' }] });
  });

  test('publishes links to media, with tags that describe each file', async () => {
    const author = newAuthor();
    const image = linkedMedia('https://example.com/a.jpg', { altText: 'A trumpet 🎺' });
    const video = linkedMedia(`https://example.com/${'b'.repeat(300)}.mp4`, {
      kind: 'video',
      contentType: 'video/mp4',
    });
    const target = author.toTarget({ caption: 'Look!', media: [image, video] });
    const { externalId } = await author.publish(target);
    const event = (await read(externalId))!;
    expect(verifyEvent({ ...event })).toBe(true);
    expect(event.content).toBe(`Look!\n${image.url}\n${video.url}`);
    expect(withoutMark(event)).toEqual([
      [
        'imeta',
        `url ${image.url}`,
        'm image/jpeg',
        'dim 3024x4032',
        `x ${image.sha256}`,
        'alt A trumpet 🎺',
      ],
      ['imeta', `url ${video.url}`, 'm video/mp4', 'dim 3024x4032', `x ${video.sha256}`],
    ]);
    expect((await author.publish(target)).externalId).toBe(externalId);
  });

  test('publishes a thread', async () => {
    const author = newAuthor();
    const stranger = newAuthor();
    const { externalId: first } = await stranger.publish();
    const { externalId: second } = await author.publish({ replyTo: first });
    const { externalId: third } = await author.publish({ replyTo: second });
    expect(withoutMark((await read(second))!)).toEqual([
      ['e', first, relay!.url, 'root', stranger.pubkey],
      ['p', stranger.pubkey],
    ]);
    expect(withoutMark((await read(third))!)).toEqual([
      ['e', first, relay!.url, 'root'],
      ['e', second, relay!.url, 'reply', author.pubkey],
      ['p', author.pubkey],
      ['p', stranger.pubkey],
    ]);
  });

  test('stores a post once, however often it is sent', async () => {
    const author = newAuthor();
    const target = author.toTarget();
    const first = await author.publish(target);
    const again = await author.publish(target);
    expect(again.externalId).toBe(first.externalId);
    expect(again.detail).toEqual({
      relays: [{ relay: relay!.url, result: 'accepted', message: 'duplicate: exists' }],
    });
  });

  test('refuses a post in its own words', async () => {
    const author = newAuthor();
    const caption = 'x'.repeat(realRelayMaxText);
    expect(await author.publish({ caption })).toMatchObject({ externalId: expect.any(String) });
    const error = await refusal(author.publish({ caption: `${caption}x` }));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'invalid' } });
    expect(error.message).toContain('280 characters should be enough for anybody');
    const old = await refusal(author.publish({ dueAt: new Date('2001-01-01') }));
    expect(old.message).toContain('978307200 is too old');
  });

  test('refuses a reply to an event that it does not have, or that is no text note', async () => {
    const author = newAuthor();
    const missing = await refusal(author.publish({ replyTo: 'e'.repeat(64) }));
    expect(missing).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'parent_not_found' },
    });
    const created_at = Math.floor(Date.now() / 1000);
    const article = finalizeEvent({ kind: 30_023, tags: [], content: 'x', created_at }, author.key);
    const socket = new WebSocket(relay!.url);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify(['EVENT', article]));
    await new Promise((resolve) => socket.addEventListener('message', resolve));
    socket.close();
    const error = await refusal(author.publish({ replyTo: article.id }));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'parent_not_found' },
    });
  });

  test('is asked for a post whose answer was lost', async () => {
    await using proxy = await startLossyProxy(relay!.url);
    const author = newAuthor(proxy.url);
    const target = author.toTarget();
    expect(await nostr.reconcile!(target, signal)).toEqual({ outcome: 'absent' });
    proxy.losses = 1;
    expect(await refusal(author.publish(target))).toMatchObject({ kind: 'unknown_outcome' });
    await author.publish();
    const found = await nostr.reconcile!(target, signal);
    expect(found).toMatchObject({ outcome: 'published' });
    const { externalId } = await author.publish(target);
    expect(found).toMatchObject({ published: { externalId } });
    expect(await read(externalId)).toMatchObject({ pubkey: author.pubkey });
  });

  test('publishes even if a relay is unreachable, and the attempt lists the result of each relay', async () => {
    const database = await createTestDatabase();
    const app = await startApp({ database, env });
    const private_key = nsecEncode(newAuthor().key);
    const relays = `${deadRelay}, ${relay!.url}`;
    const client = await connectClient(app, {
      platform: 'nostr',
      network: { credentials: { private_key, relays } },
      patienceMs: 10_000,
      onPublished: () => undefined,
    });
    const account_ids = [client.accountId];
    const created = await client.call('POST', '/v1/posts', { caption: 'Hello', account_ids });
    const { id, results } = created.body.data;
    await app.tenant.waitForPost(id);
    const path = `/v1/posts/${id}/results/${results[0].id}`;
    const { body } = await client.call('GET', `${path}/attempts`);
    expect(body.data[0].provider_detail).toEqual({
      relays: [
        { relay: deadRelay, result: 'unreachable', message: 'connect ECONNREFUSED 127.0.0.1:2' },
        { relay: relay!.url, result: 'accepted' },
      ],
    });
    await app.stop();
    await database.drop();
  });
});
