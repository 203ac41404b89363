// Stored GraphQL documents, which a request can name: the operator's documents, and documents that clients
// sent before.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError, parse, validate, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ConfigError, type Config } from '../../../schema/config/config.ts';
import { AppError, validationError } from '../../../schema/wire/errors.ts';
import type { Path } from '../../../schema/wire/names.ts';
import { createSchema } from '../../resources/schema.ts';
import { requireLength } from './document-limits.ts';
import { postUpdated } from '../../../clients/typescript/src/live-documents.ts';
import { eventRecorded, liveCursor } from '../listen-documents.ts';

/** The parameters of a request that select its document. */
export interface DocumentRequest {
  query?: unknown;
  /** The ID, as the draft of GraphQL over HTTP defines it. */
  documentId?: unknown;
  /** `persistedQuery`, as Apollo and urql send it. */
  extensions?: unknown;
}

export interface StoredDocuments {
  /**
   * The request's own document, or the stored one that it names. A document with its hash is kept for
   * the next request only if the API key is known (`isKnown`).
   */
  readDocument(request: DocumentRequest, isKnown: boolean): unknown;
}

/** Limit in characters for all documents that clients have sent with their hashes. */
const maxKept = 4_000_000;

export function createStoredDocuments({
  path,
  isOnly,
}: Config['storedDocuments']): StoredDocuments {
  const stored = new Map([
    ...[liveCursor, eventRecorded, postUpdated].map((text) => [hashOf(text), text] as const),
    ...(path === undefined ? [] : readStore(path)),
  ]);
  const kept = new LRUCache<string, string>({
    maxSize: maxKept,
    sizeCalculation: ({ length }) => length || 1,
  });

  function keep(text: string, given: DocumentName): void {
    if (hashOf(text) === given.id) {
      kept.set(given.id, text);
      return;
    }
    const message = 'must be the SHA-256 of the document';
    throw validationError([{ path: given.path, code: 'hash_mismatch', message }]);
  }

  return {
    readDocument(request, isKnown) {
      const given = readName(request);
      if (isSent(request.query)) {
        if (typeof request.query === 'string') requireLength(request.query);
        if (isOnly && !stored.has(hashOf(String(request.query)))) throw refusesOthers();
        if (given?.isHash && isKnown && typeof request.query === 'string') {
          keep(request.query, given);
        }
        return request.query;
      }
      if (given === undefined) {
        if (isOnly) throw refusesOthers();
        return request.query;
      }
      const text = stored.get(given.id) ?? kept.get(given.id);
      if (text === undefined) throw unknownDocument(given, isOnly);
      return text;
    },
  };
}

interface DocumentName {
  id: string;
  /** The path of the name in the request. */
  path: Path;
  isHash: boolean;
}

const PersistedQuery = z.object({
  persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }),
});

function readName({ documentId, extensions }: DocumentRequest): DocumentName | undefined {
  if (documentId !== undefined && documentId !== null) {
    const path = ['documentId'];
    if (typeof documentId === 'string') return { id: bare(documentId), path, isHash: false };
    throw validationError([{ path, code: 'invalid_type', message: 'must be a string' }]);
  }
  const parsed = PersistedQuery.safeParse(extensions);
  if (!parsed.success) return undefined;
  const { sha256Hash } = parsed.data.persistedQuery;
  return {
    id: bare(sha256Hash),
    path: ['extensions', 'persistedQuery', 'sha256Hash'],
    isHash: true,
  };
}

/** The draft writes `sha256:<hex>`. Other clients omit the prefix. */
function bare(id: string): string {
  return /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)?.[1]?.toLowerCase() ?? id;
}

function isSent(query: unknown): boolean {
  return query !== undefined && query !== null && query !== '';
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Clients that get this message send the document with its hash. */
const notFound = 'PersistedQueryNotFound';

function unknownDocument({ id, path, isHash }: DocumentName, isOnly: boolean): AppError {
  const message = `is not the id of a stored document: ${id.slice(0, 128)}`;
  const issues = [{ path, code: 'unknown_document', message }];
  return isHash && !isOnly
    ? new AppError('not_found', notFound, { issues, hint: 'Send the document with its hash.' })
    : new AppError('not_found', (names) => `${names.path(path)}: ${message}`, { issues });
}

function refusesOthers(): AppError {
  const message = 'must be a stored document. Name one by its `documentId`.';
  return validationError([{ path: ['query'], code: 'document_not_stored', message }]);
}

const Manifest = z.union([
  z.object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  }),
  z.record(z.string(), z.string()),
]);

/** Throws a ConfigError that lists every invalid document. */
function readStore(path: string): Map<string, string> {
  const refuse = (errors: string[]) =>
    new ConfigError(errors.map((error) => `FANFARE_PERSISTED_DOCUMENTS: ${path} ${error}`));
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse([`cannot be read: ${(error as Error).message}`]);
  }
  const parsed = Manifest.safeParse(manifest);
  if (!parsed.success) throw refuse(['must be {"<id>": "<document>"} or a manifest']);
  const entries = Array.isArray(parsed.data['operations'])
    ? parsed.data['operations'].map(({ id, body }): [string, string] => [id, body])
    : Object.entries(parsed.data as Record<string, string>);
  const schema = createSchema();
  const errors = entries.flatMap(([id, text]) => {
    const error = findError(text, schema);
    return error === undefined
      ? []
      : [`has an invalid document at ${JSON.stringify(id)}: ${error}`];
  });
  if (errors.length > 0) throw refuse(errors);
  // A request can name a document by its hash or by the operator's own ID.
  return new Map([
    ...entries.map(([, text]): [string, string] => [hashOf(text), text]),
    ...entries.map(([id, text]): [string, string] => [bare(id), text]),
  ]);
}

function findError(text: string, schema: GraphQLSchema): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}
