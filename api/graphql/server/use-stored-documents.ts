// Yoga plugin: a request may name a stored document instead of sending one.
import type { Plugin } from 'graphql-yoga';
import type { StoredDocuments } from './stored-documents.ts';
import type { RequestState } from './use-caller.ts';

export function useStoredDocuments(documents: StoredDocuments): Plugin<RequestState> {
  return {
    onParams({ request, params, setParams, context }) {
      const documentId: unknown =
        'documentId' in params
          ? params.documentId
          : new URL(request.url).searchParams.get('documentId');
      const { caller } = context as RequestState;
      const query = documents.readDocument({ ...params, documentId }, caller !== undefined);
      if (query !== params.query) setParams({ ...params, query: query as string });
    },
  };
}
