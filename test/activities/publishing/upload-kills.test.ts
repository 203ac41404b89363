// An upload of 40 chunks whose worker is killed at each chunk, and continued by another worker.
import { expect, test } from 'vitest';
import { createRandomFile, fileMedia } from '../../support/media/target-media.ts';
import { forFile } from '../../support/fixtures.ts';
import { expectConsistent } from '../../support/networks/consistency.ts';
import {
  createFailingWorker,
  createWorkerPool,
  type FailingWorker,
} from '../../support/networks/failing-worker.ts';
import { advanceToEnd, dependenciesOf, writePost } from '../../support/networks/posting.ts';
import { expireLeases } from '../../support/networks/step-failures.ts';
import { startUploads, type UploadNetwork } from '../../support/networks/upload-session.ts';
import { useDatabase } from '../../support/rows/database.ts';

const chunkBytes = 65_536;
const chunkCount = 40;

const database = useDatabase();
const pool = forFile(
  () => createWorkerPool(database.url),
  (made) => made.end(),
);
const file = forFile(() => createRandomFile(chunkBytes * chunkCount));

type Moment = 'before' | 'after';

/** Publishes the file with one worker after the other. Returns how many died, each at the next chunk. */
async function publish(network: UploadNetwork, moment: Moment): Promise<number> {
  const { db } = database;
  const loadMedia = () => Promise.resolve([fileMedia(file.path)]);
  const post = await writePost(db, network);
  const advance = (worker: Pick<FailingWorker, 'db'>) =>
    advanceToEnd({ ...dependenciesOf(worker.db, network), loadMedia }, post.resultIds[0]!);
  let deaths = 0;
  for (let isAlive = false; !isAlive;) {
    isAlive = true;
    const worker = createFailingWorker({ pool });
    network.switchboard.onCall = async (now, stage) => {
      if (stage !== 'prepare' && stage !== 'commit') return;
      const stored = network.chunks.filter(({ taken }) => taken === 'stored').length;
      const isAtChunk = now === 'before' ? stored === deaths : stored === deaths + 1;
      if (now !== moment || !isAtChunk || network.countSessions() === 0) return;
      deaths++;
      isAlive = false;
      await worker.die();
    };
    await worker.run(() => advance(worker));
    await expireLeases(db, post);
  }
  const dependencies = dependenciesOf(db, network);
  const areAttemptsComplete = false;
  const [row] = await expectConsistent(dependencies, network, post, { areAttemptsComplete });
  expect(row!.status).toBe('published');
  return deaths;
}

/** How often each chunk arrived, or how often the network stored it. */
const countEach = ({ chunks }: UploadNetwork, taken?: 'stored') =>
  Array.from({ length: chunkCount }, (_, i) => {
    const same = chunks.filter(({ start }) => start === i * chunkBytes);
    return taken ? same.filter((chunk) => chunk.taken === taken).length : same.length;
  });
const once = Array<number>(chunkCount).fill(1);

test('an upload sends each chunk once when its workers die before a chunk', async () => {
  await using network = await startUploads({ chunkBytes });
  expect(await publish(network, 'before')).toBe(chunkCount);
  expect(countEach(network)).toEqual(once);
  expect(countEach(network, 'stored')).toEqual(once);
  expect(await network.listPosts()).toMatchObject([{ options: { sha256: file.sha256 } }]);
  expect(network.countSessions()).toBe(1);
});

test('an upload sends each chunk at most twice when its workers die after a chunk', async () => {
  await using network = await startUploads({ chunkBytes });
  expect(await publish(network, 'after')).toBe(chunkCount);
  // After the commit, a check finds the post.
  expect(countEach(network)).toEqual([...Array<number>(chunkCount - 1).fill(2), 1]);
  expect(countEach(network, 'stored')).toEqual(once);
  expect(await network.listPosts()).toMatchObject([{ options: { sha256: file.sha256 } }]);
  expect(network.countSessions()).toBe(1);
});
