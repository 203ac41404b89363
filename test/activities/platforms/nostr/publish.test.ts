// Posts to Nostr: the event, its options, replies, and what becomes of it at several relays.
import { createHash } from 'node:crypto';
import { decode, noteEncode } from 'nostr-tools/nip19';
import { finalizeEvent, generateSecretKey, verifyEvent, type NostrEvent } from 'nostr-tools/pure';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkMedia } from '../../../../activities/platforms/media-rules.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { nostr } from '../../../../schema/platforms/nostr.ts';
import { createAuthor, deadRelay, type Author } from '../../../support/networks/nostr/author.ts';
import { linkedMedia } from '../../../support/networks/nostr/linked-media.ts';
import { startRelay, type Relay } from '../../../support/networks/nostr/server.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { prepareTarget } from '../../../support/networks/target.ts';

const signal = AbortSignal.timeout(60_000);
let relay: Relay;
let other: Relay;
let author: Author;
beforeAll(async () => {
  relay = await startRelay();
  other = await startRelay();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});
beforeEach(() => {
  author = createAuthor([relay.url]);
  for (const each of [relay, other]) {
    each.refuse = () => undefined;
    each.needsAuth = 'nothing';
    each.takesAuth = true;
    each.answerWith = undefined;
  }
});

const eventOf = (id: string, at = relay) => at.events.find((event) => event.id === id);
const withoutMark = ({ tags }: NostrEvent) => tags.filter(([name]) => name !== 'nonce');

/** An event of somebody else, which the relay has. */
function addEvent(tags: string[][] = [], kind = 1): NostrEvent {
  const template = { kind, tags, content: 'Theirs', created_at: 1_700_000_000 };
  const event = finalizeEvent(template, generateSecretKey());
  relay.events.push(JSON.parse(JSON.stringify(event)) as NostrEvent);
  return event;
}

describe('a post', () => {
  test('is a signed text note with the time at which it was due', async () => {
    const caption = 'Hello 👩‍👩‍👧 https://example.com\n"\\ \uD800';
    const dueAt = new Date('2026-11-01T10:00:00.999Z');
    const { externalId, url, detail } = await author.publish({ caption, dueAt });
    const event = eventOf(externalId)!;
    expect(event).toMatchObject({
      kind: 1,
      pubkey: author.pubkey,
      created_at: dueAt.getTime() / 1000 - 0.999,
      content: caption.toWellFormed(),
    });
    expect(verifyEvent({ ...event })).toBe(true);
    expect(withoutMark(event)).toEqual([]);
    expect(decode(url!.replace('https://njump.me/', ''))).toMatchObject({
      type: 'nevent',
      data: { id: externalId, author: author.pubkey, kind: 1, relays: [relay.url] },
    });
    expect(detail).toEqual({ relays: [{ relay: relay.url, result: 'accepted' }] });
  });

  test('has its hashtags in lower case, once each, and its content warning', async () => {
    const platformOptions = { hashtags: ['Fanfare', 'fanfare', 'Öl'], content_warning: 'Spoilers' };
    const { externalId } = await author.publish({ platformOptions });
    expect(withoutMark(eventOf(externalId)!)).toEqual([
      ['t', 'fanfare'],
      ['t', 'öl'],
      ['content-warning', 'Spoilers'],
    ]);
  });

  test.each([
    [{ hashtags: ['#a'] }],
    [{ hashtags: ['a b'] }],
    [{ hashtags: [''] }],
    [{ hashtags: Array.from({ length: 21 }, String) }],
    [{ content_warning: '' }],
    [{ content_warning: 'x'.repeat(201) }],
    [{ subject: 'x' }],
  ])('accepts no options %j', (options) => {
    expect(nostr.options.safeParse(options).success).toBe(false);
  });

  test.each([
    ['a', 32_000, 32_001],
    ['\n', 32_000, 32_001],
    ['é', 16_000, 16_001],
  ])(
    'is accepted by a relay with as many %j as the rules allow',
    async (character, most, tooMany) => {
      const textOf = (length: number) => `${character.repeat(length - 1)}x`;
      const check = (text: string) => checkText(nostr, text, { path: ['caption'] });
      expect(check(textOf(tooMany))).toMatchObject([{ code: 'caption_too_long' }]);
      const caption = textOf(most);
      expect(check(caption)).toEqual([]);
      const { externalId } = await author.publish({ caption });
      expect(eventOf(externalId)!.content).toBe(caption);
    },
  );

  test('has the same id however often it is prepared and sent', async () => {
    const target = author.toTarget({ platformOptions: { hashtags: ['a'] } });
    const first = await author.publish(target);
    const second = await author.publish(target);
    expect(second.externalId).toBe(first.externalId);
    expect(second.detail).toEqual({
      relays: [
        { relay: relay.url, result: 'accepted', message: 'duplicate: already have this event' },
      ],
    });
    expect(relay.events.filter(({ pubkey }) => pubkey === author.pubkey)).toHaveLength(1);
  });

  test('differs from a post with the same text in the same second', async () => {
    const dueAt = new Date();
    const ids = [await author.publish({ dueAt }), await author.publish({ dueAt })];
    expect(ids[0]!.externalId).not.toBe(ids[1]!.externalId);
  });

  test('keeps the time for which it was prepared', async () => {
    const target = author.toTarget({ dueAt: new Date(0) });
    const state = await prepareTarget(author.nostr, target, signal);
    const outcome = await author.nostr.commit({ ...target, state, dueAt: new Date() }, signal);
    expect(outcome).toMatchObject({ outcome: 'published' });
    expect(relay.events.at(-1)).toMatchObject({ pubkey: author.pubkey, created_at: 0 });
  });
});

