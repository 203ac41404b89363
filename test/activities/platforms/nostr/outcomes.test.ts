// What becomes of a post to Nostr that no relay took: by the words of each, and after a lost answer.
import { finalizeEvent } from 'nostr-tools/pure';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthor, deadRelay, type Author } from '../../../support/networks/nostr/author.ts';
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
  for (const each of [relay, other])
    Object.assign(each, { refuse: () => undefined, answerWith: undefined });
});

describe('a refusal', () => {
  test.each([
    ['blocked: you are banned', 'rejected', 'blocked'],
    ['invalid: event creation date is too far off', 'rejected', 'invalid'],
    ['pow: difficulty 26 is less than 30', 'rejected', 'pow'],
    ['restricted: not allowed to write.', 'rejected', 'restricted'],
    ['mute: no one was listening', 'rejected', 'mute'],
    ['auth-required: register first', 'rejected', 'auth-required'],
    ['rate-limited: slow down there chief', 'rate_limited', 'rate-limited'],
    ['error: could not connect to the database', 'unavailable', 'error'],
    // Not of NIP-01, but real: nostr-relay.
    ["rejected: too many 'p' tags", 'rejected', 'rejected'],
    ['Sorry, members only.', 'rejected', 'refused'],
    ['', 'rejected', 'refused'],
  ])('%j is %s, with the code %s', async (words, kind, platformCode) => {
    relay.refuse = () => words;
    const error = await refusal(author.publish());
    expect(error).toMatchObject({
      kind,
      options: {
        platformCode,
        providerError: { relays: [{ relay: relay.url, result: 'refused' }] },
      },
    });
    expect(error.message).toContain(words);
    expect(JSON.stringify([error.message, error.options])).not.toContain(
      author.credentials.private_key,
    );
  });

  test('applies to the event even without its ID, because there is only one event', async () => {
    relay.answerWith = () => JSON.stringify(['OK', '', false, 'invalid: 280 characters']);
    expect(await refusal(author.publish())).toMatchObject({ kind: 'rejected' });
  });

  test('is kept in part if it is very long', async () => {
    relay.refuse = () => `blocked: ${'x'.repeat(1_000_000)}`;
    expect((await refusal(author.publish())).message.length).toBeLessThan(500);
  });

  test.each([
    ['blocked: no', 'rate-limited: later', 'rate_limited'],
    ['blocked: no', 'error: later', 'unavailable'],
    ['error: later', 'rate-limited: later', 'rate_limited'],
    ['blocked: no', 'pow: no', 'rejected'],
  ])('combines %j of one relay and %j of another as %s', async (one, two, kind) => {
    relay.refuse = () => one;
    other.refuse = () => two;
    const error = await refusal(createAuthor([relay.url, other.url]).publish());
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(`${relay.url}: ${one}; ${other.url}: ${two}`);
  });

  test('counts as unavailable while another relay is away', async () => {
    relay.refuse = () => 'blocked: no';
    const error = await refusal(createAuthor([relay.url, deadRelay]).publish());
    expect(error).toMatchObject({ kind: 'unavailable', options: { platformCode: 'unreachable' } });
  });

  test('does not hide that another relay may have accepted the event', async () => {
    relay.refuse = () => 'blocked: no';
    other.answerWith = () => null;
    const error = await refusal(createAuthor([relay.url, other.url]).publish());
    expect(error).toMatchObject({
      kind: 'unknown_outcome',
      options: { platformCode: 'no_answer' },
    });
  });
});

describe('a missing answer', () => {
  test('counts as unavailable if no relay was reached', async () => {
    const error = await refusal(createAuthor([deadRelay]).publish());
    expect(error).toMatchObject({ kind: 'unavailable', options: { platformCode: 'unreachable' } });
  });

  test.each([
    ['nonsense', '<html>All is well</html>'],
    ['no list', '{"ok":true}'],
    ['the acceptance of another event', JSON.stringify(['OK', 'a'.repeat(64), true, ''])],
    ['nothing', null],
  ])('is an unknown outcome if the relay sends %s', async (_, answer) => {
    relay.answerWith = () => answer;
    expect(await refusal(author.publish())).toMatchObject({ kind: 'unknown_outcome' });
  });

  test('is not concluded from a message of an unknown kind', async () => {
    const target = author.toTarget();
    relay.answerWith = ([type, event]) =>
      JSON.stringify(type === 'EVENT' ? ['OK', (event as { id: string }).id, true] : []);
    expect(await author.publish(target)).toMatchObject({
      detail: { relays: [{ result: 'accepted' }] },
    });
  });
});

describe('reconcile', () => {
  test.each([
    ['as prepared', undefined],
    ['with nothing of what was prepared', {}],
  ])('finds the post %s', async (_what, lost) => {
    const dueAt = new Date(Date.now() - 3_600_000);
    const target = author.toTarget({ dueAt });
    const state = await prepareTarget(author.nostr, target, signal);
    const { detail: _, ...published } = await author.publish({ ...target, state });
    await author.publish({ dueAt });
    const outcome = await author.nostr.reconcile!({ ...target, state: lost ?? state }, signal);
    expect(published).toMatchObject({ visibility: 'public' });
    expect(outcome).toEqual({ outcome: 'published', published });
  });

  test('finds no post of another target, nor of another author', async () => {
    const target = author.toTarget();
    const stranger = createAuthor([relay.url]);
    await stranger.publish({ resultId: target.resultId });
    await author.publish();
    expect(await author.nostr.reconcile!(target, signal)).toEqual({ outcome: 'absent' });
  });

  test('does not trust a relay that makes up a post', async () => {
    const target = author.toTarget();
    const { tags } = (await prepareTarget(author.nostr, target, signal)) as { tags: string[][] };
    const forged = {
      ...finalizeEvent({ kind: 1, tags, content: 'x', created_at: 1 }, createAuthor([]).key),
      pubkey: author.pubkey,
    };
    relay.answerWith = ([, id]) => JSON.stringify(['EVENT', id, forged]);
    expect(await refusal(author.nostr.reconcile!(target, signal))).toMatchObject({
      kind: 'unavailable',
    });
  });

  test('uses the relays that answer', async () => {
    const both = createAuthor([deadRelay, relay.url]);
    const target = both.toTarget();
    expect(await both.nostr.reconcile!(target, signal)).toEqual({ outcome: 'absent' });
    const { externalId } = await both.publish(target);
    expect(await both.nostr.reconcile!(target, signal)).toMatchObject({
      published: { externalId },
    });
  });

  test('is unavailable if no relay answers', async () => {
    const away = createAuthor([deadRelay]);
    const error = await refusal(away.nostr.reconcile!(away.toTarget(), signal));
    expect(error).toMatchObject({ kind: 'unavailable' });
  });
});
