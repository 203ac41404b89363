// Why a stream broke, in the developer's terms, and whether trying again is of any use.

/** What ends `listen`; the message is for its user. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface Break {
  reason: string;
  /** The same would come again. */
  isFinal: boolean;
}

interface ServerError {
  message: string;
  extensions?: {
    code?: string;
    isRetriable?: boolean;
    hint?: string;
    oldestCursor?: string;
    issues?: { code: string }[];
  };
}

const unauthorizedCode = 4401;

/** From what the client of graphql-ws throws: errors of GraphQL, a closing, or an error of the socket. */
export function breakOf(error: unknown): Break {
  if (Array.isArray(error)) return fromServer(error[0] as ServerError);
  const { code, reason, message } = error as { code?: unknown; reason?: string; message?: string };
  if (code === unauthorizedCode) {
    const told = 'The API key is not accepted: it is wrong, has been revoked or has expired.';
    return { reason: told, isFinal: true };
  }
  if (typeof code === 'number') return { reason: reason || `closed with ${code}`, isFinal: false };
  return { reason: message || 'it does not answer', isFinal: false };
}

function fromServer({ message, extensions = {} }: ServerError): Break {
  const { code, isRetriable, hint, oldestCursor, issues } = extensions;
  if (code === 'cursor_expired') return { reason: expired(message, oldestCursor), isFinal: true };
  if (issues?.some((issue) => issue.code === 'invalid_cursor')) {
    const told = 'The cursor is none that this Fanfare gave. Begin anew, without --after and with';
    return { reason: `${told} another cursor file or none.`, isFinal: true };
  }
  const isFinal = isRetriable !== true;
  return { reason: isFinal && hint ? `${message} ${hint}` : message, isFinal };
}

function expired(message: string, oldestCursor: string | undefined): string {
  return `${message} Some events may be missing from now on. Begin anew without a cursor, or after the oldest one that is kept: --after ${oldestCursor}`;
}
