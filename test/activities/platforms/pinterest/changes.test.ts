// What edits and removals of pins send to Pinterest, and what its answers mean.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { noBoard, notAuthorized } from '../../../support/networks/pinterest/refusals.ts';
import { boardId, sectionId } from '../../../support/networks/pinterest/server.ts';

const never = new AbortController().signal;

describe('a removal', () => {
  test('deletes only this pin', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const other = server.addPin();
    const pin = server.addPin();
    await pinterest.unpublish!.remove(network.post(pin), never);
    expect(server.pins).toEqual([other]);
    expect(server.calls).toEqual([`DELETE /v5/pins/${pin.id}`]);
  });

  test('finds that the pin is gone', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const pin = server.addPin();
    expect(await pinterest.unpublish!.exists!(network.post(pin), never)).toBe(true);
    server.pins.length = 0;
    expect(await pinterest.unpublish!.exists!(network.post(pin), never)).toBe(false);
    expect(await refusal(pinterest.unpublish!.remove(network.post(pin), never))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: '50', failsAs: 'post_gone' },
    });
  });

  test.each([noBoard(), notAuthorized()])('sees no proof in another refusal: $code', async (no) => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const post = network.post(server.addPin());
    server.answers.push(no.toResponse(), no.toResponse());
    const refusals = [
      await refusal(pinterest.unpublish!.remove(post, never)),
      await refusal(pinterest.unpublish!.exists!(post, never)),
    ];
    for (const { options } of refusals) expect(options.failsAs).not.toBe('post_gone');
    expect(server.pins).toHaveLength(1);
  });
});

describe('an edit', () => {
  const platformOptions = { title: 'Tubas', link: 'https://example.com/a b' };
  const options = { board_section_id: sectionId, ...platformOptions };

  test('changes every field of a pin', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const pin = server.addPin({ title: 'Horns', dominant_color: '#6E7874' });
    const post = network.post(pin, {
      caption: 'Shiny\ud83d',
      altTexts: [null, 'A tuba'],
      publishedAt: null,
      platformOptions: options,
      changed: {
        caption: 'Shiny\ud83d',
        alt_texts: { med_1: 'A tuba' },
        platform_options: options,
      },
    });
    expect(await pinterest.edit!.isApplied!(post, never)).toBe(false);
    await pinterest.edit!.apply(post, never);
    expect(pin).toMatchObject({
      description: 'Shiny\ufffd',
      alt_text: 'A tuba',
      title: 'Tubas',
      link: 'https://example.com/a%20b',
      board_id: boardId,
      board_section_id: sectionId,
      dominant_color: '#6E7874',
    });
    expect(await pinterest.edit!.isApplied!(post, never)).toBe(true);
  });

  test('leaves what it does not change, even if a person has changed it at Pinterest', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    server.boards.push({ id: '7', name: 'Horns', sections: [] });
    const byHand = { board_id: '7', title: 'By hand', alt_text: 'By hand' };
    const pin = server.addPin(byHand);
    const changed = { caption: 'Shiny' };
    const post = network.post(pin, { caption: 'Shiny', platformOptions, changed });
    await pinterest.edit!.apply(post, never);
    expect(pin).toMatchObject({ ...byHand, description: 'Shiny' });
    expect(await pinterest.edit!.isApplied!(post, never)).toBe(true);
  });

  test('clears texts and the section', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const pin = server.addPin({ description: 'Shiny', alt_text: 'A tuba', ...options });
    const none = { title: null, link: null, board_section_id: null };
    const post = network.post(pin, {
      altTexts: [null],
      publishedAt: null,
      changed: { caption: '', alt_texts: { med_1: null }, platform_options: none },
    });
    expect(await pinterest.edit!.isApplied!(post, never)).toBe(false);
    await pinterest.edit!.apply(post, never);
    expect(pin).toMatchObject({ ...none, description: null, alt_text: null, board_id: boardId });
    expect(await pinterest.edit!.isApplied!(post, never)).toBe(true);
  });

  test('moves a pin out of its section with the board', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    server.boards.push({ id: '7', name: 'Horns', sections: [] });
    const pin = server.addPin({ board_section_id: sectionId });
    const place = { board_id: '7' };
    const left = network.post(pin, {
      platformOptions: { ...place, board_section_id: sectionId },
      changed: { platform_options: place },
    });
    expect(await refusal(pinterest.edit!.apply(left, never))).toMatchObject({
      options: {
        failsAs: 'choice_gone',
        providerError: { path: 'platform_options.board_section_id' },
      },
    });
    const moved = network.post(pin, {
      platformOptions: place,
      changed: { platform_options: place },
    });
    await pinterest.edit!.apply(moved, never);
    expect(pin).toMatchObject({ board_id: '7', board_section_id: null });
  });

  test('finds that the pin is gone', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    const post = network.post(server.addPin(), { caption: 'Shiny', changed: { caption: 'Shiny' } });
    server.pins.length = 0;
    for (const call of ['apply', 'isApplied'] as const) {
      const refused = await refusal(Promise.resolve(pinterest.edit![call]!(post, never)));
      expect(refused.options.failsAs).toBe('post_gone');
    }
  });

  test('needs an app that has the beta', async () => {
    await using network = await startPinterest();
    const { pinterest, server } = network;
    server.hasEdits = false;
    const post = network.post(server.addPin(), { caption: 'Shiny', changed: { caption: 'Shiny' } });
    expect(await refusal(pinterest.edit!.apply(post, never))).toMatchObject({
      kind: 'rejected',
      message: 'Pinterest refused the request: 29: You are not permitted to access that resource.',
      options: { platformCode: '29' },
    });
  });
});
