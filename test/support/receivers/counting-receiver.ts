// A receiver that works on each request for a while, and counts how many requests it works on at the same
// time.
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver, type ReceivedRequest, type Receiver, type Reply } from './receiver.ts';

export interface CountingReceiver extends Receiver {
  readonly mostOpen: () => number;
}

/** `reply` is called when a request arrives. */
export async function startCountingReceiver(
  workMs: number,
  reply: (request: ReceivedRequest) => Reply = () => ({ status: 200 }),
): Promise<CountingReceiver> {
  let openCount = 0;
  let mostOpen = 0;
  const receiver = await startReceiver({
    respond: async (request) => {
      const answer = reply(request);
      mostOpen = Math.max(mostOpen, ++openCount);
      await sleep(workMs);
      openCount--;
      return answer;
    },
  });
  return { ...receiver, mostOpen: () => mostOpen };
}
