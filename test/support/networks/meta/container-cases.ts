// What a network that publishes containers must pass: how they are made and published, and what the refusals
// mean.
import { describe, expect, test } from 'vitest';
import type { Target, TargetMedia } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../checks/platform-refusal.ts';
import { hostVideo, removeHosted } from '../../media/hosted-media.ts';
import type { phasesOf } from '../target.ts';
import type { ContainerServer } from './container-server.ts';
import { dayMs } from './logins.ts';
import type { GraphRefusal } from './refusals.ts';

type Server = Pick<
  ContainerServer<string, object, 'lies' | 'loses'>,
  | 'answers'
  | 'calls'
  | 'containers'
  | 'failures'
  | 'lag'
  | 'listPosts'
  | 'logins'
  | 'posts'
  | 'refuse'
> & {
  readonly publishFaults: { push(fault: 'lies' | 'loses'): unknown };
  readonly readsUntilFinished: { IMAGE?: number };
  addPost(text: string, createdAt?: number): string;
};

/** The connector of the network, connected to its simulator. */
export interface ContainerNetwork extends ReturnType<typeof phasesOf>, AsyncDisposable {
  readonly server: Server;
  target(change?: Partial<Target>): Target;
}

export interface ContainerFacts<Network extends ContainerNetwork> {
  title: string;
  start(): Promise<Network>;
  hostImage(): Promise<TargetMedia>;
  /** The network's refusal to publish a container that it doesn't know. */
  unknownContainer(id: string): GraphRefusal;
  /** Error codes of the network. */
  codes: {
    imageNotFetched: string;
    videoNotFetched: string;
    /** Code in the status of a failed container that another container can replace. */
    failed: string;
    limited: string;
    /** The answer to a publish that succeeded despite this code. */
    denied: string;
  };
  /** Maximum number of posts in 24 hours. */
  quota: number;
  /** Sets how many posts of the quota are used. */
  use(network: Network, posts: number): void;
  /** Number of pages of the list if it has 221 posts. */
  listCalls: number;
  /** Method and path of the call that reads the object with this ID. */
  readCall(id: string): string;
  publishCall: string;
  /** Part of the address of a post. */
  postPath: string;
}

