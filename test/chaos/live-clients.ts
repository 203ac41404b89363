// Clients of the live streams, over WebSocket and server-sent events, that resume from their cursors.
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../support/app/api.ts';
import { subscribeOverSocket, subscribeOverSse, type Message } from '../support/graphql/graphql.ts';

export interface LiveClient {
  readonly name: string;
  /** Which of the projects. */
  readonly project: number;
  readonly subject: 'post' | 'event' | 'delivery';
  /** Changes received since its cursor, as `<kind> <subject id>`. */
  readonly received: readonly string[];
  /** Its cursor expired, so it began anew with everything that is kept. */
  readonly isWhole: boolean;
  readonly resumes: number;
  close(): Promise<void>;
}

const transports = { WebSocket: subscribeOverSocket, SSE: subscribeOverSse };

const posts = { subject: 'post', field: 'postUpdated' } as const;
const events = { subject: 'event', field: 'eventRecorded' } as const;
const deliveries = { subject: 'delivery', field: 'deliveryUpdated' } as const;

/** The first project sends the steady load. The others send parts of bursts, so their ends are enough. */
const wanted = [
  { ...posts, transport: 'WebSocket', project: 0 },
  { ...posts, transport: 'SSE', project: 0 },
  { ...events, transport: 'WebSocket', project: 0 },
  { ...deliveries, transport: 'SSE', project: 0 },
  { ...events, transport: 'SSE', project: 1 },
  { ...posts, transport: 'WebSocket', project: 2 },
] as const;
type Wanted = (typeof wanted)[number];

/** All begin at the same place, where the streams stand now. */
export async function startLiveClients(
  urls: readonly string[],
  keys: readonly string[],
): Promise<LiveClient[]> {
  const { body } = await createApi(urls[0]!, keys[0]!).graphql('{ liveCursor }');
  const cursor = body.data.liveCursor as string;
  return wanted.map((one, i) =>
    startLiveClient(one, { urls, key: keys[one.project]!, cursor, first: i }),
  );
}

interface Start {
  urls: readonly string[];
  key: string;
  cursor: string;
  /** The server that it asks first. */
  first: number;
}

function startLiveClient(
  { project, subject, field, transport }: Wanted,
  { urls, key, cursor, first }: Start,
): LiveClient {
  const query = `subscription ($after: String) { ${field}(after: $after) { cursor change id: ${subject}Id } }`;
  const received: string[] = [];
  let after = cursor;
  let isWhole = false;
  let isClosed = false;
  let opened = 0;

  /** False: the stream is over. */
  function take({ data, errors, failed }: Message): boolean {
    const update = data?.[field];
    if (update) {
      after = update.cursor;
      if (update.change !== 'bookmark') received.push(`${update.change} ${update.id}`);
      return true;
    }
    const { code, oldestCursor } = errors?.[0]?.extensions ?? failed?.[0]?.extensions ?? {};
    if (code === 'cursor_expired') {
      after = oldestCursor;
      isWhole = true;
      received.length = 0;
    }
    return false;
  }

  async function follow(): Promise<void> {
    const url = urls[(first + opened++) % urls.length]!;
    await using stream = await transports[transport]({ url, key, query, variables: { after } });
    let isOver = false;
    void stream.closed.then(() => (isOver = true));
    for (let read = 0; !isClosed;) {
      const isLast = isOver;
      while (read < stream.messages.length) {
        if (!take(stream.messages[read++])) return;
      }
      if (isLast) return;
      await sleep(50);
    }
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      await follow().catch(() => undefined);
      await sleep(200);
    }
  }
  const running = run();

  return {
    name: `${field} over ${transport}${project === 0 ? '' : ` of project ${project + 1}`}`,
    project,
    subject,
    received,
    get isWhole() {
      return isWhole;
    },
    get resumes() {
      return opened - 1;
    },
    async close() {
      isClosed = true;
      await running;
    },
  };
}
