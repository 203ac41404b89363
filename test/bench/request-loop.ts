// Sends one request after the other over connections that are kept, as many at a time as there are of them.
import { Pool } from 'undici';

export interface RequestLoop {
  url: string;
  /** Of each request. */
  headers: () => Record<string, string>;
  /** Of the request with this number. */
  body: (number: number) => string;
  count: number;
  connections: number;
}

/** Requests per second. Throws at the first that is refused. */
export async function runRequests(loop: RequestLoop): Promise<number> {
  const { origin, pathname } = new URL(loop.url);
  const pool = new Pool(origin, { connections: loop.connections, pipelining: 1 });
  let left = loop.count;
  async function send(): Promise<void> {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: pathname,
        headers: { 'content-type': 'application/json', ...loop.headers() },
        body: loop.body(left),
      });
      const text = await body.text();
      if (statusCode >= 300) throw new Error(`It answered ${statusCode}: ${text}`);
    }
  }
  const startedAt = performance.now();
  try {
    await Promise.all(Array.from({ length: loop.connections }, send));
  } finally {
    await pool.destroy();
  }
  return loop.count / ((performance.now() - startedAt) / 1_000);
}
