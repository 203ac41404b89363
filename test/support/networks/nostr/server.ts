// A strict Nostr relay on loopback, as NIP-01, NIP-11 and NIP-42 of
// https://github.com/nostr-protocol/nips have it (read on 2026-11-22).
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { matchFilter, type Filter } from 'nostr-tools/filter';
import { verifyEvent, type NostrEvent } from 'nostr-tools/pure';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Fault } from '../faults.ts';

/**
 * Returns the relay's reason for a refusal, such as `blocked: you are banned`. Undefined: the relay takes the
 * event.
 */
export type Refuse = (event: NostrEvent) => string | undefined;

export interface Relay extends AsyncDisposable {
  readonly url: string;
  /** The events that the relay has taken, oldest first. */
  readonly events: NostrEvent[];
  /** All messages that were sent to the relay. */
  readonly messages: unknown[][];
  /** Decides which events the relay refuses. */
  refuse: Refuse;
  /** Which calls only authenticated clients may make. */
  needsAuth: 'nothing' | 'write' | 'read';
  /** Whether the relay accepts a client's proof of its key. */
  takesAuth: boolean;
  /** Replaces the answer to a message. Null: no answer. */
  answerWith: ((message: unknown[]) => string | null) | undefined;
}

export interface RelayOptions {
  /** Called with the ID in the URL, on a fault after which a client waits. */
  onHang?: (callId: string) => void;
}

