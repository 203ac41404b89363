// The Bluesky connector against Bluesky's own server on loopback.
import { afterAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import { recordKey } from '../../../activities/platforms/bluesky/record.ts';
import type { Fetch, Platform, Target } from '../../../activities/platforms/platform.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { startBlueskyPds } from '../../support/servers/bluesky-pds.ts';
import type { PdsAccount } from '../../support/servers/bluesky-pds.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import { loginOf } from '../../support/rows/grants.ts';
import { formOf } from '../../support/networks/connection.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startBlueskyPds();
if ('skipped' in started) console.warn(`No Bluesky server here: ${started.skipped}`);
const pds = 'skipped' in started ? undefined : started;
afterAll(() => pds?.stop());

const never = new AbortController().signal;
const password = 'correct-horse-battery';
let accountCount = 0;

/** A connector whose calls are listed by the method's last word. */
function createCounted(): { bluesky: Platform; calls: string[] } {
  const calls: string[] = [];
  const countingFetch: Fetch = (url, init) => {
    const { origin, pathname } = new URL(url);
    calls.push(origin === pds!.plcUrl ? 'DID document' : pathname.split('.').at(-1)!);
    return fetch(url, init);
  };
  return {
    bluesky: createBluesky({
      fetch: countingFetch,
      apiUrl: pds!.url,
      plcUrl: pds!.plcUrl,
      lookUpTxt: txtOf({}),
    }),
    calls,
  };
}

function createAccount(): Promise<PdsAccount> {
  return pds!.createAccount(`user${++accountCount}.test`, password);
}

async function connect(bluesky: Platform, { handle, appPassword }: PdsAccount) {
  const credentials = { handle: `@${handle}`, app_password: appPassword };
  return formOf(bluesky).run(formOf(bluesky).credentials.parse(credentials), never);
}

async function connectNew() {
  const { bluesky, calls } = createCounted();
  const account = await createAccount();
  const connection = await connect(bluesky, account);
  const target = (caption: string, change: Partial<Target> = {}) =>
    targetOf(connection, { dueAt: new Date('2026-05-12T08:30:00.123Z'), caption, ...change });
  return { bluesky, calls, account, connection, target };
}

async function prepared(bluesky: Platform, target: Target): Promise<Target> {
  return { ...target, state: await prepareTarget(bluesky, target, never) };
}

async function listRecords(did: string) {
  const query = new URLSearchParams({ repo: did, collection: 'app.bsky.feed.post' });
  const response = await fetch(`${pds!.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
  const { records } = (await response.json()) as {
    records: { uri: string; cid: string; value: Record<string, unknown> }[];
  };
  return records;
}

// In parallel, because the server takes at least 350 ms for each login.
describe.skipIf(!pds).concurrent('connect', () => {
  test('logs in with a handle and an app password, and keeps no password', async () => {
    const { account, connection, calls } = await connectNew();
    expect(calls).toEqual(['resolveHandle', 'DID document', 'describeServer', 'createSession']);
    expect(connection).toMatchObject({
      externalAccountId: account.did,
      accountName: account.handle,
      scope: ['com.atproto.appPass'],
      credentials: { service: pds!.url, did: account.did, handle: account.handle },
    });
    expect(Object.keys(connection.credentials).sort()).toEqual([
      'accessJwt',
      'did',
      'handle',
      'refreshJwt',
      'service',
    ]);
    const lifeMs = connection.tokenExpiresAt!.getTime() - Date.now();
    expect(lifeMs).toBeGreaterThan(60 * 60_000);
    expect(lifeMs).toBeLessThan(24 * 60 * 60_000);
  });

  test('distinguishes a wrong password from everything else', async () => {
    const { bluesky } = createCounted();
    const account = await createAccount();
    const error = await refusal(connect(bluesky, { ...account, appPassword: 'wrong-password' }));
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'Bluesky refused the request: AuthenticationRequired: Invalid identifier or password',
      options: { platformCode: 'AuthenticationRequired', providerError: { status: 401 } },
    });
    expect(`${error.message} ${JSON.stringify(error.options)}`).not.toContain('wrong-password');
  });
});

describe.skipIf(!pds).concurrent('commit', () => {
  test('posts links, mentions and hashtags with their byte ranges', async () => {
    const { bluesky, account, target } = await connectNew();
    const friend = await createAccount();
    const caption =
      `Grüße 👩‍👩‍👧 an @${friend.handle} und @nobody-here.test: ` +
      'https://example.com/ä?q=1, siehe #Fanfare🎺 und #ok.';
    const ready = await prepared(
      bluesky,
      target(caption, { platformOptions: { langs: ['de', 'pt-BR'], tags: ['music'] } }),
    );
    const outcome = await bluesky.commit(ready, never);

    const records = await listRecords(account.did);
    expect(records).toHaveLength(1);
    const { uri, value } = records[0]!;
    const bytes = Buffer.from(caption);
    const range = (part: string) => {
      const byteStart = bytes.indexOf(part);
      return { byteStart, byteEnd: byteStart + Buffer.byteLength(part) };
    };
    expect(range(`@${friend.handle}`).byteStart).toBe(30);
    const { record } = ready.state;
    const rkey = recordKey(ready.resultId);
    expect(value).toEqual({
      $type: 'app.bsky.feed.post',
      text: caption,
      createdAt: '2026-05-12T08:30:00.123Z',
      langs: ['de', 'pt-BR'],
      tags: ['music'],
      facets: [
        {
          index: range(`@${friend.handle}`),
          features: [{ $type: 'app.bsky.richtext.facet#mention', did: friend.did }],
        },
        {
          index: range('https://example.com/ä?q=1'),
          features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/ä?q=1' }],
        },
        {
          index: range('#Fanfare🎺'),
          features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'Fanfare🎺' }],
        },
        { index: range('#ok'), features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'ok' }] },
      ],
    });
    expect(value).toEqual(record);
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: uri,
        url: `https://bsky.app/profile/${account.handle}/post/${rkey}`,
        visibility: 'public',
      },
    });
    expect(uri).toBe(`at://${account.did}/app.bsky.feed.post/${rkey}`);
  });

  test('creates one record for two identical commits', async () => {
    const { bluesky, account, target } = await connectNew();
    const ready = await prepared(bluesky, target('Once, and only once. #idempotent'));
    const again = { ...ready, state: JSON.parse(JSON.stringify(ready.state)) as Target['state'] };
    expect(await bluesky.commit(ready, never)).toEqual(await bluesky.commit(again, never));
    expect(await listRecords(account.did)).toHaveLength(1);
  });

  test('creates two records for two targets with the same text', async () => {
    const { bluesky, account, target } = await connectNew();
    const [one, two] = await Promise.all([
      prepared(bluesky, target('Twice')),
      prepared(bluesky, target('Twice')),
    ]);
    await bluesky.commit(one, never);
    await bluesky.commit(two, never);
    expect(await listRecords(account.did)).toHaveLength(2);
  });

  test('accepts 300 graphemes and reports the refusal of more', async () => {
    const { bluesky, account, target } = await connectNew();
    const full = await prepared(bluesky, target('é'.repeat(300)));
    await bluesky.commit(full, never);
    const tooLong = await prepared(bluesky, target('é'.repeat(301)));
    expect(await refusal(bluesky.commit(tooLong, never))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'InvalidRequest' },
    });
    expect(await listRecords(account.did)).toHaveLength(1);
  });

  test('posts characters that JSON can hold and UTF-8 cannot', async () => {
    const { bluesky, account, target } = await connectNew();
    const ready = await prepared(bluesky, target('cut \ud83d off #tag'));
    await bluesky.commit(ready, never);
    const [record] = await listRecords(account.did);
    expect(record!.value).toMatchObject({
      text: 'cut \ufffd off #tag',
      facets: [{ index: { byteStart: 12, byteEnd: 16 } }],
    });
  });
});

