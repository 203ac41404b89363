// A start waits for a backend that is away, and refuses at once what waiting can't change.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import {
  awaitDatabase,
  awaitMediaStore,
  awaitTemporal,
  type Waiting,
} from '../../../api/cli/await-backend.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
/** Nothing listens there. */
const nowhere = '127.0.0.1:1';

function waiting(withinMs: number) {
  const lines: string[] = [];
  const signal = new AbortController().signal;
  const options: Waiting = { report: (line) => void lines.push(line), signal, withinMs };
  return { ...options, lines };
}

function databaseUrl(change: (url: URL) => void): string {
  const url = new URL(database.url);
  change(url);
  return url.href;
}

const temporalTarget = (address: string, namespace = 'default') => ({
  address,
  config: readConfig({ TEMPORAL_NAMESPACE: namespace }),
});

describe('Postgres', () => {
  test('is reported once while it is away, and ends the start when the time is over', async () => {
    const url = databaseUrl((own) => {
      own.host = nowhere;
      own.password = 'hidden';
    });
    const wait = waiting(3_000);
    const reason = `connect ECONNREFUSED ${nowhere}`;
    await expect(awaitDatabase(url, wait)).rejects.toThrow(
      `Postgres at ${nowhere} is unavailable after 3 s: ${reason}`,
    );
    expect(wait.lines).toEqual([
      `Postgres at ${nowhere} is unavailable: ${reason}. Retrying for 3 s.`,
    ]);
  });

  test('is not reported if it answers at once', async () => {
    const wait = waiting(3_000);
    await awaitDatabase(database.url, wait);
    expect(wait.lines).toEqual([]);
  });

  test('ends the start at once if it lacks the database', async () => {
    const url = databaseUrl((own) => (own.pathname = '/no_such_database'));
    const { host } = new URL(url);
    const wait = waiting(60_000);
    await expect(awaitDatabase(url, wait)).rejects.toThrow(
      `Postgres at ${host}: database "no_such_database" does not exist`,
    );
    expect(wait.lines).toEqual([]);
  });

  test('is not waited for after a signal', async () => {
    const stopping = new AbortController();
    const report = () => stopping.abort(new Error('stopped'));
    const url = databaseUrl((own) => (own.host = nowhere));
    await expect(awaitDatabase(url, { report, signal: stopping.signal })).rejects.toThrow(
      'stopped',
    );
  });
});

describe('Temporal', () => {
  test('ends the start if it is away until the time is over', async () => {
    const wait = waiting(1_500);
    await expect(awaitTemporal(temporalTarget(nowhere), wait)).rejects.toThrow(
      `Temporal at ${nowhere} is unavailable after 1.5 s: `,
    );
    expect(wait.lines).toEqual([
      expect.stringContaining(`Temporal at ${nowhere} is unavailable: `) as string,
    ]);
  });

  test('is waited for if it lacks the namespace', async () => {
    const address = inject('temporalAddress');
    const wait = waiting(1_500);
    await expect(awaitTemporal(temporalTarget(address, 'missing'), wait)).rejects.toThrow(
      /^Temporal at .* is unavailable after 1\.5 s: .*missing is not found/,
    );
    await awaitTemporal(temporalTarget(address), waiting(1_500));
  });
});

describe('a bucket', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    vi.unstubAllEnvs();
  });

  async function bucketThatAnswers(status: number, body: string): Promise<string> {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hidden');
    server = createServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return urlOf(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const urlOf = (host: string) =>
    `s3://media/prefix?region=r&path_style=true&endpoint=http://${host}`;
  const errorOf = (code: string) =>
    `<Error><Code>${code}</Code><Message>It says no.</Message></Error>`;

  test('ends the start if it is away until the time is over', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hidden');
    await expect(awaitMediaStore(urlOf(nowhere), waiting(1_500))).rejects.toThrow(
      `The media bucket media at ${nowhere} is unavailable after 1.5 s: `,
    );
  });

  test('ends the start at once if it refuses the credentials or is missing', async () => {
    for (const [status, code] of [
      [403, 'AccessDenied'],
      [404, 'NoSuchBucket'],
    ] as const) {
      const wait = waiting(60_000);
      const url = await bucketThatAnswers(status, errorOf(code));
      await expect(awaitMediaStore(url, wait)).rejects.toThrow(
        /^The media bucket media at 127\.0\.0\.1:\d+: \w+: It says no$/,
      );
      expect(wait.lines).toEqual([]);
      server?.close();
    }
  });

  test('is waited for if it fails', async () => {
    const wait = waiting(1_500);
    const url = await bucketThatAnswers(503, errorOf('SlowDown'));
    await expect(awaitMediaStore(url, wait)).rejects.toThrow('is unavailable after 1.5 s: ');
  });

  test('is ready if it lists its objects', async () => {
    const wait = waiting(1_500);
    await awaitMediaStore(await bucketThatAnswers(200, '<ListBucketResult/>'), wait);
    expect(wait.lines).toEqual([]);
  });
});
