// A video that YouTube still processes after a while: it is published, and followed.
import { describe, expect, test } from 'vitest';
import type { FollowedPost, Published, Target } from '../../../../activities/platforms/platform.ts';
import {
  startYouTube,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const never = new AbortController().signal;
const minuteMs = 60_000;

/** A target whose upload is complete, and whose video YouTube processes for long. */
async function upload(network: ConnectedYouTube): Promise<Target> {
  network.server.readsUntilProcessed = 1_000;
  const target = await network.prepare(network.target());
  const committed = await network.commit(target);
  if (committed.outcome !== 'accepted') throw new Error(committed.outcome);
  return { ...target, state: committed.state };
}

const after = (target: Target, ms: number): Target => ({
  ...target,
  state: { ...target.state, uploadedAtMs: Date.now() - ms },
});

async function publishUnprocessed(network: ConnectedYouTube): Promise<Published> {
  const target = after(await upload(network), 6 * minuteMs);
  const confirmed = await network.youtube.confirm!(target, never);
  if (confirmed.outcome !== 'published') throw new Error(confirmed.outcome);
  return confirmed.published;
}

const follow = ({ youtube, target }: ConnectedYouTube, externalId: string, ageMs: number) =>
  youtube.followUp!(
    { ...target(), externalId, state: { sinceMs: Date.now() - ageMs } } as unknown as FollowedPost,
    never,
  );

describe('a video in processing', () => {
  test('is confirmed for some minutes, and then published and followed', async () => {
    await using network = await startYouTube();
    const target = await upload(network);
    const soon = await network.youtube.confirm!(after(target, 4 * minuteMs), never);
    expect(soon.outcome).toBe('accepted');
    const later = await network.youtube.confirm!(after(target, 6 * minuteMs), never);
    expect(later).toMatchObject({
      outcome: 'published',
      published: { visibility: 'public', followUp: { forMs: 86_400_000 } },
    });
  });

  test('is asked about ever more rarely', async () => {
    await using network = await startYouTube();
    const { externalId } = await publishUnprocessed(network);
    for (const [ageMs, waitMs] of [
      [0, minuteMs],
      [60 * minuteMs, 6 * minuteMs],
      [20 * 60 * minuteMs, 60 * minuteMs],
    ] as const) {
      const followed = await follow(network, externalId!, ageMs);
      expect(followed).toMatchObject({ outcome: 'more', finished: { visibility: 'public' } });
      expect('waitMs' in followed && Math.round(followed.waitMs / minuteMs) * minuteMs).toBe(
        waitMs,
      );
    }
  });

  test('ends with the visibility that YouTube reports', async () => {
    await using network = await startYouTube();
    const { externalId } = await publishUnprocessed(network);
    Object.assign(network.server.videos[0]!, { readsUntilProcessed: 0, privacyStatus: 'private' });
    expect(await follow(network, externalId!, minuteMs)).toEqual({
      outcome: 'done',
      finished: { visibility: 'private' },
    });
  });

  test.each(['failed', 'rejected'] as const)('is gone once YouTube reports: %s', async (status) => {
    await using network = await startYouTube();
    const { externalId } = await publishUnprocessed(network);
    const end = { uploadStatus: status, reason: 'duplicate' };
    Object.assign(network.server.videos[0]!, { readsUntilProcessed: 0, end });
    expect(await follow(network, externalId!, minuteMs)).toEqual({ outcome: 'gone' });
  });

  test('is gone once it was deleted, but not while YouTube may not show it yet', async () => {
    await using network = await startYouTube();
    const { externalId } = await publishUnprocessed(network);
    network.server.videos.length = 0;
    expect(await follow(network, externalId!, minuteMs)).toMatchObject({ outcome: 'more' });
    expect(await follow(network, externalId!, 11 * minuteMs)).toEqual({ outcome: 'gone' });
  });
});