describe.skipIf(!pds).concurrent('prepare', () => {
  test('returns the state of its first run again', async () => {
    const { bluesky, target } = await connectNew();
    const first = await prepared(bluesky, target('The same'));
    expect(await prepareTarget(bluesky, { ...first, caption: 'Another' }, never)).toEqual(
      first.state,
    );
  });
});

describe('recordKey', () => {
  test('derives from the id alone, and sorts like the ids', () => {
    // Thousands in each millisecond, as of a thread.
    const ids = Array.from({ length: 20_000 }, () => newId('result'));
    const keys = ids.map(recordKey);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(keys).size).toBe(ids.length);
    expect(keys.filter((key) => !/^[2-7a-j][2-7a-z]{12}$/.test(key))).toEqual([]);
    expect(ids.map(recordKey)).toEqual(keys);
  });

  test('is a TID of the time at which the id was made', () => {
    const alphabet = '234567abcdefghijklmnopqrstuvwxyz';
    const before = Date.now();
    let value = 0n;
    for (const digit of recordKey(newId('result'))) {
      value = (value << 5n) | BigInt(alphabet.indexOf(digit));
    }
    const ms = Number(value >> 10n) / 1_000;
    expect(ms).toBeGreaterThanOrEqual(before);
    // Ids made in a burst run a little ahead.
    expect(ms).toBeLessThan(before + 1_000);
  });
});

