// How a pin is found whose answer was lost.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startPinterest } from '../../../support/networks/pinterest/connected.ts';
import { boardId } from '../../../support/networks/pinterest/server.ts';

type Network = Awaited<ReturnType<typeof startPinterest>>;

const image = await createImage({ altText: 'A cat' });
const media = [image];
const described = await createImage({ altText: 'A tuba' });
const found = { outcome: 'published' };
const absent = { outcome: 'absent' };
const unknown = { outcome: 'unknown' };

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

function addMany({ server }: Network, count: number, created_at = ago(0)): void {
  for (let i = 0; i < count; i++) server.addPin({ description: `Pin ${i}`, created_at });
}

describe('reconcile', () => {
  test('finds the pin by its texts and link, among other pins', async () => {
    await using network = await startPinterest();
    const platformOptions = { title: 'Tubas', link: 'https://example.com/a b' };
    const target = network.target({ caption: 'Hello\n\nthere', media, platformOptions });
    expect(await network.reconcile(target)).toEqual(absent);
    const { throttle: _, ...sent } = (await network.publish(target)) as Record<string, unknown>;
    addMany(network, 60);
    network.server.calls.length = 0;
    expect(await network.reconcile(target)).toEqual(sent);
    expect(network.server.calls).toEqual([`GET /v5/boards/${boardId}/pins`]);
  });

  test('finds nothing on another board', async () => {
    await using network = await startPinterest();
    const target = network.target({ media });
    await network.publish(target);
    network.server.boards.push({ id: '2', name: 'Other', sections: [] });
    const other = { ...target, platformOptions: { board_id: '2' } };
    expect(await network.reconcile(other)).toEqual(absent);
  });

  test('reads no further back than a minute before the pin was due', async () => {
    await using network = await startPinterest();
    const target = network.target({ media });
    network.server.addPin({ description: target.caption, created_at: ago(70) });
    expect(await network.reconcile(target)).toEqual(absent);
    network.server.addPin({ description: target.caption, created_at: ago(50) });
    expect(await network.reconcile(target)).toMatchObject(found);
  });

  test('reads a time without a zone as UTC', async () => {
    await using network = await startPinterest();
    const target = network.target({ media });
    const { id } = network.server.addPin();
    const zoneless = { id, description: target.caption, created_at: ago(0).replace(/\..*/, '') };
    network.server.answers.push(Response.json({ items: [zoneless], bookmark: null }));
    expect(await network.reconcile(target)).toMatchObject({ published: { externalId: id } });
    const old = { ...zoneless, created_at: ago(90).replace(/\..*/, '') };
    network.server.answers.push(Response.json({ items: [old], bookmark: null }));
    expect(await network.reconcile(target)).toEqual(absent);
  });

  test('takes the first of two equal pins', async () => {
    await using network = await startPinterest();
    const target = network.target({ media });
    const { id } = network.server.addPin({ description: target.caption, created_at: ago(20) });
    network.server.addPin({ description: target.caption, created_at: ago(10) });
    expect(await network.reconcile(target)).toMatchObject({ published: { externalId: id } });
  });

  test.each<[string, Partial<Target>]>([
    ['another text', { caption: 'Bye' }],
    ['a title', { platformOptions: { title: 'Tubas' } }],
    ['a link', { platformOptions: { link: 'https://example.com' } }],
    ['another alt text', { media: [described] }],
    ['two images', { media: [image, image] }],
    ['a video', { media: [createVideo()] }],
  ])('tells a pin from one with %s', async (_, change) => {
    await using network = await startPinterest();
    await network.publish(network.target({ media }));
    expect(await network.reconcile(network.target({ media, ...change }))).toEqual(absent);
    expect(await network.reconcile(network.target({ media }))).toMatchObject(found);
  });

  test('finds a video', async () => {
    await using network = await startPinterest();
    const target = network.target({ media: [createVideo()] });
    await network.publish(target);
    expect(await network.reconcile({ ...target, state: {} })).toMatchObject(found);
  });

  test('finds a pin although Pinterest shows no alt text', async () => {
    await using network = await startPinterest();
    const target = network.target({ media });
    await network.publish(target);
    network.server.pins[0]!.alt_text = null;
    expect(await network.reconcile(target)).toMatchObject(found);
  });

  test('is unsure of a pin whose link has another form', async () => {
    await using network = await startPinterest();
    const link = 'https://youtu.be/a';
    const target = network.target({ media, platformOptions: { link } });
    network.server.writeLink = () => 'https://www.youtube.com/watch?v=a';
    await network.publish(target);
    expect(await network.reconcile(target)).toEqual(unknown);
  });

  test('is unsure of a pin without texts and link', async () => {
    await using network = await startPinterest();
    const target = network.target({ caption: '', media });
    expect(await network.reconcile(target)).toEqual(absent);
    await network.publish(target);
    expect(await network.reconcile(target)).toEqual(unknown);
  });

  test('is unsure if the board is gone', async () => {
    await using network = await startPinterest();
    network.server.boards.length = 0;
    expect(await network.reconcile(network.target({ media }))).toEqual(unknown);
  });
});

describe('a large board', () => {
  test('is read up to the pins from before the target, if the newest come first', async () => {
    await using network = await startPinterest();
    addMany(network, 2_000, ago(3_600));
    addMany(network, 300);
    network.server.calls.length = 0;
    const target = network.target({ media });
    expect(await network.reconcile(target)).toEqual(absent);
    expect(network.server.calls).toHaveLength(2);
    await network.publish(target);
    addMany(network, 300);
    expect(await network.reconcile(target)).toMatchObject(found);
  });

  test('is read whole if it is in another order', async () => {
    await using network = await startPinterest();
    addMany(network, 300, ago(3_600));
    addMany(network, 300);
    const target = network.target({ media });
    await network.publish(target);
    network.server.pins.reverse();
    network.server.calls.length = 0;
    expect(await network.reconcile(target)).toMatchObject(found);
    expect(network.server.calls).toHaveLength(3);
  });

  test('leaves the outcome unknown if it is too large and in another order', async () => {
    await using network = await startPinterest();
    addMany(network, 1_000);
    network.server.pins.unshift(...network.server.pins.splice(500, 1));
    addMany(network, 1, ago(3_600));
    expect(await network.reconcile(network.target({ media }))).toEqual(unknown);
  });
});
