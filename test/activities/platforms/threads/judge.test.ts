// The simulator of Threads answers the calls of Meta's Postman collection as the collection's examples do.
import { expect, test } from 'vitest';
import { threads as definition } from '../../../../schema/platforms/threads.ts';
import {
  collectedCalls,
  otherCalls,
  type CollectedCall,
} from '../../../support/judges/threads-postman.ts';
import { hostMedia } from '../../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;
type Values = Record<string, string>;

const replyScopes = ['threads_manage_replies', 'threads_read_replies'];

const fill = (text: string, values: Values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** `data[].owner.id` */
function listNames(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listNames(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) =>
    listNames(member, path === '' ? name : `${path}.${name}`),
  );
}

/** As Postman sends it: everything in the query. */
async function send(network: Network, call: CollectedCall, values: Values) {
  const { method, path, query, token = 'token' } = call;
  const url = new URL(fill(path, values), network.url);
  for (const [name, value] of Object.entries(query)) {
    // Braces of `fields` and of JSON stay.
    url.searchParams.set(name, fill(value, values));
  }
  if (token !== null) url.searchParams.set('access_token', values[token]!);
  const response = await fetch(url, { method });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** What the call saves for the next ones, as the collection's scripts do. */
function save({ path, query }: CollectedCall, body: Record<string, unknown>, values: Values) {
  const id = String(body['id']);
  if (path === '/oauth/access_token') values['short'] ??= String(body['access_token']);
  if (path !== '/me/threads' || !('media_type' in query)) return;
  values['container'] = id;
  if ('is_carousel_item' in query) {
    values['children'] = [values['children'], id].filter(Boolean).join();
  }
}

/** Names that the example has and the answer lacks, and names that nobody has asked for. */
function compare({ answer, query }: CollectedCall, body: Record<string, unknown>): string[] {
  if (answer === null) return [];
  const names = new Set(listNames(body));
  const asked = new Set(query['fields']?.match(/\w+/g));
  const isAsked = (name: string) => asked.has(/^(?:data\[\]\.)?(\w+)/.exec(name)![1]!);
  return [
    ...answer.filter((name) => !names.has(name)).map((name) => `lacks ${name}`),
    ...[...names]
      .filter((name) => !answer.includes(name) && !isAsked(name))
      .map((name) => `adds ${name}`),
  ];
}

test('every answer of the simulator has the status and the member names of its example', async () => {
  await using network = await startThreads();
  const { logins, posts } = network.server;
  const { query } = await network.allow();
  const scopes = [...definition.scopes, ...replyScopes, 'threads_delete'];
  const values: Values = {
    app: network.app.clientId,
    secret: network.app.clientSecret,
    callback: network.request.callbackUrl,
    code: query['code']!,
    token: logins.createToken(scopes),
    image: (await hostMedia(await createImage())).publicUrl(0),
    video: (await hostMedia(createVideo())).publicUrl(0),
  };
  const differences: string[] = [];
  for (const call of collectedCalls) {
    if (call.path === '/{thread}/replies') {
      const target = await network.prepare(network.target({ replyTo: values['thread']! }));
      await network.commit(target);
      values['reply'] = posts.at(-1)!.id;
    }
    const { status, body } = await send(network, call, values);
    const found = status === 200 ? compare(call, body) : [`has ${status}: ${JSON.stringify(body)}`];
    differences.push(...found.map((difference) => `${call.number} ${difference}`));
    save(call, body, values);
    // The first post, which has a poll.
    if (posts[0]) values['thread'] ??= posts[0].id;
  }
  expect(differences).toEqual([]);
  const numbers = [...collectedCalls.map(({ number }) => number), ...otherCalls];
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 37 }, (_, i) => i + 1));
  expect(collectedCalls).toHaveLength(26);
});
