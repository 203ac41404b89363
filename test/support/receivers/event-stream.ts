// Server-sent events of GraphQL as bytes: a client that can stop reading, or vanish.
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { Message } from '../graphql/graphql.ts';

export interface EventStream {
  readonly response: IncomingMessage;
  /** All blocks without a message: the comments that keep the connection alive, and the end. */
  readonly others: readonly string[];
  readonly messages: readonly Message[];
  /** Breaks the connection without telling the server. */
  vanish(): void;
}

interface EventStreamOptions {
  url: string;
  key: string;
  query: string;
  variables?: Record<string, unknown>;
}

export async function openEventStream(options: EventStreamOptions): Promise<EventStream> {
  const { url, key, query, variables = {} } = options;
  const asked = request(`${url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    },
  });
  asked.end(JSON.stringify({ query, variables }));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const others: string[] = [];
  const messages: Message[] = [];
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (data === undefined) others.push(block);
      else messages.push(JSON.parse(data));
    }
  });
  response.on('error', () => undefined);
  return { response, others, messages, vanish: () => void response.destroy() };
}
