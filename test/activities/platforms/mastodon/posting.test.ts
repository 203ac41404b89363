// Posts to Mastodon: their length, the requests, and refusals.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isGone } from '../../../../activities/platforms/platform-error.ts';
import { check } from '../../../../api/http/validation.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { mastodon as definition } from '../../../../schema/platforms/mastodon.ts';
import { connectNew } from '../../../support/networks/mastodon/connected.ts';
import { limitHeaders } from '../../../support/networks/mastodon/server.ts';
import { startHttp } from '../../../support/receivers/loopback.ts';
import { startCpuTimer } from '../../../support/checks/turn-meter.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const count = definition.rules.text.count!;
const url = 23;

describe('a text', () => {
  test.each<[string, string, number]>([
    ['graphemes', '👩‍👩‍👧‍👦e\u0301', 2],
    ['a URL as a fixed number', 'https://example.com/a/very/long/path?with=a&query=string', url],
    ['a short URL as the same number', 'http://a.io', url],
    ['several URLs', 'https://example.com http://example.org/b', 2 * url + 1],
    ['a URL without what ends the sentence', 'See https://example.com/a.', 4 + url + 1],
    ['a URL with parentheses', '(https://example.com/a_(b))', url + 2],
    ['a URL in another script', 'https://例え.jp/パス', url],
    ['a URL with a port', 'https://example.com:8443/a', url],
    ['no URL without its protocol', 'example.com', 11],
    ['no URL after a letter', 'ahttps://example.com', 20],
    ['no URL without a domain', 'https://localhost', 17],
    ['a mention without its domain', '@ada@mastodon.example', 4],
    ['a mention of the same server', '@ada', 4],
    ['a mention within a sentence', 'Ask @ada@mastodon.example, or @bob', 17],
    ['no mention in an email address', 'ada@mastodon.example', 20],
    ['no mention in a URL', 'https://mastodon.example/@ada@example.com', url],
    ['the text as it is stored', '  Hello \n', 5],
  ])('counts %s', (_what, text, length) => {
    expect(count(text, {})).toBe(length);
  });

  test('counts together with its content warning', () => {
    expect(count('Hello', { spoiler_text: 'Loud' })).toBe(9);
  });

  test('is counted in linear time', () => {
    const cpuMs = startCpuTimer();
    for (const part of ['https://a.', '@a.', 'https://a.io/(', 'https://a.io/?a.', '@a@a.']) {
      count(part.repeat(20_000), {});
    }
    expect(cpuMs()).toBeLessThan(5_000);
  });

  test('is counted just as fast if the server counts a URL as many characters', () => {
    const { count } = definition.rulesFor({ characters_reserved_per_url: 1_000 }).text;
    const cpuMs = startCpuTimer();
    expect(count!('http://a.io '.repeat(8_000), {})).toBe(8_000 * 1_001 - 1);
    expect(cpuMs()).toBeLessThan(500);
  });

  test('is checked against the limits of the server of the account', async () => {
    const limits = { maxCharacters: 60, charactersPerUrl: 30 };
    const { connection, commit, targetOf } = await connectNew(limits);
    const rules = definition.rulesFor(connection.traits!);
    const issuesOf = (caption: string) =>
      checkText({ ...definition, rules }, caption, { path: ['caption'] });
    const most = `https://example.com ${'a'.repeat(29)}`;
    expect(issuesOf(most)).toEqual([]);
    expect(await commit(targetOf({ caption: most }))).toMatchObject({ outcome: 'published' });
    expect(issuesOf(`${most}a`)).toMatchObject([{ code: 'caption_too_long', limit: 60 }]);
    const error = await refusal(commit(targetOf({ caption: `${most}a` })));
    expect(error.message).toContain('Validation failed: Text character limit of 60 exceeded');
  });
});

