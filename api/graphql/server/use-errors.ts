// Yoga plugin: presents every error of /graphql over HTTP, in streams too.
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import type { ExecutionResult } from 'graphql';
import type { Context } from '../../http/context.ts';
import { presentHttpError } from '../errors.ts';
import { nameRequest } from '../../http/request-id.ts';
import type { RequestState } from './use-request.ts';

export function useErrors(context: Context): Plugin {
  return {
    onResultProcess(hook) {
      const { result } = hook;
      const requestId = (hook.serverContext as RequestState).requestId ?? nameRequest(null);
      const present = (one: ExecutionResult): ExecutionResult =>
        one.errors?.length
          ? { ...one, errors: one.errors.map((e) => presentHttpError(context, requestId, e)) }
          : one;
      if (isAsyncIterable<ExecutionResult>(result)) {
        hook.setResult(mapAsyncIterator(result[Symbol.asyncIterator](), present));
      } else {
        hook.setResult(present(result as ExecutionResult));
      }
    },
  };
}
