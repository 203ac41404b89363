// Posts to X: what they carry, how their text is counted, and which limits their answers name.
import twitterText from 'twitter-text';
import { describe, expect, test } from 'vitest';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { rulesOf } from '../../../../activities/platforms/index.ts';
import { twitter as definition } from '../../../../schema/platforms/twitter.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startTwitter } from '../../../support/networks/twitter/connected.ts';

describe('a post', () => {
  test('carries the text alone', async () => {
    await using x = await startTwitter();
    const outcome = await x.commit(x.target({ caption: 'Fish & <chips>' }));
    const { id } = x.network.posts[0]!;
    expect(outcome).toMatchObject({
      outcome: 'published',
      published: { externalId: id, url: `https://x.com/ada_l/status/${id}`, visibility: null },
    });
    expect(await x.network.requests[0]!.json()).toEqual({ text: 'Fish & <chips>' });
    expect(x.network.calls).toEqual(['POST /2/tweets']);
  });

  test('replies to another post, and carries its options', async () => {
    await using x = await startTwitter();
    const { id } = x.network.addPost({ text: 'First' });
    const poll = { options: ['a', 'b'], duration_minutes: 5 };
    const platformOptions = { reply_settings: 'verified', made_with_ai: false, poll };
    await x.commit(x.target({ replyTo: id, platformOptions }));
    expect(await x.network.requests[0]!.json()).toEqual({
      text: 'Hello',
      ...platformOptions,
      reply: { in_reply_to_tweet_id: id },
    });
  });

  test("has a URL without the account's name if the name was lost", async () => {
    await using x = await startTwitter();
    const outcome = await x.commit(x.target({ traits: {} }));
    const { id } = x.network.posts[0]!;
    expect(outcome).toMatchObject({ published: { url: `https://x.com/i/status/${id}` } });
  });

  test('is sent without half of a surrogate pair', async () => {
    await using x = await startTwitter();
    await x.commit(x.target({ caption: 'a\uD800' }));
    expect(x.network.posts[0]!.text).toBe('a\uFFFD');
  });
});

describe('a reply', () => {
  const ownPost = { caption: 'a', media: [], options: {}, firstComment: 'b', isReply: false };

  test('to a post that may be of somebody else is warned of', () => {
    expect(definition.rules.check({ ...ownPost, isReply: true })).toEqual([
      {
        at: 'in_reply_to',
        code: 'reply_may_be_refused',
        isWarning: true,
        message: expect.stringContaining('only if the author of the post mentioned the account'),
      },
    ]);
  });

  test('in a thread, or as a first comment, is not warned of', () => {
    expect(definition.rules.check({ ...ownPost, isLaterPart: true })).toEqual([]);
  });

  test('that X refuses says which replies X accepts', async () => {
    await using x = await startTwitter();
    const { id } = x.network.addPost({ text: 'Not for you', isOfStranger: true });
    expect(await refusal(x.commit(x.target({ replyTo: id })))).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(
        /^X refused the request: .* X accepts a reply only if the author .* an Enterprise plan\.$/,
      ),
      options: { platformCode: '403', providerError: { status: 403 } },
    });
    expect(x.network.posts).toHaveLength(1);
  });

  test('to a stranger who mentioned the account is published, and so is a thread', async () => {
    await using x = await startTwitter();
    const mention = x.network.addPost({ text: 'Hi @ada_l!', isOfStranger: true });
    const first = await x.commit(x.target({ caption: 'Hi!', replyTo: mention.id }));
    expect(first.outcome).toBe('published');
    const { id } = x.network.posts.at(-1)!;
    const second = await x.commit(x.target({ caption: '2/2', replyTo: id }));
    expect(second.outcome).toBe('published');
  });
});

