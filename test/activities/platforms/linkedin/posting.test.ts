// What LinkedIn gets of a post, what it answers, and what each refusal means.
import { describe, expect, test } from 'vitest';
import {
  fromLittleText,
  toLittleText,
} from '../../../../activities/platforms/linkedin/little-text.ts';
import { startLinkedIn, pageUrn } from '../../../support/networks/linkedin/connected.ts';
import { renderLittleText } from '../../../support/networks/linkedin/little-text.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

describe('the text', () => {
  test.each([
    ['Up from 4% (EPRI, 2024)', 'Up from 4% \\(EPRI, 2024\\)'],
    [
      '| { } @ [ ] ( ) < > # \\ * _ ~',
      '\\| \\{ \\} \\@ \\[ \\] \\( \\) \\< \\> \\# \\\\ \\* \\_ \\~',
    ],
    ['@[Acme](urn:li:organization:1)', '\\@\\[Acme\\]\\(urn:li:organization:1\\)'],
    ['{hashtag|#|x}', '\\{hashtag\\|\\#\\|x\\}'],
    ['#news', '{hashtag|\\#|news}'],
    ['A #new_tag, (#Zürich)', 'A {hashtag|\\#|new\\_tag}, \\({hashtag|\\#|Zürich}\\)'],
    ['See\n#1a and #1', 'See\n{hashtag|\\#|1a} and \\#1'],
    ['https://example.com/a_b#part C# ##x', 'https://example.com/a\\_b\\#part C\\# \\#\\#x'],
  ])('%s is sent escaped, and shown as written', (text, little) => {
    expect(toLittleText(text)).toBe(little);
    expect(renderLittleText(little)).toBe(text);
    expect(fromLittleText(little)).toBe(text);
  });

  test('is cut by LinkedIn at the first reserved character that is not escaped', () => {
    expect(renderLittleText('Up from 4% (EPRI, 2024)')).toBe('Up from 4% ');
  });

  test('is read back from LinkedIn with its hashtags and mentions', () => {
    const little =
      'Hi @[Acme \\(Corp\\)](urn:li:organization:1) {hashtag|\\#|a\\_b} #c {hashtag|#|d}';
    expect(fromLittleText(little)).toBe('Hi Acme (Corp) #a_b #c #d');
  });

  test('gets a replacement for half of a surrogate pair', async () => {
    await using network = await startLinkedIn();
    await network.commit(network.target({ caption: 'a\ud83d' }));
    expect(network.server.posts[0]!.text).toBe('a\ufffd');
  });
});

describe('a post', () => {
  test('is public, and its URL shows it', async () => {
    await using network = await startLinkedIn();
    const outcome = await network.commit(network.target());
    const { id, given } = network.server.posts[0]!;
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: id,
        url: `https://www.linkedin.com/feed/update/${id}`,
        visibility: 'public',
      },
    });
    expect(given).toEqual({
      author: pageUrn,
      commentary: 'Hello',
      visibility: 'PUBLIC',
      distribution: {
        feedDistribution: 'MAIN_FEED',
        targetEntities: [],
        thirdPartyDistributionChannels: [],
      },
      lifecycleState: 'PUBLISHED',
      isReshareDisabledByAuthor: false,
    });
  });

  test('can be for connections if its author is a member, not a page', async () => {
    await using network = await startLinkedIn();
    const platformOptions = { visibility: 'CONNECTIONS' };
    expect(await network.commit(network.memberTarget({ platformOptions }))).toMatchObject({
      published: { visibility: 'followers' },
    });
    const error = await refusal(network.commit(network.target({ platformOptions })));
    expect(error).toMatchObject({ kind: 'rejected' });
  });

  test('has an unknown outcome if the answer has no ID', async () => {
    await using network = await startLinkedIn();
    network.server.answers.push(new Response('', { status: 201 }));
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'unknown_outcome' });
  });

  test('has a card with the host as its title', async () => {
    await using network = await startLinkedIn();
    const platformOptions = { link: { url: 'https://example.com/news' } };
    await network.commit(network.target({ platformOptions }));
    expect(network.server.posts[0]!.given.content).toEqual({
      article: { source: 'https://example.com/news', title: 'example.com' },
    });
  });

  test('has a poll of three days', async () => {
    await using network = await startLinkedIn();
    const platformOptions = { poll: { question: 'Tea?', options: ['Yes', 'No'] } };
    await network.commit(network.target({ platformOptions }));
    expect(network.server.posts[0]!.given.content).toEqual({
      poll: {
        question: 'Tea?',
        options: [{ text: 'Yes' }, { text: 'No' }],
        settings: { duration: 'THREE_DAYS' },
      },
    });
  });
});

