// Yoga plugin: refuses a request whose client accepts none of the media types that it could get.
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Context } from '../../http/context.ts';
import { nameRequest } from '../../http/request-id.ts';
import { errorKinds, AppError } from '../../../schema/wire/errors.ts';
import { presentError, toGraphqlError } from '../errors.ts';
import type { RequestState } from './use-request.ts';

const eventStream = 'text/event-stream';
const answerTypes = ['application/graphql-response+json', 'application/json', eventStream];

/**
 * Refuses a request before its operation runs. Yoga would run a mutation and then answer with an empty 406.
 */
export function useAccept(context: Context): Plugin<RequestState> {
  return {
    onRequest({ request, serverContext, endResponse, fetchAPI }) {
      if (accepts(request, answerTypes)) return;
      const requestId = nameRequest(request.headers.get('X-Request-Id'));
      (serverContext as RequestState).requestId = requestId;
      const error = new AppError(
        'not_acceptable',
        'The server has no media type that the client accepts.',
        {
          hint: `Accept: ${answerTypes.join(', ')}`,
        },
      );
      const body = { errors: [presentError(context, requestId, toGraphqlError(error))] };
      const { status } = errorKinds[error.code];
      endResponse(fetchAPI.Response.json(body, { status }));
    },
    onSubscribe({ args }) {
      // A WebSocket has no request.
      const { request } = args.contextValue as Partial<YogaInitialContext>;
      if (request) requireEventStream(request);
    },
  };
}

/** Throws unless the client of a subscription over HTTP accepts an event stream. */
function requireEventStream(request: Request): void {
  if (accepts(request, [eventStream])) return;
  throw new AppError(
    'not_acceptable',
    'A subscription needs a client that accepts an event stream.',
    { hint: `Accept: ${eventStream}, or use a WebSocket` },
  );
}

/** Reads the header like Yoga, which ignores preferences. A request without `Accept` accepts anything. */
function accepts(request: Request, types: readonly string[]): boolean {
  const given = (request.headers.get('Accept') || '*/*').toLowerCase().replaceAll(/\s/g, '');
  return given.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';');
    const charset = parameters.find((parameter) => parameter.startsWith('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') return false;
    return type === '*/*' || types.some((one) => one === type || `${one.split('/')[0]}/*` === type);
  });
}
