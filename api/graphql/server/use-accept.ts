// Yoga plugin: a subscription whose stream the client would not take is refused before anything is opened.
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { AppError } from '../../../schema/wire/errors.ts';
import type { GraphqlContext } from '../context.ts';

/** Whoever says nothing takes anything. */
const takesEvents = /text\/(event-stream|\*)|\*\/\*|^$/;

export function useAccept(): Plugin<GraphqlContext> {
  return {
    onSubscribe({ args }) {
      // On a socket there is no request.
      const { request } = args.contextValue as Partial<YogaInitialContext>;
      if (!request || takesEvents.test(request.headers.get('Accept') ?? '')) return;
      throw new AppError('unsupported_media_type', 'A subscription is a stream of events.', {
        hint: 'Accept: text/event-stream, or use a WebSocket',
      });
    },
  };
}