describe('a refusal', () => {
  test("is temporary if LinkedIn's API answers 503, but any other 503 is an unknown outcome", async () => {
    await using network = await startLinkedIn();
    network.server.answers.push(network.server.refuse('unavailable'));
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'unavailable', options: { platformCode: '503' } });
    network.server.answers.push(new Response('<h1>Bad gateway</h1>', { status: 503 }));
    const lost = await refusal(network.commit(network.target()));
    expect(lost).toMatchObject({ kind: 'unknown_outcome' });
  });

  test('names the setting if LinkedIn has ended the version of the API', async () => {
    await using network = await startLinkedIn();
    network.server.versions = ['202710'];
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: 'NONEXISTENT_VERSION' },
    });
    expect(error.message).toContain('Requested version 20260901 is not active');
    expect(error.message).toContain('set FANFARE_LINKEDIN_VERSION');
  });

  test('is avoided by setting another version', async () => {
    await using network = await startLinkedIn({ version: '202610' });
    network.server.versions = ['202610'];
    expect(await network.commit(network.target())).toMatchObject({ outcome: 'published' });
  });

  test('is final if a permission is missing, and the login stays', async () => {
    await using network = await startLinkedIn();
    network.server.organizations[0]!.roles = ['ANALYST'];
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'ACCESS_DENIED' },
    });
  });

  test('ends the login if the token was revoked', async () => {
    await using network = await startLinkedIn();
    network.server.revokeToken();
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'REVOKED_ACCESS_TOKEN', isRevoked: true },
    });
  });

  test.each([
    ['APPLICATION DAY', 'app'],
    ['MEMBER DAY', 'grant'],
  ])('ends at midnight UTC if it is a daily limit: %s', async (whose, throttled) => {
    await using network = await startLinkedIn();
    const answer = network.server.throttle(whose);
    answer.headers.set('date', 'Sun, 22 Nov 2026 21:30:00 GMT');
    network.server.answers.push(answer);
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'rate_limited',
      options: { throttled, retryAfterMs: 9_000_000 },
    });
  });

  test("keeps LinkedIn's code if the text is too long", async () => {
    await using network = await startLinkedIn();
    expect(
      await refusal(network.commit(network.target({ caption: 'a'.repeat(3_001) }))),
    ).toMatchObject({ kind: 'rejected', options: { platformCode: 'FIELD_LENGTH_TOO_LONG' } });
    const atLimit = network.target({ caption: '('.repeat(3_000) });
    expect(await network.commit(atLimit)).toMatchObject({ outcome: 'published' });
  });
});

describe('a duplicate', () => {
  test('is refused with the URL of the first post if the first post is older than the target', async () => {
    await using network = await startLinkedIn();
    const old = network.server.addPost({ author: pageUrn }, Date.now() - 600_000);
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'DUPLICATE_POST' } });
    expect(error.message).toContain(`See https://www.linkedin.com/feed/update/${old}`);
    expect(network.server.posts).toHaveLength(1);
  });

  test('counts as published if the first post is of the same target', async () => {
    await using network = await startLinkedIn();
    const target = network.target();
    const first = await network.commit(target);
    expect(await network.commit(target)).toEqual(first);
    expect(network.server.posts).toHaveLength(1);
  });

  test('is refused to a member, whose posts Fanfare cannot read', async () => {
    await using network = await startLinkedIn();
    const target = network.memberTarget();
    await network.commit(target);
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'DUPLICATE_POST' },
    });
  });
});