describe.skipIf(!pds).concurrent('reconcile', () => {
  test('says absent before the commit and published after it', async () => {
    const { bluesky, target } = await connectNew();
    const ready = await prepared(bluesky, target('Is it there?'));
    expect(await bluesky.reconcile!(ready, never)).toEqual({ outcome: 'absent' });
    expect(await bluesky.reconcile!(ready, never)).not.toEqual(await bluesky.commit(ready, never));
    expect(await bluesky.reconcile!(ready, never)).toEqual(await bluesky.commit(ready, never));
  });

  test('finds the post when the prepared state is lost, and a second commit changes nothing', async () => {
    const { bluesky, account, target } = await connectNew();
    const accepted = target('Before the restore');
    expect(await bluesky.reconcile!(accepted, never)).toEqual({ outcome: 'absent' });
    const published = await bluesky.commit(await prepared(bluesky, accepted), never);
    const [record] = await listRecords(account.did);
    expect(await bluesky.reconcile!(accepted, never)).toEqual(published);
    expect(await bluesky.commit(await prepared(bluesky, accepted), never)).toEqual(published);
    expect(await listRecords(account.did)).toEqual([record]);
  });

  test('needs no valid session', async () => {
    const { bluesky, target } = await connectNew();
    const ready = await prepared(bluesky, target('Still there'));
    const published = await bluesky.commit(ready, never);
    const accessJwt = pds!.expireToken(ready.credentials['accessJwt']!);
    const late = { ...ready, credentials: { ...ready.credentials, accessJwt } };
    expect(await bluesky.reconcile!(late, never)).toEqual(published);
  });
});

describe.skipIf(!pds).concurrent('refresh', () => {
  test('renews an ended session without a login', async () => {
    const { bluesky, calls, account, connection, target } = await connectNew();
    const accessJwt = pds!.expireToken(connection.credentials['accessJwt']!);
    const ready = await prepared(
      bluesky,
      target('Late', { credentials: { ...connection.credentials, accessJwt } }),
    );
    const error = await refusal(bluesky.commit(ready, never));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'ExpiredToken' },
    });
    expect(error.options.isRevoked).toBeUndefined();
    expect(await listRecords(account.did)).toHaveLength(0);

    const fresh = await bluesky.refresh!(loginOf(ready.credentials), never);
    expect(fresh.credentials).toMatchObject({
      service: pds!.url,
      did: account.did,
      handle: account.handle,
    });
    expect(fresh.credentials['refreshJwt']).not.toBe(connection.credentials['refreshJwt']);
    expect(fresh.tokenExpiresAt!.getTime()).toBeGreaterThan(Date.now());
    await bluesky.commit({ ...ready, credentials: fresh.credentials }, never);
    expect(await listRecords(account.did)).toHaveLength(1);
    expect(calls.slice(calls.indexOf('putRecord'))).toEqual([
      'putRecord',
      'DID document',
      'resolveHandle',
      'describeServer',
      'refreshSession',
      'putRecord',
    ]);
  });

  test('reports a deleted session as revoked', async () => {
    const { bluesky, connection } = await connectNew();
    await bluesky.revoke!(loginOf(connection.credentials), never);
    await bluesky.revoke!(loginOf(connection.credentials), never);
    const error = await refusal(bluesky.refresh!(loginOf(connection.credentials), never));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'ExpiredToken', isRevoked: true },
    });
  });

  test('reports a forged token as revoked, and shows no token', async () => {
    const { bluesky, connection, target } = await connectNew();
    const { accessJwt } = connection.credentials;
    const credentials = { ...connection.credentials, accessJwt: `${accessJwt}x` };
    const ready = await prepared(bluesky, target('Forged', { credentials }));
    const error = await refusal(bluesky.commit(ready, never));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: 'InvalidToken', isRevoked: true },
    });
    expect(`${error.message} ${JSON.stringify(error.options)}`).not.toContain('eyJ');
  });
});