describe('a post with media', () => {
  const url = 'https://example.com/a.jpg';
  const video = linkedMedia('https://example.com/b.mp4', {
    kind: 'video',
    contentType: 'video/mp4',
    width: 1_280,
    height: 720,
    altText: 'A parade\nwith a cut \uD800',
  });

  test('links to each file on a line of its own, and describes it', async () => {
    const media = [linkedMedia(url), video];
    const { externalId } = await author.publish({ caption: 'Look!', media });
    const event = eventOf(externalId)!;
    expect(event.content).toBe(`Look!\n${url}\n${video.url}`);
    expect(verifyEvent({ ...event })).toBe(true);
    expect(withoutMark(event)).toEqual([
      ['imeta', `url ${url}`, 'm image/jpeg', 'dim 3024x4032', `x ${media[0]!.sha256}`],
      [
        'imeta',
        `url ${video.url}`,
        'm video/mp4',
        'dim 1280x720',
        `x ${video.sha256}`,
        'alt A parade\nwith a cut \uFFFD',
      ],
    ]);
  });

  test('needs no text', async () => {
    const { externalId } = await author.publish({ caption: '', media: [linkedMedia(url)] });
    expect(eventOf(externalId)!.content).toBe(url);
  });

  test('does not repeat a URL of its text', async () => {
    const media = [linkedMedia(url), linkedMedia(`${url}g`), linkedMedia(`${url}g`)];
    const { externalId } = await author.publish({ caption: `Look: ${url} there`, media });
    expect(eventOf(externalId)!.content).toBe(`Look: ${url} there\n${url}g`);
  });

  test('has the same id however often it is prepared and sent', async () => {
    const target = author.toTarget({ media: [linkedMedia(url), video] });
    const { externalId } = await author.publish(target);
    expect((await author.publish(target)).externalId).toBe(externalId);
    expect(await author.nostr.reconcile!(target, signal)).toMatchObject({
      published: { externalId },
    });
  });

  test('is accepted with a URL longer than an indexed tag may be', async () => {
    const long = linkedMedia(`https://example.com/${'x'.repeat(2_000)}`);
    const { externalId } = await author.publish({ media: [long] });
    expect(eventOf(externalId)!.content).toBe(`Hello\n${long.url}`);
  });

  test('counts the URLs with the text', () => {
    const check = (length: number) =>
      checkText(nostr, 'a'.repeat(length), { path: ['caption'], media: [{ url }, { url: null }] });
    const most = 32_000 - url.length - 1;
    expect(check(most)).toEqual([]);
    expect(check(most + 1)).toMatchObject([
      { code: 'caption_too_long', actual: 32_001, limit: 32_000 },
    ]);
  });

  test('must have a URL for each file', () => {
    const facts = {
      kind: 'image',
      contentType: 'image/avif',
      bytes: 400_000_000,
      width: 10_000,
      height: 1,
      durationMs: null,
      altText: 'x'.repeat(1_001),
      url: null,
    } as const;
    const place = { path: ['media'], pathOf: (i: number) => ['media', i], autoFit: true };
    const { errors } = checkMedia('Nostr', nostr.rules.media, [facts], place);
    expect(errors.map(({ code }) => code)).toEqual(['media_url_required', 'alt_text_too_long']);
    const { errors: none, warnings } = checkMedia(
      'Nostr',
      nostr.rules.media,
      [{ ...facts, url, altText: 'x'.repeat(1_000) }],
      place,
    );
    expect([none, warnings]).toEqual([[], []]);
  });
});

