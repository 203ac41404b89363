// Text and JSON of others, as much of it as Postgres can hold and somebody wants to keep.

/** Postgres holds no NUL, and JSON in it no half of a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  const clean = text.replaceAll('\0', '');
  if (clean.length <= maxChars) return clean.toWellFormed();
  return clean
    .slice(0, maxChars)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed();
}

/** What is deeper exhausts the stack of whoever writes it as JSON. */
const maxDepth = 16;

interface Room {
  leftBytes: number;
  isFull: boolean;
  isCut: boolean;
}

/** A copy that is at most `maxBytes` long as JSON: what is deep or comes late is left out. */
export function cutJson(
  given: Record<string, unknown>,
  maxBytes: number,
): { kept: Record<string, unknown>; isCut: boolean } {
  const room: Room = { leftBytes: maxBytes, isFull: false, isCut: false };
  const kept = copyMembers(given, room, 1);
  return { kept, isCut: room.isCut || room.isFull };
}

function copyMembers(given: object, room: Room, depth: number): Record<string, unknown> {
  take(room, 2);
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(given)) {
    const key = cutText(name, name.length);
    if (!take(room, bytesOf(key) + 2)) break;
    const copied = copy(value, room, depth);
    if (copied !== undefined) members.push([key, copied]);
    if (room.isFull) break;
  }
  // Not by assignment, which `__proto__` would not survive.
  return Object.fromEntries(members);
}

function copyItems(given: unknown[], room: Room, depth: number): unknown[] {
  take(room, 2);
  const items: unknown[] = [];
  for (const item of given) {
    if (!take(room, 1)) break;
    const copied = copy(item, room, depth);
    if (copied !== undefined) items.push(copied);
    if (room.isFull) break;
  }
  return items;
}

/** Undefined: there is no room for it, or JSON has no form for it. */
function copy(value: unknown, room: Room, depth: number): unknown {
  if (typeof value === 'string') return copyText(value, room);
  if (typeof value === 'object' && value !== null) {
    if (depth === maxDepth) {
      room.isCut = true;
      return undefined;
    }
    return Array.isArray(value)
      ? copyItems(value, room, depth + 1)
      : copyMembers(value, room, depth + 1);
  }
  if (value !== null && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  return take(room, bytesOf(value)) ? value : undefined;
}

/** The beginning of a text that is too long for what is left. */
function copyText(text: string, room: Room): string | undefined {
  let clean = cutText(text, text.length);
  let bytes = bytesOf(clean);
  while (bytes > room.leftBytes && clean.length > 0) {
    room.isFull = true;
    const share = Math.floor((clean.length * room.leftBytes) / bytes);
    clean = cutText(clean, Math.min(share, clean.length - 1));
    bytes = bytesOf(clean);
  }
  if (bytes > room.leftBytes) return undefined;
  room.leftBytes -= bytes;
  return clean;
}

function take(room: Room, bytes: number): boolean {
  if (bytes > room.leftBytes) room.isFull = true;
  else room.leftBytes -= bytes;
  return !room.isFull;
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
