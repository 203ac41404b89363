// How the connector of a network that publishes containers finds a post after a lost answer: the container proves
// whether the post is public, and a list names it.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../checks/platform-refusal.ts';
import { hostVideo } from '../../media/hosted-media.ts';
import type { ContainerFacts, ContainerNetwork } from './container-cases.ts';

const absent = { outcome: 'absent' };
const unknown = { outcome: 'unknown' };
export const publicWithoutId = {
  outcome: 'published',
  published: { externalId: null, url: null, visibility: null },
};

export function describeLostAnswers<Network extends ContainerNetwork>({
  title,
  start,
  hostImage,
  listCalls,
}: ContainerFacts<Network>): void {
  describe('by its container', () => {
    test('a post is absent until the container is published', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      expect(await network.reconcile(target)).toEqual(absent);
      const published = await network.commit(target);
      expect(await network.reconcile(target)).toEqual(published);
    });

    test('a post is public without an ID if two posts can be it', async () => {
      await using network = await start();
      const target = await network.prepare(network.target({ caption: 'Hello' }));
      await network.commit(target);
      network.server.addPost('Hello ');
      expect(await network.reconcile(target)).toEqual(publicWithoutId);
    });

    test('a post that is not listed yet is waited for', async () => {
      await using network = await start();
      network.server.lag.list = 1;
      const target = await network.prepare(network.target());
      const published = await network.commit(target);
      expect(await network.reconcile(target)).toEqual(published);
    });

    test('a post that is never listed is public without an ID', async () => {
      await using network = await start();
      network.server.lag.list = 10;
      const target = await network.prepare(network.target());
      await network.commit(target);
      expect(await network.reconcile(target)).toEqual(publicWithoutId);
    });

    test('nothing is sure while the network is busy with the container', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      network.server.containers[0]!.readsLeft = 2;
      const busy = {
        kind: 'unavailable',
        message: `${title} is still busy with the container.`,
      };
      expect(await refusal(network.reconcile(target))).toMatchObject(busy);
      const late = { ...target, state: { ...target.state, finishedAt: Date.now() - 301_000 } };
      expect(await refusal(network.commit(late))).toMatchObject(busy);
      expect(await network.commit(late)).toMatchObject({ outcome: 'published' });
    });

    test('nothing is sure while the network does not know the container', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      network.server.containers[0]!.hiddenReads = 1;
      expect(await refusal(network.reconcile(target))).toMatchObject({ kind: 'unavailable' });
      expect(await network.reconcile(target)).toEqual(absent);
    });

    test('a post is looked for if its container has expired', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      network.server.logins.pass(25 * 3_600_000);
      expect(await network.reconcile(target)).toEqual(absent);
      const id = network.server.addPost(target.caption);
      expect(await network.reconcile(target)).toMatchObject({ published: { externalId: id } });
    });
  });

  describe('without its container', () => {
    test('a post is found by its text and its media', async () => {
      await using network = await start();
      const media = [await hostImage(), await hostVideo()];
      const target = await network.prepare(network.target({ caption: 'Two', media }));
      network.server.addPost('Two');
      const published = await network.commit(target);
      expect(await network.reconcile({ ...target, state: {} })).toEqual(published);
      const other = { ...target, state: {}, media: media.slice(1) };
      expect(await network.reconcile(other)).toEqual(absent);
    });

    test('an older post is not taken for the post', async () => {
      await using network = await start();
      network.server.addPost('Hello', Date.now() - 600_000);
      expect(await network.reconcile(network.target())).toEqual(absent);
    });

    test('two equal posts, or one without text, prove nothing', async () => {
      await using network = await start();
      network.server.addPost('Hello');
      network.server.addPost('Hello');
      expect(await network.reconcile(network.target())).toEqual(unknown);
      const silent = network.target({ caption: '', media: [await hostImage()] });
      const target = await network.prepare(silent);
      await network.commit(target);
      expect(await network.reconcile(silent)).toEqual(unknown);
    });

    test('a post is found behind many others', async () => {
      await using network = await start();
      const published = await network.publish(network.target({ caption: 'First' }));
      for (let i = 0; i < 220; i++) network.server.addPost(`No. ${i}`);
      network.server.calls.length = 0;
      expect(await network.reconcile(network.target({ caption: 'First' }))).toEqual(published);
      expect(network.server.calls).toHaveLength(listCalls);
    });

    test('nothing is sure after more posts than Fanfare reads', async () => {
      await using network = await start();
      for (let i = 0; i < 510; i++) network.server.addPost(`No. ${i}`);
      expect(await network.reconcile(network.target())).toEqual(unknown);
    });

    test('a list is complete if it has no next page and no odd row', async () => {
      await using network = await start();
      const next = 'https://example.com/next';
      const search = async (...answers: object[]) => {
        network.server.answers.push(...answers.map((answer) => Response.json(answer)));
        return network.reconcile(network.target());
      };
      expect(await search({ data: [], paging: { next } })).toEqual(unknown);
      const named = { data: [], paging: { next, cursors: { after: '1' } } };
      expect(await search(named, { data: [] })).toEqual(absent);
      expect(await search({ data: [{ id: 'x' }] })).toEqual(unknown);
    });
  });
}