describe('a reply', () => {
  const publishReply = async (replyTo: string) =>
    withoutMark(eventOf((await author.publish({ replyTo })).externalId)!);

  test('names a parent that began the thread as the root, and everyone in the thread', async () => {
    const parent = addEvent([
      ['p', 'b'.repeat(64), 'wss://hint.test'],
      ['p', 'no key'],
    ]);
    expect(await publishReply(parent.id)).toEqual([
      ['e', parent.id, relay.url, 'root', parent.pubkey],
      ['p', parent.pubkey],
      ['p', 'b'.repeat(64)],
    ]);
  });

  test('names the root that its parent names', async () => {
    const root = 'c'.repeat(64);
    const parent = addEvent([
      ['e', root, 'wss://hint.test', 'root'],
      ['e', 'd'.repeat(64), '', 'reply'],
    ]);
    expect(await publishReply(parent.id)).toEqual([
      ['e', root, 'wss://hint.test', 'root'],
      ['e', parent.id, relay.url, 'reply', parent.pubkey],
      ['p', parent.pubkey],
    ]);
  });

  test('drops hints that relays would refuse, and mentions at most 100 people', async () => {
    const people = Array.from({ length: 300 }, (_, i) => ['p', String(i).padStart(64, '0')]);
    const parent = addEvent([['e', 'c'.repeat(64), `wss://${'x'.repeat(300)}`, 'root'], ...people]);
    const tags = await publishReply(parent.id);
    expect(tags[0]).toEqual(['e', 'c'.repeat(64), '', 'root']);
    expect(tags.filter(([name]) => name === 'p')).toHaveLength(100);
  });

  test.each([[noteEncode('a'.repeat(64))], ['A'.repeat(64)], ['a'.repeat(63)], ['']])(
    'is checked before it is sent: %j',
    (id) => expect(nostr.rules.replies.id.test(id)).toBe(false),
  );

  test('is refused if its parent is no text note', async () => {
    const error = await refusal(author.publish({ replyTo: addEvent([], 30_023).id }));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'parent_not_found' },
    });
  });

  test('is refused if no relay has its parent, and waits for relays that are away', async () => {
    const replyTo = 'e'.repeat(64);
    const options = { platformCode: 'parent_not_found' };
    expect(await refusal(author.publish({ replyTo }))).toMatchObject({ kind: 'rejected', options });
    const both = createAuthor([relay.url, deadRelay]);
    const error = await refusal(both.publish({ replyTo }));
    expect(error).toMatchObject({ kind: 'unavailable', options });
    expect(error.message).toContain(`${relay.url}: searched; ${deadRelay}: connect ECONNREFUSED`);
  });

  test('does not trust a relay that changes the parent', async () => {
    const parent = addEvent();
    const forged = { ...parent, pubkey: author.pubkey };
    relay.answerWith = ([, id]) => JSON.stringify(['EVENT', id, forged]);
    const error = await refusal(author.publish({ replyTo: parent.id }));
    expect(error).toMatchObject({ options: { platformCode: 'parent_not_found' } });
  });
});

describe('several relays', () => {
  test('publish if one of them accepts the post, and the result of each relay is reported', async () => {
    other.refuse = () => 'blocked: you are banned';
    await using silent = await startRelay();
    silent.answerWith = () => null;
    const relays = [deadRelay, other.url, relay.url, silent.url];
    const { detail, url, externalId } = await createAuthor(relays).publish();
    expect(detail).toEqual({
      relays: [
        { relay: deadRelay, result: 'unreachable', message: 'connect ECONNREFUSED 127.0.0.1:2' },
        { relay: other.url, result: 'refused', message: 'blocked: you are banned' },
        { relay: relay.url, result: 'accepted' },
        { relay: silent.url, result: 'no_answer', message: 'It did not answer in time.' },
      ],
    });
    expect(decode(url!.replace('https://njump.me/', ''))).toMatchObject({
      data: { relays: [relay.url] },
    });
    expect(eventOf(externalId)).toBeDefined();
  });

  test('accept a repeated post: a refusal as a duplicate counts as success', async () => {
    relay.refuse = () => 'duplicate: already have this event';
    const { detail } = await author.publish();
    expect(detail).toMatchObject({ relays: [{ result: 'accepted' }] });
  });

  test('get the same event', async () => {
    const both = createAuthor([relay.url, other.url]);
    const { externalId } = await both.publish();
    expect(eventOf(externalId)).toEqual(eventOf(externalId, other));
  });
});

describe('a relay that asks for authentication', () => {
  test.each(['write', 'read'] as const)('gets a signed answer before a %s', async (needed) => {
    const parent = addEvent();
    relay.needsAuth = needed;
    const { externalId } = await author.publish({ replyTo: parent.id });
    expect(eventOf(externalId)).toBeDefined();
    expect(relay.events.some(({ kind }) => kind === 22_242)).toBe(false);
  });

  test('refuses the post if it does not accept our answer', async () => {
    Object.assign(relay, { needsAuth: 'write', takesAuth: false });
    const error = await refusal(author.publish());
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'restricted' } });
  });

  test('refuses the post if it sends no challenge', async () => {
    relay.refuse = () => 'auth-required: who are you?';
    const error = await refusal(author.publish());
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'auth-required' } });
  });
});

test('the mark of a post is a hash of the result ID, not the ID itself', async () => {
  const resultId = author.toTarget().resultId;
  const { externalId } = await author.publish({ resultId });
  const digest = createHash('sha256').update(resultId).digest('hex').slice(0, 16);
  expect(eventOf(externalId)!.tags).toContainEqual(['nonce', digest, '0']);
});