describe('options', () => {
  test.each([
    [{ visibility: 'limited' }],
    [{ language: 'English' }],
    [{ spoiler_text: ' ' }],
    [{ poll: { options: ['one'], expires_in: 300 } }],
    [{ poll: { options: ['one', 'two'] } }],
    [{ scheduled_at: '2026-11-22T00:00:00Z' }],
  ])('refuse %o', (given) => {
    expect(definition.options.safeParse(given).success).toBe(false);
  });

  const limits = {
    max_options: 3,
    max_characters_per_option: 10,
    min_expiration: 100,
    max_expiration: 200,
  };
  const poll = { options: ['a', 'b', 'é'.repeat(10)], expires_in: 100 };

  test.each([
    [
      'too many answers',
      { options: ['a', 'b', 'c', 'd'] },
      'must have at most 3 items',
      ['options'],
    ],
    [
      'a long answer',
      { options: ['a', 'b'.repeat(11)] },
      'must have at most 10 characters',
      ['options', 1],
    ],
    ['too short a time', { expires_in: 99 }, 'must be at least 100', ['expires_in']],
    ['too long a time', { expires_in: 201 }, 'must be at most 200', ['expires_in']],
    [
      'the same answer twice',
      { options: ['a', ' a'] },
      "can't have the same answer twice",
      ['options'],
    ],
  ])("refuse a poll with %s by the server's own limits", async (_what, change, message, path) => {
    const { connection, commit, targetOf } = await connectNew({ pollLimits: limits });
    const options = definition.optionsFor(connection.traits!);
    const given = { poll: { ...poll, ...change } };
    expect(check(options, given).issues).toMatchObject([{ path: ['poll', ...path], message }]);
    const error = await refusal(commit(targetOf({ platformOptions: trimmed(given.poll) })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '422' } });
  });

  test('take a poll at the limits of the server', async () => {
    const { connection, commit, targetOf } = await connectNew({ pollLimits: limits });
    const options = definition.optionsFor(connection.traits!);
    for (const expires_in of [100, 200]) {
      const platformOptions = options.parse({ poll: { ...poll, expires_in } });
      const outcome = await commit(targetOf({ caption: `${expires_in}`, platformOptions }));
      expect(outcome).toMatchObject({ outcome: 'published' });
    }
  });

  test('leave a poll to a server that reports no limits', async () => {
    const { connection } = await connectNew({ pollLimits: null });
    const given = {
      poll: { options: Array.from({ length: 100 }, (_, i) => `${i}`), expires_in: 1 },
    };
    expect(definition.optionsFor(connection.traits!).parse(given)).toEqual(given);
  });

  const trimmed = ({ options, ...rest }: typeof poll) => ({
    poll: { ...rest, options: options.map((option) => option.trim()) },
  });
});

describe('a reply', () => {
  test.each([
    ['private', undefined, 'private'],
    ['direct', undefined, 'direct'],
    ['private', 'public', 'public'],
    ['public', 'unlisted', 'unlisted'],
    // The account's own setting decides, and may be stricter.
    ['unlisted', undefined, undefined],
  ] as const)(
    'to a %s post with the option %s is published as %s',
    async (answered, given, expected) => {
      const { network, prepare, commit, targetOf } = await connectNew();
      const { id } = network.addStatus({ text: 'Hello', options: { visibility: answered } });
      const platformOptions = given === undefined ? {} : { visibility: given };
      const target = targetOf({ caption: 'Well', replyTo: id, platformOptions });
      await commit({ ...target, state: await prepare(target) });
      expect(network.listPosts()[1]).toMatchObject({ text: 'Well', replyTo: id });
      expect(network.listPosts()[1]!.options?.['visibility']).toBe(expected);
    },
  );

  test('is refused if the post that it replies to is missing', async () => {
    const { prepare, commit, targetOf } = await connectNew();
    const target = targetOf({ replyTo: '1' });
    expect(await refusal(prepare(target))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('404') as string,
      options: { platformCode: '404' },
    });
    expect(await refusal(commit(target))).toMatchObject({
      kind: 'rejected',
      message:
        'Mastodon refused the request: 404: The post you are trying to reply to does not appear to exist.',
      options: { platformCode: '404' },
    });
  });
});

