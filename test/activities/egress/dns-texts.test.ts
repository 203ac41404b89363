// TXT records, from a real name server on loopback.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDns } from '../../../activities/egress/dns.ts';

let socket: Socket;
let servers: string[];

const noSuchName = 3;
const serverFailure = 2;

/** An answer with one record of these parts, or with the code of a failure. */
function toAnswer(question: Buffer, parts: string[], code = 0): Buffer {
  const data = Buffer.concat(
    parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)]),
  );
  const fixed = Buffer.from('c00c00100001000000000000', 'hex');
  fixed.writeUInt16BE(data.length, 10);
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(parts.length > 0 ? 1 : 0, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const asked = question.subarray(12, question.indexOf(0, 12) + 5);
  return Buffer.concat([head, asked, ...(parts.length > 0 ? [fixed, data] : [])]);
}

beforeAll(async () => {
  socket = createSocket('udp4');
  socket.on('message', (question, peer) => {
    const reply = (parts: string[], code = 0) =>
      socket.send(toAnswer(question, parts, code), peer.port, peer.address);
    if (question.includes('silent')) return;
    if (question.includes('broken')) reply([], serverFailure);
    else if (question.includes('nobody')) reply([], noSuchName);
    else if (question.includes('empty')) reply([]);
    else reply(['did=did:plc:', 'aaaa']);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  servers = [`127.0.0.1:${socket.address().port}`];
});
afterAll(() => socket.close());

const lookUp = (name: string) => createDns({ servers }).texts(name, 'prj_1');

test('a TXT lookup joins the parts of a record', async () => {
  expect(await lookUp('_atproto.ada.example.com')).toEqual(['did=did:plc:aaaa']);
});

test.each([
  '_atproto.nobody.example.com',
  '_atproto.empty.example.com',
  `_atproto.${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`,
])('a TXT lookup returns null for %s', async (name) => {
  expect(await lookUp(name)).toBeNull();
});

test.each(['broken.example.com', 'silent.example.com'])(
  'a TXT lookup rejects soon, instead of reporting no records, for %s',
  async (name) => {
    const beganMs = performance.now();
    await expect(lookUp(name)).rejects.toThrow();
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  },
);
