// Calls to an API of Meta, and the forms of its errors.
import { z } from 'zod';
import { isSuccess, parseJson, type CallKind, type NetworkAnswer } from '../json-client.ts';
import { createApi, withToken, type OpenApi } from '../network-api.ts';
import type { Credentials, Fetch } from '../platform.ts';
import type { Explanation, Meaning } from '../refusal.ts';
import { findMetaError, writeCode, type GivenError, type MetaError } from './errors.ts';
import { isExtendable } from './long-lived-tokens.ts';
import { readRegainMs } from './usage.ts';

interface GraphNetwork {
  /** Title of the network. */
  network: string;
  /** URL of the API, with the version for calls that have one. */
  url: string;
  errors: readonly MetaError[];
}

/** Errors never show the credentials: neither the access token nor others, such as the app's secret. */
export function createGraphApi(fetch: Fetch, { network, url, errors }: GraphNetwork): OpenApi {
  return createApi(fetch, {
    network,
    open(credentials) {
      const { access_token, issued_at: _, ...others } = credentials;
      const account = withToken(url, access_token);
      return { ...account, secrets: [...account.secrets, ...Object.values(others)] };
    },
    isRefusal: (answer) => !isSuccess(answer) || GraphError.safeParse(answer.body).success,
    readRefusal: (answer, credentials, kind) =>
      explainGraphError(errors, answer, credentials, kind),
  });
}

const text = z.string().optional().catch(undefined);
/** Some errors have a name instead of a number. */
const number = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^-?\d+$/)
      .transform(Number),
  ])
  .optional()
  .catch(undefined);

/** https://developers.facebook.com/docs/graph-api/guides/error-handling */
const GraphError = z
  .object({
    error: z.object({
      message: text,
      type: text,
      code: z.unknown(),
      error_subcode: number,
      is_transient: z.boolean().optional().catch(undefined),
      error_user_title: text,
      error_user_msg: text,
      fbtrace_id: text,
      // The range of a part of a video: https://github.com/facebook/facebook-python-business-sdk
      error_data: z
        .object({ start_offset: z.coerce.number(), end_offset: z.coerce.number() })
        .optional()
        .catch(undefined),
    }),
  })
  .transform(({ error }) => error);

/**
 * The form of the token endpoints:
 * https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
 */
const TokenError = z
  .object({ error_type: text, code: z.unknown(), error_message: z.string() })
  .transform(({ error_type: type, code, error_message: message }) => ({ type, code, message }));

const AnyError = z.union([GraphError, TokenError]);

interface ReadError extends GivenError {
  /** The name of an error that has no number. */
  name: string | undefined;
  type: string | undefined;
  isTransient: boolean;
  traceId: string | undefined;
  /** The range of a video that the network asks for. */
  range: { start_offset: number; end_offset: number } | undefined;
}

/** Undefined: the answer is not an error of Meta. */
export function readGraphError(body: unknown): ReadError | undefined {
  const given: Partial<z.output<typeof GraphError>> | undefined = AnyError.safeParse(body).data;
  if (!given) return undefined;
  const { message = '', type, code, error_subcode, error_user_title, error_user_msg } = given;
  const name = typeof code === 'string' && !/^-?\d+$/.test(code) ? code : undefined;
  const shown = error_user_msg
    ? [error_user_title, error_user_msg].filter(Boolean).join(': ')
    : message;
  return {
    code: number.parse(code),
    subcode: error_subcode,
    name,
    message: [name, shown].filter(Boolean).join(': '),
    type,
    isTransient: given.is_transient ?? false,
    traceId: given.fbtrace_id,
    range: given.error_data,
  };
}

/**
 * The code decides, because the status is often 500 for a mistake of the caller. After such a status, a
 * publish may have succeeded, whatever the code says.
 */
export function explainGraphError(
  errors: readonly MetaError[],
  { status, headers, body }: NetworkAnswer,
  credentials: Credentials,
  kind: CallKind,
): Explanation {
  const error = readGraphError(body);
  if (!error) return {};
  const known = findMetaError(errors, error);
  const { traceId, range } = error;
  // The header concerns one account, so other accounts of the app must not wait for it.
  const regainMs = known?.throttled === 'app' ? undefined : readRegainMs(headers);
  return {
    code: writeCode(error) ?? error.name,
    message: [error.message, known?.sentence].filter(Boolean).join(' '),
    meaning: meaningOf(error, known, { status, credentials, kind }),
    throttled: known?.throttled,
    isOutOfQuota: known?.isOutOfQuota,
    failsAs: known?.failsAs,
    retryAfterMs: known?.retryAfterMs ?? regainMs,
    // Meta's support asks for the trace ID. The pattern keeps any other text out.
    detail: {
      ...(traceId && /^[\w-]{1,64}$/.test(traceId) && { trace_id: traceId }),
      ...range,
    },
  };
}

function meaningOf(
  { isTransient }: ReadError,
  known: MetaError | undefined,
  { status, credentials, kind }: { status: number; credentials: Credentials; kind: CallKind },
): Meaning | undefined {
  const meaning = known?.meaning ?? (isTransient ? 'lost' : undefined);
  if (meaning === 'revoked') return meaning;
  // If a token is refused before it is old enough for a refresh, it has ended for good.
  if (meaning === 'reauthorize') return isExtendable(credentials) ? meaning : 'revoked';
  const isSure = status >= 400 && status < 500 && !known?.mayBePublished;
  return kind === 'commit' && !isSure ? 'lost' : meaning;
}

/**
 * Converts Meta's errors to the form of OAuth 2: RFC 6749, section 5.2. Some of Meta's errors come with the status
 * 200.
 */
export function withOAuthErrors(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers } = response;
    if (status !== 200 && (status < 400 || status > 499)) return response;
    const given = await response.text();
    const error = readGraphError(parseJson(given));
    if (!error) return new Response(given, { status, headers });
    const { type = 'invalid_request', message } = error;
    const body = { error: type, error_description: message };
    return Response.json(body, { status: Math.max(status, 400) });
  };
}
