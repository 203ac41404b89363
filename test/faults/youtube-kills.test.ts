// A video at YouTube whose worker is killed three times: one video, and each kill costs one chunk at most.
import { test } from 'vitest';
import { expectOneVideo, uploadUnderKills } from '../support/networks/youtube/killed-upload.ts';
import { useDatabase } from '../support/rows/database.ts';

const database = useDatabase();

test('an upload whose worker is killed three times continues where it stopped', async () => {
  const upload = await uploadUnderKills(database, { bytes: 40_000_000, count: 3, seed: 7 });
  expectOneVideo(upload, 3);
}, 120_000);