export function describeContainers<Network extends ContainerNetwork>(
  facts: ContainerFacts<Network>,
): void {
  const { title, start, hostImage, unknownContainer, codes, quota, use, readCall } = facts;

  /** Returns the target as if its container had been finished this long ago. */
  const finishedBefore = ({ state, ...target }: Target, ms: number) => ({
    ...target,
    state: { ...state, finishedAt: Date.now() - ms },
  });

  /** Prepares a post. Takes every step, and adds the waits between the steps to `waits`. */
  async function prepare(network: Network, file: TargetMedia, waits: number[]): Promise<void> {
    let target = network.target({ media: [file] });
    for (let outcome = 'more'; outcome === 'more';) {
      const step = await network.prepareStep(target);
      if (step.outcome === 'more') waits.push(step.waitMs);
      target = { ...target, state: step.state };
      ({ outcome } = step);
    }
  }

  describe('a container', () => {
    test('is read in the step that creates it', async () => {
      await using network = await start();
      expect((await network.prepareStep(network.target())).outcome).toBe('prepared');
      expect(network.server.containers).toHaveLength(1);
    });

    test('is kept if this read fails', async () => {
      await using network = await start();
      const target = network.target();
      const unused = { data: [{ quota_usage: 0, config: { quota_total: 100 } }] };
      network.server.answers.push(
        Response.json(unused),
        Response.json({ id: '17900000000000042' }),
        new Response('', { status: 500 }),
      );
      const state = { post: { id: '17900000000000042', isFinished: false } };
      expect(await network.prepareStep(target)).toMatchObject({
        outcome: 'more',
        waitMs: 0,
        state,
      });
    });

    test('is read less and less often, up to once a minute', async () => {
      await using network = await start();
      network.server.readsUntilFinished.IMAGE = 9;
      const waits: number[] = [];
      await prepare(network, await hostImage(), waits);
      const minutes = [60_000, 60_000, 60_000];
      expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, ...minutes]);
      expect(network.server.containers).toHaveLength(1);
    });

    test('is waited for while the network does not know it', async () => {
      await using network = await start();
      network.server.lag.container = 2;
      await network.prepare(network.target());
      expect(network.server.containers).toHaveLength(1);
    });

    test('is replaced if the network has dropped it', async () => {
      await using network = await start();
      const target = network.target();
      const { state } = await network.prepareStep(target);
      network.server.logins.pass(25 * 3_600_000);
      const step = await network.prepareStep({ ...target, state });
      expect(step).toMatchObject({ outcome: 'more', waitMs: 1_000, state: { replaced: 1 } });
      await network.prepare({ ...target, state: step.state });
      expect(network.server.containers).toHaveLength(2);
    });
  });

  describe('a carousel', () => {
    test('continues with the items that it has', async () => {
      await using network = await start();
      const media = [await hostImage(), await hostImage()];
      const target = network.target({ media });
      const { state } = await network.prepareStep(target);
      removeHosted(media[1]!.publicUrl(0));
      expect(await refusal(network.prepareStep({ ...target, state }))).toMatchObject({
        kind: 'unavailable',
        options: { platformCode: codes.imageNotFetched, failsAs: 'media_fetch_failed' },
      });
      await network.publish({ ...target, media: [media[0]!, await hostImage()], state });
      expect(network.server.containers).toHaveLength(3);
    });

    test.each([
      ['image', [codes.failed], 'IMAGE'],
      ['video', ['', codes.failed], 'VIDEO'],
    ] as const)('replaces only the %s that failed', async (_, failures, replaced) => {
      await using network = await start();
      network.server.failures.push(...failures);
      const media = [await hostImage(), await hostVideo(), await hostImage()];
      await network.publish(network.target({ media }));
      const kinds = network.server.containers.map(({ kind }) => kind);
      expect(kinds).toEqual(['IMAGE', 'VIDEO', 'IMAGE', replaced, 'CAROUSEL']);
      const hashes = media.map(({ sha256 }) => sha256);
      expect(network.server.listPosts()[0]!.media).toEqual(hashes);
    });

    test('gets new items if the network no longer has its items', async () => {
      await using network = await start();
      let target = network.target({ media: [await hostImage(), await hostImage()] });
      for (let i = 0; i < 4; i++) {
        target = { ...target, state: (await network.prepareStep(target)).state };
      }
      expect(network.server.containers).toHaveLength(2);
      network.server.containers.length = 0;
      await network.publish(target);
      expect(network.server.containers).toHaveLength(3);
    });
  });

  describe('a file', () => {
    test('has a public URL that is good for a day', async () => {
      await using network = await start();
      const asked: number[] = [];
      const image = await hostImage();
      const url = image.publicUrl(0);
      const publicUrl = (forMs: number) => {
        asked.push(forMs);
        return url;
      };
      await network.publish(network.target({ media: [{ ...image, publicUrl }] }));
      expect(asked).toEqual([dayMs]);
    });

    test('may be accepted later if it is a missing image', async () => {
      await using network = await start();
      const image = await hostImage();
      removeHosted(image.publicUrl(0));
      const error = await refusal(network.prepareStep(network.target({ media: [image] })));
      expect(error).toMatchObject({
        kind: 'unavailable',
        options: { platformCode: codes.imageNotFetched, failsAs: 'media_fetch_failed' },
      });
      // The network's own words may be about the type.
      expect(error.message).toContain(`${title} could not fetch the media.`);
    });

    test('is fetched again, three times at growing intervals, if it is a missing video', async () => {
      await using network = await start();
      const video = await hostVideo();
      removeHosted(video.publicUrl(0));
      const waits: number[] = [];
      expect(await refusal(prepare(network, video, waits))).toMatchObject({
        kind: 'rejected',
        message: `${title} could not fetch the video. (${codes.videoNotFetched})`,
        options: { platformCode: codes.videoNotFetched, failsAs: 'media_fetch_failed' },
      });
      expect(waits.filter((waitMs) => waitMs > 0)).toEqual([2_000, 30_000, 300_000]);
      expect(network.server.containers).toHaveLength(4);
    });
  });

  describe('the quota', () => {
    test('stops a post before its container', async () => {
      await using network = await start();
      use(network, quota);
      expect(await refusal(network.prepareStep(network.target()))).toMatchObject({
        kind: 'rate_limited',
        message: `${title} accepts ${quota} posts of an account in 24 hours, and all are used.`,
        options: { isOutOfQuota: true },
      });
      expect(network.server.containers).toEqual([]);
    });

    test('stops the publish if it is used up after the preparation, and keeps the container', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      use(network, quota);
      expect(await refusal(network.commit(target))).toMatchObject({
        kind: 'rate_limited',
        options: { platformCode: 'quota', isOutOfQuota: true },
      });
      use(network, quota - 1);
      expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
      expect(network.server.containers).toHaveLength(1);
    });

    test('is not to blame for a refusal as long as posts are left', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      network.server.answers.push(network.server.refuse('limited'));
      const error = await refusal(network.commit(target));
      expect(error).toMatchObject({
        kind: 'rate_limited',
        options: { platformCode: codes.limited },
      });
      expect(error.options.isOutOfQuota).toBeUndefined();
    });
  });

  describe('a publish', () => {
    test('is not repeated if the network carries it out but reports an error', async () => {
      await using network = await start();
      network.server.publishFaults.push('lies');
      const target = await network.prepare(network.target());
      expect(await refusal(network.commit(target))).toMatchObject({
        kind: 'unknown_outcome',
        options: { platformCode: codes.denied },
      });
      expect(await network.reconcile(target)).toMatchObject({
        outcome: 'published',
        published: { externalId: network.server.posts[0]!.id },
      });
      expect(network.server.posts).toHaveLength(1);
    });

    test('makes no second post if the container is public', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      await network.commit(target);
      expect(await refusal(network.commit(target))).toMatchObject({
        kind: 'unknown_outcome',
        message: `${title} says that the container is public.`,
      });
      expect(network.server.posts).toHaveLength(1);
    });

    test('is repeated with the same container if the network does not find it at once', async () => {
      await using network = await start();
      network.server.publishFaults.push('loses');
      const target = await network.prepare(network.target());
      const { code, details } = unknownContainer('1');
      expect(await refusal(network.commit(target))).toMatchObject({
        kind: 'unavailable',
        options: { platformCode: `${code}/${details.subcode}` },
      });
      expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
      expect(network.server.containers).toHaveLength(1);
    });

    test('needs a new container if the network does not find the old one for minutes', async () => {
      await using network = await start();
      network.server.publishFaults.push('loses');
      const target = await network.prepare(network.target());
      expect(await network.commit(finishedBefore(target, 180_000))).toEqual({ outcome: 'stale' });
    });

    test('needs no new container if the network finds the old one after all', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      const container = network.server.containers[0]!;
      const { id } = container;
      container.postId = '17900000000000001';
      network.server.answers.push(
        unknownContainer(id).toResponse(),
        Response.json({ id, status: 'FINISHED', status_code: 'FINISHED' }),
      );
      const committed = network.commit(finishedBefore(target, 180_000));
      expect(await refusal(committed)).toMatchObject({ kind: 'unknown_outcome' });
    });

    test('needs a new container if its container has expired', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      network.server.logins.pass(25 * 3_600_000);
      expect(await network.commit(target)).toEqual({ outcome: 'stale' });
      expect(network.server.posts).toEqual([]);
    });

    test('reads the container again after five minutes', async () => {
      await using network = await start();
      const target = await network.prepare(network.target());
      const { id } = network.server.containers[0]!;
      const late = finishedBefore(target, 301_000);
      network.server.calls.length = 0;
      expect(await network.commit(late)).toMatchObject({ outcome: 'published' });
      const readPost = readCall(network.server.posts[0]!.id);
      expect(network.server.calls).toEqual([readCall(id), facts.publishCall, readPost]);
      expect(await refusal(network.commit(late))).toMatchObject({ kind: 'unknown_outcome' });
      expect(network.server.posts).toHaveLength(1);
      network.server.calls.length = 0;
      const gone = { ...late, state: { ...late.state, post: { id: '1', madeAt: 0 } } };
      expect(await network.commit(gone)).toEqual({ outcome: 'stale' });
      expect(network.server.calls).toEqual([readCall('1')]);
    });

    test('needs a new container if it has none, and makes no call', async () => {
      await using network = await start();
      expect(await network.commit(network.target())).toEqual({ outcome: 'stale' });
      expect(network.server.calls).toEqual([]);
    });

    test('waits for its address, and is published without one', async () => {
      await using network = await start();
      network.server.lag.post = 1;
      expect(await network.publish(network.target())).toMatchObject({
        published: { url: expect.stringContaining(facts.postPath) as string },
      });
      const target = await network.prepare(network.target());
      // A bare number, which JavaScript would round.
      const externalId = '17900000000000001';
      const made = () => new Response(`{"id":${externalId}}`);
      network.server.answers.push(made(), made());
      const withoutUrl = {
        outcome: 'published',
        published: { externalId, url: null, visibility: null },
      };
      expect(await network.commit(target)).toEqual(withoutUrl);
      network.server.answers.push(made(), new Response('<html>', { status: 500 }));
      expect(await network.commit(target)).toEqual(withoutUrl);
    });
  });
}
