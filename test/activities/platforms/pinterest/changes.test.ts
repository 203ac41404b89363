// What removals of pins send to Pinterest, and what its answers mean.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { noBoard, notAuthorized } from '../../../support/networks/pinterest/refusals.ts';

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
