// IDs: a prefix for the resource and a UUIDv7 in lower-case base32. They sort by creation.
import { randomBytes } from 'node:crypto';

export const idPrefixes = {
  project: 'prj',
  key: 'key',
  session: 'ses',
  app: 'app',
  grant: 'grt',
  account: 'sa',
  connectSession: 'cs',
  media: 'med',
  post: 'post',
  queue: 'que',
  result: 'res',
  change: 'chg',
  reviewLink: 'rev',
  event: 'evt',
  webhook: 'wh',
  delivery: 'dlv',
  batch: 'bat',
  replay: 'rpl',
  check: 'chk',
  outbox: 'obx',
  request: 'req',
} as const;

export type IdKind = keyof typeof idPrefixes;

// Crockford's alphabet is in the order of its values, so IDs sort.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const form = new RegExp(`^([a-z]+)_([0-7][${alphabet}]{25})$`);

let lastMs = 0;
let sequence = 0;

/** A new ID, greater than every earlier one of this process. */
export function newId(kind: IdKind): string {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    sequence = randomBytes(2).readUInt16BE() & 0x7ff;
  } else if (++sequence > 0xfff) {
    lastMs++;
    sequence = 0;
  }
  return makeId(kind, lastMs, sequence);
}

/** A new ID that sorts among the IDs that were made at that time. */
export function idAt(kind: IdKind, at: Date): string {
  return makeId(kind, at.getTime(), randomBytes(2).readUInt16BE() & 0xfff);
}

function makeId(kind: IdKind, ms: number, sequence: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return `${idPrefixes[kind]}_${toBase32(bytes)}`;
}

/** A lower bound of the IDs made at that time or later. */
export function firstIdAt(kind: IdKind, at: Date): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, at.getTime()), 0, 6);
  return `${idPrefixes[kind]}_${toBase32(bytes)}`;
}

/** When the ID was made. Undefined: it is not an ID of this kind. */
export function timeOfId(kind: IdKind, id: string): Date | undefined {
  const read = readId(kind, id);
  return read && new Date(read.ms);
}

/** When the ID was made, and its sequence number in that millisecond. Undefined: not an ID of this kind. */
export function readId(kind: IdKind, id: string): { ms: number; sequence: number } | undefined {
  const digits = form.exec(id);
  if (digits?.[1] !== idPrefixes[kind]) return undefined;
  // After two empty bits: 48 bits of time, 4 of version, 12 of sequence, and 4 more.
  let value = 0n;
  for (const digit of digits[2]!.slice(0, 14)) {
    value = (value << 5n) | BigInt(alphabet.indexOf(digit));
  }
  return { ms: Number(value >> 20n), sequence: Number((value >> 4n) & 0xfffn) };
}

/** 16 bytes as 26 characters. */
function toBase32(bytes: Buffer): string {
  let value = bytes.readBigUInt64BE(0) * 2n ** 64n + bytes.readBigUInt64BE(8);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = alphabet[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}
