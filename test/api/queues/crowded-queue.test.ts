// Many clients fill one queue at once: no slot is given twice, and no post is lost.
import { test } from 'vitest';
import { useRest } from '../../support/app/rest.ts';
import { crowdQueue } from '../../support/queues/crowded-queue.ts';

const rest = useRest();

test('8 clients put 12 posts each into one queue while others cancel and move posts', async () => {
  await crowdQueue(rest, { clients: 8, posts: 12 });
});
