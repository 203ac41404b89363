// Edits and removals of published videos.
import { describe, expect, test } from 'vitest';
import type { EditedPost } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import {
  startYouTube,
  withAllScopes,
  type ConnectedYouTube,
} from '../../../support/networks/youtube/connected.ts';

const never = new AbortController().signal;
const start = () => startYouTube({ variables: withAllScopes });

async function publishVideo(network: ConnectedYouTube): Promise<EditedPost> {
  const platformOptions = { tags: ['tuba'], category_id: '10' };
  const target = network.target({ caption: 'A march', platformOptions });
  const { published } = (await network.publish(target)) as { published: { externalId: string } };
  network.forgetCalls();
  return {
    ...target,
    altTexts: [null],
    publishedAt: null,
    externalId: published.externalId,
    changed: {},
  };
}

describe('an edit', () => {
  test('replaces what it names, and keeps the rest', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    const [video] = network.server.videos;
    video!.metadata.snippet.defaultLanguage = 'en';
    const platformOptions = { title: 'A waltz', made_for_kids: false };
    const changed = { caption: 'In three', platform_options: { title: 'A waltz' } };
    const edited = { ...post, caption: 'In three', platformOptions, changed };
    const { apply, isApplied } = network.youtube.edit!;
    expect(await isApplied!(edited, never)).toBe(false);
    await apply(edited, never);
    expect(video!.metadata).toEqual({
      snippet: {
        title: 'A waltz',
        description: 'In three',
        tags: ['tuba'],
        categoryId: '10',
        defaultLanguage: 'en',
      },
      status: { privacyStatus: 'public', selfDeclaredMadeForKids: false },
    });
    expect(await isApplied!(edited, never)).toBe(true);
    const withoutTags = { ...edited, changed: { platform_options: { tags: null } } };
    video!.metadata.snippet.title = 'Changed in Studio';
    expect(await isApplied!(withoutTags, never)).toBe(false);
    await apply(withoutTags, never);
    expect(await isApplied!(withoutTags, never)).toBe(true);
    expect(video!.metadata.snippet).toMatchObject({ title: 'Changed in Studio', tags: [] });
  });

  test('of the visibility keeps the rest of the status', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    const [video] = network.server.videos;
    const kept = {
      selfDeclaredMadeForKids: false,
      containsSyntheticMedia: true,
      license: 'creativeCommon',
      embeddable: false,
      publicStatsViewable: false,
    } as const;
    const publishAt = '2030-01-01T00:00:00Z';
    video!.metadata.status = { ...kept, publishAt };
    const { apply, isApplied, visibilityOf } = network.youtube.edit!;
    for (const visibility of ['private', 'unlisted', 'public'] as const) {
      const platformOptions = { ...post.platformOptions, visibility };
      const edited = { ...post, platformOptions, changed: { platform_options: { visibility } } };
      expect(await isApplied!(edited, never)).toBe(false);
      await apply(edited, never);
      expect(await isApplied!(edited, never)).toBe(true);
      expect(video!.privacyStatus).toBe(visibility);
      // YouTube publishes only a private video later.
      const plan = visibility === 'private' ? { publishAt } : {};
      expect(video!.metadata.status).toEqual({ ...kept, ...plan, privacyStatus: visibility });
      expect(visibilityOf!(edited)).toBe(visibility);
    }
    expect(video!.metadata.snippet).toMatchObject({ description: 'A march', tags: ['tuba'] });
  });

  test('of the text leaves a visibility that somebody changed in YouTube Studio', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    const [video] = network.server.videos;
    video!.privacyStatus = 'private';
    const platformOptions = { ...post.platformOptions, visibility: 'public' };
    const caption = 'A slow march';
    const edited = { ...post, platformOptions, caption, changed: { caption } };
    await network.youtube.edit!.apply(edited, never);
    expect(video!.privacyStatus).toBe('private');
    expect(network.youtube.edit!.visibilityOf!(edited)).toBeUndefined();
    expect(await network.youtube.edit!.isApplied!(edited, never)).toBe(true);
  });

  test('asks for the default visibility if it removes the option', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    network.server.videos[0]!.privacyStatus = 'private';
    const edited = { ...post, changed: { platform_options: { visibility: null } } };
    await network.youtube.edit!.apply(edited, never);
    expect(network.server.videos[0]!.privacyStatus).toBe('public');
  });

  test('of a video that YouTube keeps private reports that', async () => {
    await using network = await start();
    network.server.isForcedPrivate = true;
    const post = await publishVideo(network);
    const edited = { ...post, changed: { platform_options: { visibility: 'public' } } };
    const error = await refusal(network.youtube.edit!.apply(edited, never));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'visibility_not_changed' },
    });
    expect(error.message).toContain('stays private');
    expect(await network.youtube.edit!.isApplied!(edited, never)).toBe(false);
  });

  test('of a deleted video reports that it is gone', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    network.server.videos.length = 0;
    const error = await refusal(network.youtube.edit!.apply(post, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { failsAs: 'post_gone' } });
  });
});

test.each(['apply', 'isApplied'] as const)(
  'an edit of a video that YouTube does not show yet says nothing about it: %s',
  async (name) => {
    await using network = await start();
    const post = await publishVideo(network);
    network.server.videos.length = 0;
    const call = network.youtube.edit![name]!;
    const ofAge = (ageMs: number) =>
      refusal(call({ ...post, publishedAt: new Date(Date.now() - ageMs) }, never));
    expect(await ofAge(60_000)).toMatchObject({ kind: 'unavailable' });
    expect(await ofAge(660_000)).toMatchObject({ options: { failsAs: 'post_gone' } });
  },
);

describe('a removal', () => {
  test('deletes the video, and a repeat reports that it is gone', async () => {
    await using network = await start();
    const post = await publishVideo(network);
    const { remove, exists } = network.youtube.unpublish!;
    await remove(post, never);
    expect(network.server.videos).toEqual([]);
    const error = await refusal(remove(post, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { failsAs: 'post_gone' } });
    expect(exists).toBeUndefined();
  });

  test('needs a scope that a login may lack', async () => {
    await using network = await startYouTube();
    const post = await publishVideo(network);
    const error = await refusal(network.youtube.unpublish!.remove(post, never));
    expect(error).toMatchObject({ kind: 'rejected', options: { failsAs: 'permission_missing' } });
    expect(network.server.videos).toHaveLength(1);
  });
});
