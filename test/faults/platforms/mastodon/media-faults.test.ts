// Every fault in every stage of a post with a video, and in the uploads of one with images.
import { afterAll } from 'vitest';
import { createMediaFiles } from '../../../support/file-media.ts';
import { toKind } from '../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../support/networks/fault-matrix.ts';
import { mastodon } from '../../../support/networks/mastodon/subject.ts';

const files = await createMediaFiles();
afterAll(() => files[Symbol.asyncDispose]());

describeFaults(
  toKind({
    ...mastodon,
    title: 'mastodon with images',
    media: [await files.image(), await files.image()],
    calls: { ...mastodon.calls, prepare: 2 },
  }),
  ['prepare'],
);
describeFaults(
  toKind({
    ...mastodon,
    title: 'mastodon with a video',
    media: [await files.video()],
    // The upload, and one poll.
    calls: { ...mastodon.calls, prepare: 2 },
  }),
);
