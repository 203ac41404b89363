// Every fault in every stage of a post with a video, and in the uploads of one with images.
import { createImage, createVideo } from '../../../../support/media/target-media.ts';
import { toKind } from '../../../../support/networks/contract/kind.ts';
import { describeFaults } from '../../../../support/networks/fault-matrix.ts';
import { goToSocial, mastodon } from '../../../../support/networks/mastodon/subject.ts';

describeFaults(
  toKind({
    ...mastodon,
    title: 'mastodon with images',
    media: [await createImage(), await createImage()],
    calls: { ...mastodon.calls, prepare: 2 },
  }),
  ['prepare'],
);
describeFaults(
  toKind({
    ...mastodon,
    title: 'mastodon with a video',
    media: [createVideo()],
    // The upload, and one poll.
    calls: { ...mastodon.calls, prepare: 2 },
  }),
);
describeFaults(
  toKind({
    ...goToSocial,
    title: 'GoToSocial with an image',
    media: [await createImage()],
    calls: { ...mastodon.calls, prepare: 1 },
  }),
  ['commit', 'reconcile'],
);
