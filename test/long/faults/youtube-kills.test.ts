// A video of 200 MB at YouTube whose worker is killed again and again: one video, and each kill costs one chunk at most.
import { test } from 'vitest';
import { expectOneVideo, uploadUnderKills } from '../../support/networks/youtube/killed-upload.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();

test.each([10, 40])(
  'an upload whose worker is killed %i times continues where it stopped',
  async (count) => {
    const upload = await uploadUnderKills(database, { bytes: 200_000_000, count, seed: count });
    expectOneVideo(upload, count);
  },
  600_000,
);
