// A message to the relays of an account, all at the same time, and the answer of each.
import { makeAuthEvent } from 'nostr-tools/nip42';
import { finalizeEvent, type NostrEvent } from 'nostr-tools/pure';
import type { MessageSocket, WithWebSocket } from '../../guarded-websocket.ts';
import { cutText } from '../../storable.ts';

interface Answer {
  /** `no_answer`: the relay was sent the message, and may have done what it says. */
  result: 'accepted' | 'found' | 'absent' | 'refused' | 'no_answer' | 'unreachable';
  message?: string;
  event?: NostrEvent;
}
/** As the attempt shows it. */
export type RelayAnswer = { relay: string } & Answer;

export interface Question {
  message: unknown[];
  /** Undefined: the reply is not the answer. */
  read(reply: unknown[]): Answer | undefined;
}

const maxMessageChars = 300;

export type AskRelays = ReturnType<typeof createAskRelays>;

export function createAskRelays(withWebSocket: WithWebSocket, timeoutMs: number) {
  async function ask(relay: string, key: Uint8Array, question: Question, signal: AbortSignal) {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const prove = (challenge: string) => finalizeEvent(makeAuthEvent(relay, challenge), key);
    let isOpen = false;
    return withWebSocket(relay, until, (socket) => {
      isOpen = true;
      return converse(socket, question, prove);
    }).catch((error: NodeJS.ErrnoException): Answer => {
      const words = until.aborted ? 'It did not answer in time.' : error.message || error.code;
      return { result: isOpen ? 'no_answer' : 'unreachable', message: String(words) };
    });
  }

  /** Never rejects: a relay that fails is an answer. */
  return (
    { relays, key }: { relays: string[]; key: Uint8Array },
    question: Question,
    signal: AbortSignal,
  ) =>
    Promise.all(
      relays.map(async (relay): Promise<RelayAnswer> => {
        const { message, ...answer } = await ask(relay, key, question, signal);
        return { relay, ...answer, ...(message && { message: cutText(message, maxMessageChars) }) };
      }),
    );
}

/** The connection carries one message, so every refusal on it is of this message. */
async function converse(
  { send, messages }: MessageSocket,
  { message, read }: Question,
  prove: (challenge: string) => NostrEvent,
): Promise<Answer> {
  let challenge = '';
  let proof: NostrEvent | undefined;
  send(JSON.stringify(message));
  for await (const text of messages) {
    const reply: unknown = JSON.parse(text);
    if (!Array.isArray(reply)) break;
    const answer = read(reply);
    if (answer) return answer;
    const [type, subject, ...rest] = reply as unknown[];
    if (type === 'AUTH') challenge = String(subject);
    if (type === 'OK' && subject === proof?.id && rest[0] === true) send(JSON.stringify(message));
    const isRefusal = type === 'CLOSED' || (type === 'OK' && rest[0] === false);
    if (!isRefusal) continue;
    const words = String(rest.at(-1));
    const mayProve = words.startsWith('auth-required:') && challenge !== '' && !proof;
    if (!mayProve) return { result: 'refused', message: words };
    proof = prove(challenge);
    send(JSON.stringify(['AUTH', proof]));
  }
  return { result: 'no_answer', message: 'It ended the conversation.' };
}
