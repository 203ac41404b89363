// A message to the relays of an account, all at the same time, and the answer of each.
import { makeAuthEvent } from 'nostr-tools/nip42';
import { finalizeEvent, validateEvent, type NostrEvent } from 'nostr-tools/pure';
import type { MessageSocket, WithWebSocket } from '../../egress/guarded-websocket.ts';
import { cutText } from '../storable.ts';
import type { CallKind } from '../json-client.ts';
import { PlatformError, type PlatformErrorOptions } from '../platform-error.ts';
import type { Credentials } from '../platform.ts';
import { lostAnswer } from '../refusal.ts';

interface Answer {
  /** `no_answer`: the relay was sent the message, and may have done what it says. */
  result: 'accepted' | 'searched' | 'refused' | 'no_answer' | 'unreachable';
  message?: string | undefined;
  /** What a search gave, neither filtered nor verified. */
  events?: NostrEvent[];
}
export type RelayAnswer = { relay: string } & Answer;
export type AskRelays = (message: ['EVENT', NostrEvent] | Search) => Promise<RelayAnswer[]>;
type Search = ['REQ', subscription: string, filter: object];

const maxMessageChars = 300;

export const keyOf = ({ private_key = '' }: Credentials) => Buffer.from(private_key, 'hex');

/** Never rejects: a relay that fails is an answer. */
export function createAskRelays(withWebSocket: WithWebSocket, timeoutMs: number) {
  return (credentials: Credentials, signal: AbortSignal): AskRelays => {
    async function ask(relay: string, message: unknown[]): Promise<RelayAnswer> {
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const prove = (challenge: string) =>
        finalizeEvent(makeAuthEvent(relay, challenge), keyOf(credentials));
      let failure: Answer['result'] = 'unreachable';
      const { message: words, ...answer } = await withWebSocket(relay, until, (socket) => {
        failure = 'no_answer';
        return converse(socket, message, prove);
      }).catch((error: NodeJS.ErrnoException): Answer => {
        const said = until.aborted ? 'It did not answer in time.' : error.message || error.code;
        return { result: failure, message: said };
      });
      return { relay, ...answer, ...(words && { message: cutText(words, maxMessageChars) }) };
    }
    const relays = credentials['relays']!.split(' ');
    return (message) => Promise.all(relays.map((relay) => ask(relay, message)));
  };
}

/** The connection carries one message, so every refusal on it is of this message. */
async function converse(
  { send, messages }: MessageSocket,
  message: unknown[],
  prove: (challenge: string) => NostrEvent,
): Promise<Answer> {
  const { id } = message[1] as Partial<NostrEvent>;
  const events: NostrEvent[] = [];
  let challenge = '';
  let proof: NostrEvent | undefined;
  send(JSON.stringify(message));
  for await (const text of messages) {
    const [type, subject, given, last] = JSON.parse(text) as unknown[];
    const said = type === 'OK' ? last : given;
    const words = typeof said === 'string' ? said : '';
    if (type === 'EVENT' && validateEvent(given)) events.push(given as NostrEvent);
    if (type === 'EOSE') return { result: 'searched', events };
    if (type === 'AUTH') challenge = String(subject);
    const isTaken = type === 'OK' && (given === true || words.startsWith('duplicate:'));
    if (isTaken && subject === id) return { result: 'accepted', message: words };
    if (isTaken && subject === proof?.id) send(JSON.stringify(message));
    if (isTaken || (type !== 'OK' && type !== 'CLOSED')) continue;
    if (!words.startsWith('auth-required:') || challenge === '' || proof) {
      return { result: 'refused', message: words };
    }
    proof = prove(challenge);
    send(JSON.stringify(['AUTH', proof]));
  }
  return { result: 'no_answer', message: 'It ended the conversation.' };
}

/** By the prefix of a refusal, or by what became of the call; every other is `rejected`. */
const kinds = new Map([
  ['rate-limited', 'rate_limited'],
  ['error', 'unavailable'],
  ['unreachable', 'unavailable'],
] as const);

/**
 * Where no relay did what was asked. One relay that took the event, or may take it later, is enough, so
 * that decides. @see https://github.com/nostr-protocol/nips/blob/master/01.md
 */
export function toError(
  kind: CallKind,
  message: string,
  answers: RelayAnswer[],
  given: PlatformErrorOptions = {},
): PlatformError {
  const relays = answers.map(({ relay, result, message: words }) => ({
    relay,
    result,
    message: words,
  }));
  const codes = relays.map(({ result, message: words = '' }) =>
    result === 'refused' ? (/^[a-z-]{1,32}(?=:)/.exec(words)?.[0] ?? result) : result,
  );
  const each = relays.map(
    ({ relay, result, message: words = result }) => `${relay}: ${words.replace(/\.$/, '')}`,
  );
  const said = `${message} ${each.join('; ')}.`;
  const known = kinds.keys().find((code) => codes.includes(code));
  const platformCode = codes.includes('no_answer') ? 'no_answer' : (known ?? codes[0]);
  const options = { platformCode, providerError: { relays }, ...given };
  if (given.field) return new PlatformError('rejected', said, options);
  if (platformCode === 'no_answer') return lostAnswer(kind, said, options);
  return new PlatformError((known && kinds.get(known)) ?? 'rejected', said, options);
}
