// Names that are never answered, beside healthy ones: on a real name server, and on a slow resolver.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { isAnswered } from '../../activities/dns-probe.ts';
import { createHostLookup } from '../../activities/host-lookup.ts';

const found = [{ address: '93.184.215.14', family: 4 }];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** Says "no such name" of every name, but nothing of those that begin with `silent`. */
async function startNameServer(): Promise<string> {
  const socket = createSocket('udp4');
  sockets.push(socket);
  socket.on('message', (question, peer) => {
    if (question.includes('silent')) return;
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8183, 2);
    socket.send(answer, peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

/** A resolver with as many threads as ours has for look-ups; `silent` names hold one for `holdMs`. */
function startResolver(holdMs: number, threads = 8) {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  let free = threads;
  async function resolve(hostname: string) {
    if (free > 0) free -= 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    asked.push(hostname);
    try {
      if (!hostname.startsWith('silent')) return found;
      await sleep(holdMs, undefined, { ref: false });
      throw Object.assign(new Error('No answer.'), { code: 'EAI_AGAIN' });
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }
  return { resolve, asked };
}

const silentNames = (count: number) =>
  Array.from({ length: count }, (_, index) => `silent-${index}.test`);
const codeOf = (error: NodeJS.ErrnoException) => error.code;

describe('createHostLookup', () => {
  test('resolves a healthy name at once beside names that are never answered', async () => {
    const servers = [await startNameServer()];
    const { resolve, asked } = startResolver(60_000);
    const lookup = createHostLookup({
      resolve,
      probe: (hostname) => isAnswered(hostname, { servers, timeoutMs: 300 }),
    });
    for (const name of silentNames(20)) void lookup(name).catch(codeOf);
    for (let round = 0; round < 3; round++) {
      const startedAt = performance.now();
      expect(await lookup('healthy.test')).toEqual(found);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      await sleep(400);
    }
    expect(asked.filter((name) => name.startsWith('silent'))).toHaveLength(1);
  });

  test('keeps a name apart that was slow although the name servers answered', async () => {
    const { resolve, asked } = startResolver(200);
    const lookup = createHostLookup({ resolve, probe: async () => true, slowAfterMs: 50 });
    const names = silentNames(6);
    await Promise.all(names.map((name) => lookup(name).catch(codeOf)));
    asked.length = 0;
    for (const name of names) void lookup(name).catch(codeOf);
    expect(await lookup('healthy.test')).toEqual(found);
    expect(asked).toEqual([names[0], 'healthy.test']);
  });

  test('never asks for a name whose turn does not come in time', async () => {
    const { resolve, asked } = startResolver(60_000);
    const lookup = createHostLookup({ resolve, probe: async () => false, maxWaitMs: 50 });
    const [first, second] = silentNames(2);
    void lookup(first!).catch(codeOf);
    await expect(lookup(second!)).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(asked).toEqual([first]);
  });

  test('asks anew each time', async () => {
    const { resolve, asked } = startResolver(0);
    const lookup = createHostLookup({ resolve, probe: async () => true });
    await lookup('healthy.test');
    await lookup('healthy.test');
    expect(asked).toEqual(['healthy.test', 'healthy.test']);
  });

  test('knows localhost without a name server', async () => {
    const lookup = createHostLookup({ probe: () => Promise.reject(new Error('Not to be asked.')) });
    expect((await lookup('localhost')).length).toBeGreaterThan(0);
  });
});

describe('isAnswered', () => {
  test('takes any answer for one, and silence for none', async () => {
    const servers = [await startNameServer()];
    expect(await isAnswered('nobody.test', { servers })).toBe(true);
    expect(await isAnswered('silent.test', { servers, timeoutMs: 100 })).toBe(false);
  });
});
