// Why a stream failed, in words for the developer, and whether a retry can help.

/** Ends `listen`. The message is for its user. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface StreamFailure {
  reason: string;
  /** Whether a retry would fail in the same way. */
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

/** The client of graphql-ws throws GraphQL errors, a close event, or an error of the socket. */
export function toFailure(error: unknown): StreamFailure {
  if (Array.isArray(error)) return fromServer(error[0] as ServerError);
  const { code, reason, message } = error as { code?: unknown; reason?: string; message?: string };
  if (code === unauthorizedCode) {
    return { reason: 'The API key is invalid, revoked or expired.', isFinal: true };
  }
  if (typeof code === 'number') return { reason: reason || `closed with ${code}`, isFinal: false };
  return { reason: message || 'no answer', isFinal: false };
}

function fromServer({ message, extensions = {} }: ServerError): StreamFailure {
  const { code, isRetriable, hint, oldestCursor, issues } = extensions;
  if (code === 'cursor_expired') return { reason: expired(message, oldestCursor), isFinal: true };
  if (issues?.some((issue) => issue.code === 'invalid_cursor')) {
    const reason =
      'The cursor is not from this Fanfare. Start again without --after, and without this cursor file.';
    return { reason, isFinal: true };
  }
  const isFinal = isRetriable !== true;
  return { reason: isFinal && hint ? `${message} ${hint}` : message, isFinal };
}

function expired(message: string, oldestCursor: string | undefined): string {
  return `${message} Events may be missing. Start again without a cursor, or from the oldest cursor: --after ${oldestCursor}`;
}
