// What a pin with images sends to Pinterest, and what Pinterest's answers mean.
import { describe, expect, test } from 'vitest';
import { createImage } from '../../../support/media/target-media.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import {
  lacksScope,
  onlyTrial,
  refuse,
  unsupportedApp,
} from '../../../support/networks/pinterest/refusals.ts';
import { boardId, sectionId } from '../../../support/networks/pinterest/server.ts';

const media = [await createImage()];

describe('a pin', () => {
  test('has an image, texts and a link', async () => {
    await using network = await startPinterest();
    const image = await createImage({ altText: 'A tuba\ud83d' });
    const platformOptions = {
      board_section_id: sectionId,
      title: 'Tubas',
      link: 'https://example.com/a b?q=ä',
      dominant_color: '#6E7874',
    };
    const target = network.target({ caption: 'a\ud83d', media: [image], platformOptions });
    const outcome = await network.publish(target);
    const [pin] = network.server.pins;
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: pin!.id,
        url: `https://www.pinterest.com/pin/${pin!.id}/`,
        visibility: null,
      },
      throttle: undefined,
    });
    expect(pin).toMatchObject({
      board_id: boardId,
      board_section_id: sectionId,
      title: 'Tubas',
      description: 'a\ufffd',
      link: 'https://example.com/a%20b?q=%C3%A4',
      alt_text: 'A tuba\ufffd',
      dominant_color: '#6E7874',
      media_type: 'image',
      media: [image.sha256],
    });
    expect(network.server.calls).toEqual(['POST /v5/pins']);
  });

  test('has only what the post has', async () => {
    await using network = await startPinterest();
    const image = await createImage({ altText: null });
    await network.publish(network.target({ caption: '', media: [image] }));
    const { id: _, created_at: __, ...pin } = network.server.pins[0]!;
    expect(pin).toEqual({ board_id: boardId, media_type: 'image', media: [image.sha256] });
  });

  test('has a carousel of images in their order, with the first alt text', async () => {
    await using network = await startPinterest();
    const images = await Promise.all([
      createImage({ altText: null }),
      createImage({ contentType: 'image/jpeg', altText: 'Second' }),
      createImage({ altText: 'Third' }),
    ]);
    await network.publish(network.target({ media: images }));
    expect(network.server.pins).toMatchObject([
      {
        media_type: 'multiple_images',
        media: images.map(({ sha256 }) => sha256),
        alt_text: 'Second',
      },
    ]);
  });

  test('needs a board and media', async () => {
    await using network = await startPinterest();
    const noBoard = { ...network.target({ media }), platformOptions: {} };
    expect(await refusal(network.commit(noBoard))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'board_required' },
    });
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'media_required' },
    });
    expect(network.server.calls).toEqual([]);
  });

  test('has an unknown outcome if the answer has no ID', async () => {
    await using network = await startPinterest();
    network.server.answers.push(Response.json({}, { status: 201 }));
    const error = await refusal(network.commit(network.target({ media })));
    expect(error).toMatchObject({ kind: 'unknown_outcome' });
  });
});

describe('a refusal', () => {
  test.each([
    [
      'the app has Trial access',
      onlyTrial,
      'rejected',
      'app_not_approved',
      '29',
      'Standard access.',
    ],
    ['the app has no access', unsupportedApp, 'rejected', 'app_not_approved', '3', 'for access.'],
    [
      'a scope is missing',
      lacksScope,
      'rejected',
      'permission_missing',
      '3',
      'Connect the account',
    ],
  ])('is final if %s', async (_, answer, kind, failsAs, platformCode, words) => {
    await using network = await startPinterest();
    network.server.answers.push(answer().toResponse());
    const error = await refusal(network.commit(network.target({ media })));
    expect(error).toMatchObject({ kind, options: { failsAs, platformCode } });
    expect(error.message).toContain(answer().message);
    expect(error.message).toContain(words);
  });

  test.each([
    [40, 'Board not found.', 'platform_options.board_id'],
    [404, 'Board not found.', 'platform_options.board_id'],
    [2031, "Sorry! We couldn't find this board section.", 'platform_options.board_section_id'],
    [404, 'Board section not found.', 'platform_options.board_section_id'],
  ])('names the option if code %i says "%s"', async (code, message, path) => {
    await using network = await startPinterest();
    network.server.answers.push(Response.json({ code, message }, { status: 404 }));
    const error = await refusal(network.commit(network.target({ media })));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { failsAs: 'choice_gone', providerError: { status: 404, path } },
    });
    expect(error.message).toContain(`in ${path}.`);
  });

  test('keeps the words of Pinterest if the connector does not know it', async () => {
    await using network = await startPinterest();
    const link = 'https://example.com';
    const message = 'Whoops! It looks like you entered an invalid URL.';
    network.server.answers.push(Response.json({ code: 1, message }, { status: 400 }));
    const target = network.target({ media, platformOptions: { link } });
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'rejected',
      message: `Pinterest refused the request: 1: ${message}`,
      options: { platformCode: '1' },
    });
  });

  test('waits as many seconds as a limit names', async () => {
    await using network = await startPinterest();
    const answer = refuse('limited');
    answer.headers.set('x-ratelimit-reset', '48');
    network.server.answers.push(answer);
    expect(await refusal(network.commit(network.target({ media })))).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: '8', throttled: 'account', retryAfterMs: 48_000 },
    });
  });

  test('prefers the wait of Retry-After', async () => {
    await using network = await startPinterest();
    const answer = refuse('limited_with_retry_after');
    answer.headers.set('retry-after', '7');
    network.server.answers.push(answer);
    expect(await refusal(network.commit(network.target({ media })))).toMatchObject({
      options: { retryAfterMs: 7_000 },
    });
  });

  test('without a body is read by its status', async () => {
    await using network = await startPinterest();
    network.server.answers.push(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    expect(await refusal(network.commit(network.target({ media })))).toMatchObject({
      kind: 'unknown_outcome',
    });
  });
});

test.each([
  ['0', { scope: 'account', waitMs: 30_000 }],
  ['1', undefined],
])('a pin after which %s requests are left holds the next one: %o', async (remaining, throttle) => {
  await using network = await startPinterest();
  network.server.limits = { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': '30' };
  expect(await network.publish(network.target({ media }))).toMatchObject({ throttle });
});
