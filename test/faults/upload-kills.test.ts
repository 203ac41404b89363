// A video whose worker is killed three times: one video, and each kill costs one chunk at most.
import { test } from 'vitest';
import { expectOneVideo, uploadUnderKills } from '../chaos/upload/killed-upload.ts';
import { createTikTokUpload } from '../support/networks/tiktok/killed-upload.ts';
import { createYouTubeUpload } from '../support/networks/youtube/killed-upload.ts';
import { useDatabase } from '../support/rows/database.ts';

const database = useDatabase();

test.each([createYouTubeUpload(), createTikTokUpload()])(
  'an upload to $name whose worker is killed three times continues where it stopped',
  async (network) => {
    const run = { bytes: 40_000_000, count: 3, seed: 7 };
    expectOneVideo(await uploadUnderKills(database, network, run), 3);
  },
  120_000,
);