describe('a text', () => {
  const count = (text: string) => definition.rules.text.count(text);

  // https://docs.x.com/fundamentals/counting-characters
  test.each([
    ['Hello', 5],
    ['Привет', 6],
    ['日本語', 6],
    ['한국어', 6],
    ['👾', 2],
    ['🙋🏽', 2],
    ['👨‍🎤', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['https://example.com', 23],
    ['https://example.com/very/long/path?with=a&query=too#and-more', 23],
    ['example.com', 23],
    ['See example.com, or https://example.org.', 4 + 23 + 5 + 23 + 1],
    ['café', 4],
    ['cafe\u0301', 4],
    ['@ada_l #tag $TWTR', 17],
    ['', 0],
  ])('%j counts as %i', (text, length) => {
    expect(count(text)).toBe(length);
  });

  // Longer than a word that is counted as it is.
  test.each([
    'https://de.wikipedia.org/wiki/Liste_der_größten_Unternehmen_in_Deutschland_nach_Umsatz',
    'de.wikipedia.org/wiki/Liste_der_größten_Unternehmen_in_Deutschland_nach_Umsatz',
    'https://vi.wikipedia.org/wiki/Danh_sách_các_quốc_gia_theo_diện_tích_và_dân_số_năm_2020',
    `https://ru.wikipedia.org/wiki/${'Список_стран_'.repeat(9)}`,
    `https://ja.wikipedia.org/wiki/${'日本'.repeat(40)}`,
    `https://österreich.at/größe/${'a'.repeat(70)}?q=${'é'.repeat(9)}`,
    `https://a.com/${'é'.repeat(40)},https://b.com/${'é'.repeat(40)}`,
    `https://example.com/${'a'.repeat(50)}${'日本語'.repeat(30)}`,
    `${'日本語'.repeat(30)}https://example.com/${'a'.repeat(50)}`,
    'größe/länge'.repeat(9),
    '👩‍👩‍👧'.repeat(20),
  ])("%j has the length that X's library counts", (text) => {
    for (const written of [text, `See ${text}, please`, `(“${text}”)`]) {
      expect(count(written)).toBe(twitterText.parseTweet(written.normalize()).weightedLength);
    }
  });

  const check = (text: string, subscription?: string) => {
    const rules = rulesOf({ definition } as never, subscription ? { subscription } : {});
    return checkText({ title: 'X', rules }, text, { path: ['caption'] });
  };

  test.each([
    ['a'.repeat(280), undefined, []],
    [
      'a'.repeat(281),
      undefined,
      [
        {
          code: 'caption_too_long',
          actual: 281,
          limit: 280,
          message: 'X takes 280 weighted characters at most.',
        },
      ],
    ],
    ['語'.repeat(141), undefined, [{ code: 'caption_too_long', actual: 282, limit: 280 }]],
    // Each counts as 23, and has five.
    ['t.co '.repeat(12), undefined, [{ code: 'caption_too_long', actual: 12 * 24, limit: 280 }]],
    ['a'.repeat(281), 'None', [{ limit: 280 }]],
    ['a'.repeat(281), 'Basic', [{ limit: 280 }]],
    ['a'.repeat(25_000), 'Premium', []],
    ['a'.repeat(25_001), 'PremiumPlus', [{ actual: 25_001, limit: 25_000 }]],
    [' ', undefined, [{ code: 'caption_required' }]],
  ])('%# is checked before it is sent', (text, subscription, issues) => {
    expect(check(text, subscription)).toEqual(
      issues.map((issue) => expect.objectContaining(issue)),
    );
  });

  test('arrives whole if it is longer than 280 characters', async () => {
    await using x = await startTwitter({ subscription: 'Premium' });
    const caption = 'a '.repeat(12_000).trim();
    const target = x.target({ caption });
    const published = await x.commit(target);
    expect(x.network.posts[0]!.text).toBe(caption);
    expect(published).toMatchObject(await x.reconcile(target));
  });
});

describe('a limit that the answer to a post names', () => {
  const resetIn = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
  const closeTo = (seconds: number, waitMs: number) => Math.abs(waitMs - seconds * 1_000) < 5_000;

  test.each([
    ['x-rate-limit-', 'account', 900],
    ['x-user-limit-24hour-', 'account', 3_600],
    ['x-app-limit-24hour-', 'app', 7_200],
  ] as const)('delays the next post if it is used up: %s', async (prefix, scope, seconds) => {
    await using x = await startTwitter();
    x.network.limits = { [`${prefix}remaining`]: '0', [`${prefix}reset`]: resetIn(seconds) };
    const { throttle } = await x.commit(x.target());
    expect(throttle).toMatchObject({ scope });
    expect(closeTo(seconds, throttle!.waitMs)).toBe(true);
  });

  test('delays nothing until it is used up', async () => {
    await using x = await startTwitter();
    for (const prefix of ['x-rate-limit-', 'x-user-limit-24hour-', 'x-app-limit-24hour-']) {
      x.network.limits[`${prefix}remaining`] = '1';
      x.network.limits[`${prefix}reset`] = resetIn(900);
    }
    expect((await x.commit(x.target())).throttle).toBeUndefined();
  });

  test("is the app's limit rather than the account's, if both are used up", async () => {
    await using x = await startTwitter();
    for (const prefix of ['x-rate-limit-', 'x-app-limit-24hour-']) {
      x.network.limits[`${prefix}remaining`] = '0';
      x.network.limits[`${prefix}reset`] = resetIn(900);
    }
    expect((await x.commit(x.target())).throttle).toMatchObject({ scope: 'app' });
  });
});

test.each([
  '👩‍👩‍👧'.repeat(30),
  '😀'.repeat(130),
  '🇩🇪'.repeat(70),
  '👍🏽'.repeat(60),
  '漢'.repeat(139),
  'é'.repeat(270),
  'cafe\u0301'.repeat(40),
  `https://example.com/${'a'.repeat(200)}`,
  `見https://example.com/${'a'.repeat(100)}漢`,
])('a long word has the length that X counts: %s', (text) => {
  const { weightedLength } = twitterText.parseTweet(text);
  expect(definition.rules.text.count(text)).toBe(weightedLength);
});
