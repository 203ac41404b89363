// Connecting a Nostr account: its key, its relays, and relays that are none.
import { nsecEncode, npubEncode } from 'nostr-tools/nip19';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../../activities/platforms/index.ts';
import {
  createAuthor,
  createConnector,
  deadRelay,
} from '../../../support/networks/nostr/author.ts';
import { startRelay, type Relay } from '../../../support/networks/nostr/server.ts';
import { startHttp } from '../../../support/receivers/loopback.ts';
import { createTestRest, type TestKey, type TestRest } from '../../../support/app/rest.ts';
import { formOf } from '../../../support/networks/connection.ts';

let relay: Relay;
let rest: TestRest;
let tenant: TestKey;
beforeAll(async () => {
  relay = await startRelay();
  rest = await createTestRest({}, { platforms: createPlatforms([createConnector()]) });
  tenant = await rest.createTenant();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

const author = createAuthor([]);
const nsec = nsecEncode(author.key);
const hex = author.credentials.private_key;

const connect = (credentials: object, { call } = rest, { key } = tenant) =>
  call('POST', '/v1/accounts/connect', { key, body: { platform: 'nostr', credentials } });

/** Where a refusal points to, its code and its words, in which the key must not show. */
async function findIssue(credentials: object) {
  const { status, body } = await connect(credentials);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).not.toContain(hex);
  expect(JSON.stringify(body)).not.toContain(nsec);
  expect(body.error.issues).toHaveLength(1);
  return body.error.issues[0] as { path: string; code: string; message: string };
}

describe('the private key', () => {
  test.each([
    ['nsec', nsec],
    ['hexadecimal digits', hex.toUpperCase()],
    ['nsec with spaces around', ` ${nsec}\n`],
  ])('connects its account as %s', async (_, private_key) => {
    const { status, body } = await connect({ private_key, relays: relay.url });
    expect([200, 201]).toContain(status);
    expect(body.data).toMatchObject({
      external_account_id: author.pubkey,
      account_name: npubEncode(author.pubkey),
      token_expires_at: null,
    });
    expect(JSON.stringify(body)).not.toContain(hex);
  });

  test('is stored as hex, whichever form is given', () => {
    const { credentials } = formOf(createConnector());
    const relays = 'wss://a.example.com';
    for (const private_key of [nsec, hex.toUpperCase()]) {
      expect(credentials.parse({ private_key, relays })).toEqual({ private_key: hex, relays });
    }
  });

  test.each([
    ['a public key', npubEncode(author.pubkey)],
    ['a wrong checksum', `${nsec.slice(0, -1)}${nsec.endsWith('q') ? 'p' : 'q'}`],
    ['no key of the curve', '0'.repeat(64)],
    ['63 digits', 'a'.repeat(63)],
    ['words', 'abandon abandon about'],
    ['nothing', ''],
  ])('is refused if it is %s', async (_, private_key) => {
    const issue = await findIssue({ private_key, relays: relay.url });
    expect(issue).toMatchObject({
      path: 'credentials.private_key',
      message: 'must be a private key: nsec1…, or 64 hexadecimal digits',
    });
  });
});

describe('the relays', () => {
  test.each([
    [
      'wss://a.example.com/,wss://b.example.com/path/',
      'wss://a.example.com wss://b.example.com/path',
    ],
    [' wss://A.example.com\n\nwss://a.example.com:443 ', 'wss://a.example.com'],
    ['ws://127.0.0.1:7777', 'ws://127.0.0.1:7777'],
  ])('%j are %j', (given, relays) => {
    const { credentials } = formOf(createConnector());
    expect(credentials.parse({ private_key: nsec, relays: given })).toMatchObject({ relays });
  });

  test.each([[''], [' , '], [Array.from({ length: 11 }, (_, i) => `wss://${i}.test`).join(' ')]])(
    'must be one to ten: %j',
    async (relays) => {
      const { path, message } = await findIssue({ private_key: nsec, relays });
      expect([path, message]).toEqual(['credentials.relays', 'must be 1 to 10 relays']);
    },
  );

  test('are named in the issue if their URLs are invalid', async () => {
    const wrong = [
      'https://a.test',
      'relay.test',
      'wss://a:b@c.test',
      'wss://c.test/#d',
      'wss:///path',
      `wss://${'x'.repeat(255)}`,
    ];
    const issue = await findIssue({ private_key: nsec, relays: `${relay.url} ${wrong.join(' ')}` });
    expect(issue.path).toBe('credentials.relays');
    expect(issue.message).not.toContain(relay.url);
    for (const each of wrong) expect(issue.message).toContain(each.slice(0, 255));
  });

  test('may all be unreachable except one', async () => {
    const { status } = await connect({ private_key: nsec, relays: `${deadRelay} ${relay.url}` });
    expect([200, 201]).toContain(status);
  });

  test('may ask for authentication', async () => {
    await using asking = await startRelay();
    asking.needsAuth = 'read';
    const credentials = { private_key: nsec, relays: asking.url };
    expect([200, 201]).toContain((await connect(credentials)).status);
    asking.takesAuth = false;
    expect((await findIssue(credentials)).message).toContain('restricted: you are not registered');
  });

  test('are named, each with its fault, if all fail', async () => {
    const web = await startHttp((_request, response) => response.writeHead(404).end());
    const never = await startHttp(() => undefined);
    await using chatty = await startRelay();
    chatty.answerWith = () => '<html>Welcome</html>';
    await using huge = await startRelay();
    huge.answerWith = () => JSON.stringify(['NOTICE', 'x'.repeat(10_000_000)]);
    await using silent = await startRelay();
    silent.answerWith = () => null;
    const faults = {
      [deadRelay]: 'connect ECONNREFUSED',
      [web.url.replace('http', 'ws')]: 'Unexpected server response: 404',
      [never.url.replace('http', 'ws')]: 'It did not answer in time',
      [chatty.url]: 'Unexpected token',
      [huge.url]: 'Max payload size exceeded',
      [silent.url]: 'It did not answer in time',
    };
    const relays = Object.keys(faults).join(' ');
    const { path, code, message } = await findIssue({ private_key: nsec, relays });
    expect([path, code]).toEqual(['credentials.relays', 'no_relay']);
    for (const [url, fault] of Object.entries(faults))
      expect(message).toContain(`${url}: ${fault}`);
  });

  test('are not reached if their addresses are private', async () => {
    const nostr = createConnector([]);
    const strict = await createTestRest({}, { platforms: createPlatforms([nostr]) });
    const relays = `${relay.url} wss://127.0.0.1:1 wss://169.254.169.254 ws://8.8.8.8`;
    const seen = relay.messages.length;
    const { status, body } = await connect(
      { private_key: nsec, relays },
      strict,
      await strict.createTenant(),
    );
    await strict[Symbol.asyncDispose]();
    expect(status).toBe(422);
    const [{ message }] = body.error.issues;
    expect(message.match(/isn't public/g)).toHaveLength(3);
    expect(message).toContain('ws://8.8.8.8: The URL must begin with https://.');
    expect(relay.messages.length).toBe(seen);
  });
});
