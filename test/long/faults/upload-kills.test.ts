// A video of 200 MB whose worker is killed again and again: one video, and each kill costs one chunk at most.
import { describe, test } from 'vitest';
import { expectOneVideo, uploadUnderKills } from '../../chaos/upload/killed-upload.ts';
import { createTikTokUpload } from '../../support/networks/tiktok/killed-upload.ts';
import { createYouTubeUpload } from '../../support/networks/youtube/killed-upload.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();

describe.each([
  ['youtube', createYouTubeUpload],
  ['tiktok', createTikTokUpload],
] as const)('an upload to %s', (_, create) => {
  test.each([10, 40])(
    'whose worker is killed %i times continues where it stopped',
    async (count) => {
      const run = { bytes: 200_000_000, count, seed: count };
      expectOneVideo(await uploadUnderKills(database, create(), run), count);
    },
    600_000,
  );
});
