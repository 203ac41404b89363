// Sends a message to all relays of an account at the same time, and collects their answers.
import { makeAuthEvent } from 'nostr-tools/nip42';
import { finalizeEvent, validateEvent, type NostrEvent } from 'nostr-tools/pure';
import type { MessageSocket, WithWebSocket } from '../../egress/guarded-websocket.ts';
import type { CallKind } from '../json-client.ts';
import { PlatformError, type PlatformErrorOptions } from '../platform-error.ts';
import type { Credentials } from '../platform.ts';
import { lostAnswer } from '../refusal.ts';
import { cutText } from '../storable.ts';

interface Answer {
  /** `no_answer`: the relay got the message, and may have acted on it. */
  result: 'accepted' | 'searched' | 'refused' | 'no_answer' | 'unreachable';
  message?: string | undefined;
  /** The events of a search, neither filtered nor verified. */
  events?: NostrEvent[];
}
export type RelayAnswer = { relay: string } & Answer;
type Message = ['EVENT', NostrEvent] | ['REQ', subscription: string, filter: object];
export type AskRelays = (message: Message) => Promise<RelayAnswer[]>;

const maxMessageChars = 300;

export const keyOf = ({ private_key = '' }: Credentials) => Buffer.from(private_key, 'hex');

/** Never rejects: a failed relay is an answer. */
export function createAskRelays(withWebSocket: WithWebSocket, timeoutMs: number) {
  return (credentials: Credentials, signal: AbortSignal): AskRelays =>
    (message) => {
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const ask = async (relay: string): Promise<RelayAnswer> => {
        let result: Answer['result'] = 'unreachable';
        const prove = (challenge: string) =>
          finalizeEvent(makeAuthEvent(relay, challenge), keyOf(credentials));
        const answer = await withWebSocket(relay, until, (socket) => {
          result = 'no_answer';
          return converse(socket, message, prove);
        }).catch((error: NodeJS.ErrnoException): Answer => {
          const said = until.aborted ? 'It did not answer in time.' : error.message || error.code;
          return { result, message: said };
        });
        const words = answer.message && cutText(answer.message, maxMessageChars);
        return { relay, ...answer, message: words || undefined };
      };
      return Promise.all(credentials['relays']!.split(' ').map(ask));
    };
}

/** The connection carries one message, so every refusal on it refers to this message. */
async function converse(
  { send, messages }: MessageSocket,
  message: Message,
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

/** Codes in order of precedence. Every other code counts as `rejected`. */
const kinds = new Map([
  ['no_answer', 'unknown_outcome'],
  ['rate-limited', 'rate_limited'],
  ['error', 'unavailable'],
  ['unreachable', 'unavailable'],
] as const);

/**
 * The error if no relay succeeded. If one relay may have accepted the event, or may accept it later, that
 * relay's answer decides.
 * @see https://github.com/nostr-protocol/nips/blob/master/01.md
 */
export function toError(
  kind: CallKind,
  message: string,
  answers: RelayAnswer[],
  given: PlatformErrorOptions = {},
): PlatformError {
  const relays = answers.map(({ events: _events, ...answer }) => answer);
  const codes = relays.map(({ result, message: words = '' }) =>
    result === 'refused' ? (/^[a-z-]{1,32}(?=:)/.exec(words)?.[0] ?? result) : result,
  );
  const each = relays.map(
    ({ relay, result, message: words = result }) => `${relay}: ${words.replace(/\.$/, '')}`,
  );
  const said = `${message} ${each.join('; ')}.`;
  const known = kinds.keys().find((code) => codes.includes(code));
  const options = { platformCode: known ?? codes[0], providerError: { relays }, ...given };
  const meaning = given.field ? 'rejected' : ((known && kinds.get(known)) ?? 'rejected');
  if (meaning === 'unknown_outcome') return lostAnswer(kind, said, options);
  return new PlatformError(meaning, said, options);
}
