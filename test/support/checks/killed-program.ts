// What a program has published, as its API shows it, although the program was killed and started again.
import type { Api } from '../app/api.ts';

/** Settings of a program that is killed, with short waits. */
export const fast = {
  FANFARE_RECONCILE_DELAYS_MS: '0,200,500',
  FANFARE_SWEEP_EVERY_S: '1',
  FANFARE_SWEEP_OVERDUE_S: '2',
  FANFARE_MIN_SCHEDULE_AHEAD_S: '1',
  FANFARE_LOG_LEVEL: 'error',
};

export async function waitFor<T>(
  find: () => Promise<T | undefined>,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const sandboxAccounts = async (api: Api): Promise<string[]> => {
  const { body } = await api.get('/v1/accounts?platform=sandbox');
  return body.data.map((account: { id: string }) => account.id);
};

export const concluded = async (api: Api, id: string) => {
  const { body } = await api.get(`/v1/posts/${id}`);
  return ['published', 'partial', 'failed'].includes(body.data.status) ? body.data : undefined;
};

/** The statuses of the post's targets, once no target waits to be started. */
export const resultsUnderway = async (api: Api, id: string): Promise<string[] | undefined> => {
  const { body } = await api.get(`/v1/posts/${id}`);
  const statuses = body.data.results.map((result: { status: string }) => result.status);
  return statuses.includes('pending') ? undefined : statuses;
};

/** How many posts the network has with each of these captions. */
export async function countAtNetwork(api: Api, captions: string[]): Promise<number[]> {
  const page = await fetch(new URL('/sandbox/posts?limit=500', api.url));
  const html = await page.text();
  return captions.map((caption) => html.split(caption).length - 1);
}
