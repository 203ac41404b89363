// The baseline of deliveries: a bare loop that signs and POSTs, with nothing kept of it.
import { Pool } from 'undici';
import { signWebhook } from '../../activities/delivering/signature.ts';

export interface RawLoop {
  url: string;
  body: string;
  secret: string;
  count: number;
}

const connections = 100;

/** Requests per second. */
export async function runRawLoop({ url, body, secret, count }: RawLoop): Promise<number> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  let left = count;
  async function loop(): Promise<void> {
    while (left-- > 0) {
      const signature = signWebhook({
        secrets: [secret],
        body,
        webhookId: `evt_${left}`,
        timestampSeconds: Date.now() / 1_000,
      });
      const response = await pool.request({
        method: 'POST',
        path: pathname,
        headers: { 'content-type': 'application/json', ...signature },
        body,
      });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`It answered ${response.statusCode}.`);
    }
  }
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, loop));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return count / seconds;
}
