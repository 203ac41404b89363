// The command `projects export`: the records of the project of an API key, one object a line.
import type { Fanfare } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import type { Terminal } from '../output/terminal.ts';

/** Secrets aren't part of it, because the API shows none. */
export async function exportProject(
  client: Fanfare,
  { print, signal }: Terminal,
): Promise<Partial<Answer>> {
  const options = { signal };
  const page = { limit: 100 };
  const printLine = (type: string, data: unknown) => print(JSON.stringify({ type, data }));
  printLine('project', await client.project.get(options));
  const lists: [string, AsyncIterable<unknown>][] = [
    ['api_key', client.apiKeys.list(page, options)],
    ['platform_app', client.platformCredentials.list(options)],
    ['user', client.users.list(page, options)],
    ['account', client.accounts.list(page, options)],
    ['queue', client.queues.list(page, options)],
    ['media', client.media.list(page, options)],
    ['post', client.posts.list(page, options)],
    ['webhook', client.webhooks.list(page, options)],
    ['event', client.events.list(page, options)],
    ['delivery', client.deliveries.list(page, options)],
  ];
  for (const [type, entries] of lists) {
    for await (const data of entries) printLine(type, data);
  }
  return {};
}