describe('a commit', () => {
  test('publishes once per result, and returns the id and the link', async () => {
    const { network, commit, targetOf } = await connectNew({ domain: 'mastodon.test' });
    const first = targetOf();
    const outcome = await commit(first);
    const [post] = network.listPosts();
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: post!.id,
        url: `https://mastodon.test/@ada/${post!.id}`,
        visibility: 'public',
      },
      throttle: undefined,
    });
    expect(await commit(first)).toEqual(outcome);
    expect(network.listPosts()).toEqual([
      { id: post!.id, text: 'Hello', replyTo: null, options: {} },
    ]);
    const reply = await commit(targetOf({ caption: 'Again', replyTo: post!.id }));
    expect(reply).toMatchObject({ outcome: 'published' });
    expect(network.listPosts()[1]).toMatchObject({ text: 'Again', replyTo: post!.id });
  });

  test.each([
    ['public', 'public'],
    ['unlisted', 'unlisted'],
    ['private', 'followers'],
    ['direct', 'private'],
    ['limited', null],
    [7, null],
    [undefined, null],
  ])('reads the visibility %o of the answer as %o', async (answered, visibility) => {
    const server = await startHttp((_request, response) => {
      response.end(JSON.stringify({ id: '1', url: null, visibility: answered }));
    });
    const { commit, targetOf, connection } = await connectNew();
    const credentials = { ...connection.credentials, server: new URL(server.url).origin };
    const outcome = await commit(targetOf({ credentials }));
    expect(outcome).toMatchObject({ published: { externalId: '1', visibility } });
  });

  test.each<[number, string, object]>([
    [400, 'Bad', { kind: 'rejected' }],
    [401, 'The access token is invalid', { kind: 'reauthorize', options: { isRevoked: true } }],
    [401, 'The access token was revoked', { kind: 'reauthorize', options: { isRevoked: true } }],
    [403, 'This action is not allowed', { kind: 'rejected' }],
    [
      403,
      'This action is outside the authorized scopes',
      { kind: 'reauthorize', options: { isRevoked: true } },
    ],
    [
      403,
      'Your login is currently disabled',
      { kind: 'reauthorize', options: { isRevoked: true } },
    ],
    [404, 'Record not found', { kind: 'rejected' }],
    [410, 'Gone', { kind: 'rejected' }],
    [422, "Validation failed: Text can't be blank", { kind: 'rejected' }],
    [429, 'Too many requests', { kind: 'rate_limited', options: { throttled: 'account' } }],
    [301, '', { kind: 'unavailable' }],
    [500, 'Internal Server Error', { kind: 'unknown_outcome' }],
    [503, 'There was a temporary problem', { kind: 'unknown_outcome' }],
    [200, 'no status', { kind: 'unknown_outcome' }],
  ])('reports the answer %i %o, and no secret', async (status, error, expected) => {
    const { commit, targetOf, connection } = await connectNew();
    const { access_token = '' } = connection.credentials;
    const server = await startHttp((_request, response) => {
      response.writeHead(status).end(JSON.stringify({ error, given: access_token }));
    });
    const credentials = { server: new URL(server.url).origin, access_token };
    const thrown = await refusal(commit(targetOf({ credentials })));
    expect(thrown).toMatchObject(expected);
    if (status >= 400) {
      const providerError = { status, code: String(status), message: error };
      expect(thrown.options).toMatchObject({ platformCode: String(status), providerError });
    }
    expect(inspect(thrown, { depth: 9 })).not.toContain(access_token);
  });

  test.each([
    ['on our clock', 0],
    ['on a clock that is an hour ahead', 3_600_000],
  ])('waits until the limit of the server resets, %s', async (_what, aheadMs) => {
    const server = await startHttp((_request, response) => {
      const date = new Date(Date.now() + aheadMs).toUTCString();
      response.writeHead(429, { date, ...limitHeaders(0, 90_000 + aheadMs) }).end('{}');
    });
    const { commit, targetOf, connection } = await connectNew();
    const credentials = { ...connection.credentials, server: new URL(server.url).origin };
    const { options } = await refusal(commit(targetOf({ credentials })));
    expect(options.retryAfterMs).toBeGreaterThan(89_000);
    expect(options.retryAfterMs).toBeLessThan(92_000);
  });

  test.each([
    [0, { scope: 'account' }],
    [1, undefined],
  ])('reports a limit only if no post is left: %i left', async (remaining, throttle) => {
    const server = await startHttp((_request, response) => {
      const status = { id: '1', url: 'javascript:alert(1)' };
      response.writeHead(200, limitHeaders(remaining, 60_000)).end(JSON.stringify(status));
    });
    const { commit, targetOf, connection } = await connectNew();
    const credentials = { ...connection.credentials, server: new URL(server.url).origin };
    const outcome = await commit(targetOf({ credentials }));
    expect(outcome).toMatchObject({ published: { externalId: '1', url: null } });
    if (throttle) expect(outcome.throttle).toMatchObject(throttle);
    else expect(outcome.throttle).toBeUndefined();
  });
});

test('deleting a status again says that it is gone', async () => {
  const { network, mastodon, targetOf, commit } = await connectNew();
  const target = targetOf();
  const answer = await commit(target);
  const { externalId } = (answer as Extract<typeof answer, { outcome: 'published' }>).published;
  const post = { ...target, externalId: externalId!, altTexts: [], publishedAt: null };
  const remove = () => mastodon.unpublish!.remove(post, AbortSignal.timeout(10_000));
  await remove();
  const error = await remove().catch((thrown: unknown) => thrown);
  expect(isGone(error)).toBe(true);
  expect(network.listPosts()).toEqual([]);
});

test('a page of a proxy does not say that a status is gone', async () => {
  const { network, mastodon, targetOf, commit } = await connectNew();
  const target = targetOf();
  const answer = await commit(target);
  const { externalId } = (answer as Extract<typeof answer, { outcome: 'published' }>).published;
  const post = { ...target, externalId: externalId!, altTexts: [], publishedAt: null };
  const { remove, exists } = mastodon.unpublish!;
  const headers = { 'content-type': 'text/html' };
  network.answer = () =>
    Promise.resolve(new Response('<h1>404 Not Found</h1>', { status: 404, headers }));
  for (const call of [remove, exists!]) {
    const error = await refusal(call(post, AbortSignal.timeout(10_000)));
    expect(error.kind).toBe('unavailable');
    expect(isGone(error)).toBe(false);
  }
  expect(network.listPosts()).toHaveLength(1);
});
