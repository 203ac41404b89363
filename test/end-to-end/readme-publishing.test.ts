// What the docs say about publishing: their requests, run as printed, and their tables.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorMeanings } from '../../api/reference/error-meanings.ts';
import { routes } from '../../api/resources/routes.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import { CreatePost, PlatformPost, waitReasons, type Post } from '../../schema/posts/posts.ts';
import { errorKinds } from '../../schema/wire/errors.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { startRelay } from '../support/networks/nostr/server.ts';
import { readBlocks, readPage, readTable } from '../support/checks/readme.ts';
import { createShell, type Shell } from '../support/app/shell.ts';

let app: TestApp;
let shell: Shell;

beforeAll(async () => {
  [app, shell] = [await startApp(), await createShell()];
});
afterAll(async () => {
  await app.stop();
  await shell[Symbol.asyncDispose]();
});

const publishing = readPage('docs/publishing.md');
const errors = readPage('docs/errors.md');

const [requests, [realExample]] = divide(
  [readPage('README.md'), readPage('docs/quickstart.md'), publishing]
    .flatMap(readBlocks)
    .filter(({ language, text }) => language === 'sh' && text.includes('$URL/v1/posts '))
    .map(({ text }) => text),
);

/** Requests for accounts that there are, and those that connect their own. */
function divide(blocks: string[]): [string[], string[]] {
  const doesConnect = (block: string) => block.includes('/v1/accounts/connect');
  return [blocks.filter((block) => !doesConnect(block)), blocks.filter(doesConnect)];
}

/** Each placeholder stands for one account. */
async function fillIn(request: string): Promise<string> {
  const placeholders = new Set(request.match(/sa_[A-Z]+/g));
  let filled = request;
  for (const [i, placeholder] of [...placeholders].entries()) {
    const { id } = await app.tenant.connectSandbox(`reader-${i}`);
    filled = filled.replaceAll(placeholder, id);
  }
  return filled;
}

async function publish(request: string): Promise<Post> {
  const env = { URL: app.url, KEY: app.tenant.key };
  const printed = await shell.run(await fillIn(request), env);
  const { data } = JSON.parse(printed) as { data?: Post };
  expect(data, printed).toMatchObject({ status: 'pending' });
  return app.tenant.waitForPost(data!.id);
}

describe('the requests that publish', () => {
  test('are in the README, the quickstart and the page on publishing', () => {
    expect(requests).toHaveLength(3);
  });

  test.each(requests)('work as printed: %#', async (request) => {
    const { status, results } = await publish(request);
    expect(status).toBe('published');
    const comments = results.flatMap(({ first_comment }) => first_comment ?? []);
    expect(comments.map((comment) => comment.status)).toEqual(
      request.includes('first_comment') ? ['published'] : [],
    );
  });
});

describe('the real example', () => {
  test('connects a new key, publishes to its relays and prints where the post is', async () => {
    await using relay = await startRelay();
    const commands = realExample!.replace(/RELAYS='wss:[^']+'/, `RELAYS='${relay.url}'`);
    expect(commands).toContain(relay.url);
    const printed = await shell.run(commands, { URL: app.url, KEY: app.tenant.key });
    expect(printed.trim()).toMatch(/^https:\/\/njump\.me\/nevent1\w+$/);
    expect(relay.events.map(({ content }) => content)).toEqual(['Hello from Fanfare']);
  });
});

const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

describe('the tables', () => {
  test('name every field of a post and of its targets, and no other', () => {
    const named = readTable(publishing, 'Field').flatMap(([names]) => namesIn(names!));
    // What names the target, and not what goes there.
    const { account_id: _, platform: __, ...ofTarget } = PlatformPost.shape;
    const fields = new Set([...Object.keys(CreatePost.shape), ...Object.keys(ofTarget)]);
    expect(named.toSorted()).toEqual([...fields].toSorted());
  });

  test('name only calls that exist', () => {
    const known = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const calls = readTable(publishing, 'Call').flatMap(([names]) => namesIn(names!));
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter((call) => !known.includes(call))).toEqual([]);
  });

  test('list what a target can wait for', () => {
    expect(readTable(publishing, '`waiting_for`')).toEqual(
      Object.entries(waitReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
    );
  });

  test('list the error codes of requests, with their status', () => {
    expect(readTable(errors, '`code`').map((cells) => cells.slice(0, 3))).toEqual(
      Object.entries(errorKinds).map(([code, { status, isRetriable }]) => [
        `\`${code}\``,
        String(status),
        `\`${isRetriable}\``,
      ]),
    );
  });

  test('explain the error codes of requests as the API reference does', () => {
    const withoutLinks = (text: string) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const rows = readTable(errors, '`code`');
    expect(
      rows.map(([code, , , meaning, action]) => [code, withoutLinks(`${meaning} ${action}`)]),
      'Edit docs/errors.md or errorMeanings in api/reference/error-meanings.ts.',
    ).toEqual(Object.entries(errorMeanings).map(([code, text]) => [`\`${code}\``, text]));
  });

  test('explain the error codes of targets as the API does', () => {
    expect(readTable(errors, '`error_code`')).toEqual(
      Object.entries(postingErrors).map(([code, { message, isRetriable, nextAction }]) => [
        `\`${code}\``,
        message,
        `\`${isRetriable}\``,
        `\`${nextAction}\``,
      ]),
    );
  });
});
