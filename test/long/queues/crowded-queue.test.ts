// The same as in the suite, at full size.
import { test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import { crowdQueue } from '../../support/queues/crowded-queue.ts';

const rest = useRest();

test('8 clients put 200 posts each into one queue while others cancel and move posts', async () => {
  await crowdQueue(rest, { clients: 8, posts: 200 });
}, 600_000);
