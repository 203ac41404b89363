// Measures the CPU time of this thread's longest turn of the event loop while another thread sends a request.
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

export interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array;
}

export interface MeasuredAnswer {
  status: number;
  /** At most the first 1,000 characters of the answer. */
  text: string;
  longestTurnMs: number;
}

type Answer = Omit<MeasuredAnswer, 'longestTurnMs'>;

const sender = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', async ({ url, ...request }) => {
  const response = await fetch(url, request);
  parentPort.postMessage({ status: response.status, text: (await response.text()).slice(0, 1_000) });
});`;

export function createTurnMeter() {
  const worker = new Worker(sender, { eval: true });

  async function measure(request: SentRequest): Promise<MeasuredAnswer> {
    let answer: Answer | undefined;
    worker.once('message', (received) => (answer = received as Answer));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(request);
    let longestUs = 0;
    for (let start = process.threadCpuUsage(); !answer; start = process.threadCpuUsage()) {
      // Timers run between turns. An immediate would keep the thread busy while it waits.
      await sleep(1);
      const { user, system } = process.threadCpuUsage(start);
      longestUs = Math.max(longestUs, user + system);
    }
    return { ...answer, longestTurnMs: longestUs / 1_000 };
  }

  return { measure, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}

/** The CPU time of this thread's longest turn during the work. Another busy process doesn't lengthen it. */
export async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  let longestUs = 0;
  for (let start = process.threadCpuUsage(); !isDone; start = process.threadCpuUsage()) {
    await sleep(1);
    const { user, system } = process.threadCpuUsage(start);
    longestUs = Math.max(longestUs, user + system);
  }
  await done;
  return longestUs / 1_000;
}

/** Returns a function for the CPU time that this thread has used since the call. */
export function startCpuTimer(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