const eventKeys = ['content', 'created_at', 'id', 'kind', 'pubkey', 'sig', 'tags'];
const filterKeys = /^(ids|authors|kinds|since|until|limit|#[a-zA-Z])$/;
const hex32 = /^[0-9a-f]{64}$/;
/** The defaults of strfry: https://github.com/hoytech/strfry/blob/master/strfry.conf */
const maxEventBytes = 65_536;
const maxTagValueBytes = 255;
const maxAheadS = 900;
const authWindowS = 600;

interface Client {
  socket: WebSocket;
  challenge: string;
  isKnown: boolean;
  fault: Fault | undefined;
  callId: string;
}

export async function startRelay({ onHang }: RelayOptions = {}): Promise<Relay> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/nostr+json' });
    response.end(JSON.stringify({ name: 'strict', supported_nips: [1, 11, 42] }));
  });
  const sockets = new WebSocketServer({ server, maxPayload: 131_072 });
  const late: NostrEvent[] = [];
  sockets.on('connection', (socket, request: IncomingMessage) => {
    const { searchParams } = new URL(request.url ?? '/', 'ws://relay.test');
    const client: Client = {
      socket,
      challenge: randomBytes(16).toString('hex'),
      isKnown: false,
      fault: (searchParams.get('fault') ?? undefined) as Fault | undefined,
      callId: searchParams.get('call') ?? '',
    };
    if (relay.needsAuth !== 'nothing') reply(client, ['AUTH', client.challenge]);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) socket.close(1003);
      else receive(client, data.toString());
    });
  });

  function receive(client: Client, text: string): void {
    const message = parse(text);
    relay.messages.push(message ?? [text]);
    if (!message) return reply(client, ['NOTICE', 'invalid: not an array in JSON']);
    if (relay.answerWith) {
      const answer = relay.answerWith(message);
      if (answer !== null) client.socket.send(answer);
      return;
    }
    if (client.fault) return suffer(client, message);
    reply(client, ...answersTo(client, message));
  }

  /** All answers to the message. */
  function answersTo(client: Client, message: unknown[]): unknown[][] {
    switch (message[0]) {
      case 'EVENT':
        return [take(client, message)];
      case 'REQ':
        return list(client, message);
      case 'CLOSE':
        return [];
      case 'AUTH':
        return [authenticate(client, message)];
      default:
        return [['NOTICE', `invalid: unknown message type ${String(message[0])}`]];
    }
  }

  function take(client: Client, [, event, ...rest]: unknown[]): unknown[] {
    const fault = findEventFault(event) ?? (rest.length > 0 ? 'more than an event' : undefined);
    const id = (event as Partial<NostrEvent> | null)?.id ?? '';
    if (fault) return ['OK', id, false, `invalid: ${fault}`];
    if (relay.needsAuth === 'write' && !client.isKnown) {
      return ['OK', id, false, 'auth-required: we take events of registered users'];
    }
    const refusal = relay.refuse(event as NostrEvent);
    if (refusal !== undefined) return ['OK', id, false, refusal];
    if (relay.events.some((known) => known.id === id)) {
      return ['OK', id, true, 'duplicate: already have this event'];
    }
    relay.events.push(event as NostrEvent);
    return ['OK', id, true, ''];
  }

  function list(client: Client, [, subscription, ...filters]: unknown[]): unknown[][] {
    for (const event of late.splice(0)) relay.events.push(event);
    if (typeof subscription !== 'string' || !/^.{1,64}$/.test(subscription)) {
      return [['NOTICE', 'invalid: a subscription has an id of 1 to 64 characters']];
    }
    if (filters.length === 0 || !filters.every(isFilter)) {
      return [['CLOSED', subscription, 'unsupported: filter contains unknown elements']];
    }
    if (relay.needsAuth === 'read' && !client.isKnown) {
      return [['CLOSED', subscription, 'auth-required: we serve registered users']];
    }
    const found = relay.events
      .filter((event) => filters.some((filter) => matchFilter(filter, event)))
      .map((event) => ['EVENT', subscription, event]);
    return [...found.toReversed(), ['EOSE', subscription]];
  }

  function authenticate(client: Client, [, event]: unknown[]): unknown[] {
    const fault = findEventFault(event);
    const { id = '', kind, created_at = 0, tags = [] } = (event ?? {}) as Partial<NostrEvent>;
    const valueOf = (name: string) => tags.find((tag) => tag[0] === name)?.[1];
    const isRight =
      !fault &&
      kind === 22_242 &&
      Math.abs(Date.now() / 1000 - created_at) < authWindowS &&
      valueOf('relay') === relay.url &&
      valueOf('challenge') === client.challenge;
    if (!isRight) return ['OK', id, false, `invalid: ${fault ?? 'another challenge or relay'}`];
    if (!relay.takesAuth) return ['OK', id, false, 'restricted: you are not registered'];
    client.isKnown = true;
    return ['OK', id, true, ''];
  }

  function suffer(client: Client, message: unknown[]): void {
    const { fault, socket, callId } = client;
    const isAfter = ['answer_lost', 'error_after', 'hang_after', 'garbage'].includes(fault!);
    if (isAfter) answersTo(client, message);
    switch (fault) {
      case 'cut_before':
      case 'answer_lost':
        return socket.terminate();
      case 'error_before':
      case 'error_after':
        return socket.close(1011, 'Something broke.');
      case 'garbage':
        return socket.send('<html>All is well</html>');
      case 'taken_late':
        if (message[0] === 'EVENT') late.push(message[1] as NostrEvent);
        return onHang?.(callId);
      case 'hang_before':
      case 'hang_after':
        return onHang?.(callId);
      default:
        reply(client, refusalOf(message, wordsOf[fault!] ?? wordsOf.rejected!));
    }
  }

  const relay: Relay = {
    url: '',
    events: [],
    messages: [],
    refuse: () => undefined,
    needsAuth: 'nothing',
    takesAuth: true,
    answerWith: undefined,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(relay, { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Reasons from NIP-01's own examples. */
const wordsOf: Partial<Record<Fault, string>> = {
  limited: 'rate-limited: slow down there chief',
  limited_with_retry_after: 'rate-limited: slow down there chief',
  unavailable: 'error: could not connect to the database',
  rejected: 'blocked: you are banned from posting here',
};

function refusalOf([type, subject]: unknown[], words: string): unknown[] {
  return type === 'EVENT'
    ? ['OK', (subject as NostrEvent).id, false, words]
    : ['CLOSED', subject, words];
}

function reply({ socket }: Client, ...messages: unknown[][]): void {
  for (const message of messages) socket.send(JSON.stringify(message));
}

function parse(text: string): unknown[] | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return Array.isArray(message) && typeof message[0] === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Returns why the event is invalid by NIP-01. Undefined: the event is valid. */
function findEventFault(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return 'not an event';
  const event = given as NostrEvent;
  if (String(Object.keys(event).toSorted()) !== String(eventKeys)) return 'wrong fields';
  const { id, pubkey, created_at, kind, tags, content, sig } = event;
  if (!hex32.test(id) || !hex32.test(pubkey)) return 'id and pubkey are 64 lower-case hex digits';
  if (!/^[0-9a-f]{128}$/.test(sig)) return 'sig has 128 lower-case hex digits';
  if (!Number.isInteger(created_at) || created_at < 0) return 'created_at is in whole seconds';
  if (created_at > Date.now() / 1000 + maxAheadS) return 'created_at is too late';
  if (!Number.isInteger(kind) || kind < 0 || kind > 65_535) return 'kind is from 0 to 65535';
  if (typeof content !== 'string') return 'content is text';
  const areTags =
    Array.isArray(tags) &&
    tags.every(
      (tag) =>
        Array.isArray(tag) && tag.length > 0 && tag.every((part) => typeof part === 'string'),
    );
  if (!areTags) return 'tags are lists of text';
  // Only tags that a relay indexes have a limit.
  const isTooLong = ([name = '', value = '']: string[]) =>
    name.length === 1 && Buffer.byteLength(value) > maxTagValueBytes;
  if (tags.some(isTooLong)) {
    return 'tag value too large';
  }
  const serialized = JSON.stringify([0, pubkey, created_at, kind, tags, content]);
  if (createHash('sha256').update(serialized).digest('hex') !== id) return 'bad event id';
  if (!verifyEvent(event)) return 'bad signature';
  return Buffer.byteLength(JSON.stringify(event)) > maxEventBytes ? 'event too large' : undefined;
}

function isFilter(given: unknown): given is Filter {
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(given).every(([name, value]) => {
    if (!filterKeys.test(name)) return false;
    if (['since', 'until', 'limit'].includes(name)) return Number.isInteger(value);
    if (!Array.isArray(value) || value.length === 0) return false;
    if (name === 'kinds') return value.every((kind) => Number.isInteger(kind));
    const isHex = ['ids', 'authors', '#e', '#p'].includes(name);
    return value.every((each) => typeof each === 'string' && (!isHex || hex32.test(each)));
  });
}
