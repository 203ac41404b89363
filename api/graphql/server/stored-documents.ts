// GraphQL documents that a request may name instead of sending: the operator's, and those sent before.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError, parse, validate, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { ConfigError, type Config } from '../../../schema/config/config.ts';
import { AppError, validationError } from '../../../schema/wire/errors.ts';
import { createSchema } from '../schema.ts';
import { requireLength } from './document-limits.ts';
import { eventRecorded, liveCursor } from '../../cli/listen/documents.ts';

/** What a request says of its document. */
export interface DocumentRequest {
  query?: unknown;
  /** By the draft of GraphQL over HTTP. */
  documentId?: unknown;
  /** `persistedQuery`: as Apollo and urql name it. */
  extensions?: unknown;
}

export interface StoredDocuments {
  /**
   * What the request asks for: its own document, or the stored one that it names. `isKnown`: whether
   * its key is; only then is a document that came with its hash kept for the next request.
   */
  readDocument(request: DocumentRequest, isKnown: boolean): unknown;
}

/** In characters, of all documents together that clients have sent with their hashes. */
const maxKept = 4_000_000;

export function createStoredDocuments({
  path,
  isOnly,
}: Config['storedDocuments']): StoredDocuments {
  const stored = new Map([
    ...[liveCursor, eventRecorded].map((text) => [hashOf(text), text] as const),
    ...(path === undefined ? [] : readStore(path)),
  ]);
  const kept = createKept();

  function keep(text: string, given: DocumentName): void {
    if (hashOf(text) === given.id) return kept.keep(given.id, text);
    const message = 'is not the SHA-256 of the document';
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
      const text = stored.get(given.id) ?? kept.find(given.id);
      if (text === undefined) throw unknownDocument(given, isOnly);
      return text;
    },
  };
}

/** The ones used last, as many as there is room for. */
function createKept() {
  const texts = new Map<string, string>();
  let size = 0;
  const forget = (id: string) => {
    size -= texts.get(id)?.length ?? 0;
    texts.delete(id);
  };
  const keep = (id: string, text: string) => {
    forget(id);
    texts.set(id, text);
    size += text.length;
    for (const oldest of texts.keys()) {
      if (size <= maxKept) break;
      forget(oldest);
    }
  };
  return {
    keep,
    find(id: string): string | undefined {
      const text = texts.get(id);
      if (text !== undefined) keep(id, text);
      return text;
    },
  };
}

interface DocumentName {
  id: string;
  /** Where the request names it. */
  path: string;
  isHash: boolean;
}

const PersistedQuery = z.object({
  persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string() }),
});

function readName({ documentId, extensions }: DocumentRequest): DocumentName | undefined {
  if (documentId !== undefined && documentId !== null) {
    const path = 'documentId';
    if (typeof documentId === 'string') return { id: bare(documentId), path, isHash: false };
    throw validationError([{ path, code: 'invalid_type', message: 'must be a string' }]);
  }
  const parsed = PersistedQuery.safeParse(extensions);
  if (!parsed.success) return undefined;
  const { sha256Hash } = parsed.data.persistedQuery;
  return { id: bare(sha256Hash), path: 'extensions.persistedQuery.sha256Hash', isHash: true };
}

/** `sha256:<hex>`, as the draft writes it, is the hash that others give without the prefix. */
function bare(id: string): string {
  return /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)?.[1]?.toLowerCase() ?? id;
}

function isSent(query: unknown): boolean {
  return query !== undefined && query !== null && query !== '';
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The word by which clients know that they have to send the document with its hash once. */
const notFound = 'PersistedQueryNotFound';

function unknownDocument({ id, path, isHash }: DocumentName, isOnly: boolean): AppError {
  const message = `names no stored document: ${id.slice(0, 128)}`;
  const issues = [{ path, code: 'unknown_document', message }];
  return isHash && !isOnly
    ? new AppError('not_found', notFound, { issues, hint: 'Send the document with its hash.' })
    : new AppError('not_found', `${path}: ${message}`, { issues });
}

function refusesOthers(): AppError {
  const message = 'only stored documents are answered: name one by its `documentId`';
  return validationError([{ path: 'query', code: 'document_not_stored', message }]);
}

const Manifest = z.union([
  z.object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  }),
  z.record(z.string(), z.string()),
]);

/** Throws a ConfigError that names every document that is none, or asks for what is not there. */
function readStore(path: string): Map<string, string> {
  const refuse = (faults: string[]) =>
    new ConfigError(faults.map((fault) => `FANFARE_PERSISTED_DOCUMENTS: ${path} ${fault}`));
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse([`cannot be read: ${(error as Error).message}`]);
  }
  const parsed = Manifest.safeParse(manifest);
  if (!parsed.success) throw refuse(['is neither {"<id>": "<document>"} nor a manifest']);
  const entries = Array.isArray(parsed.data['operations'])
    ? parsed.data['operations'].map(({ id, body }): [string, string] => [id, body])
    : Object.entries(parsed.data as Record<string, string>);
  const schema = createSchema();
  const faults = entries.flatMap(([id, text]) => {
    const fault = faultOf(text, schema);
    return fault === undefined ? [] : [`has a faulty document at ${JSON.stringify(id)}: ${fault}`];
  });
  if (faults.length > 0) throw refuse(faults);
  // By its hash too, whatever the operator calls it.
  return new Map([
    ...entries.map(([, text]): [string, string] => [hashOf(text), text]),
    ...entries.map(([id, text]): [string, string] => [bare(id), text]),
  ]);
}

function faultOf(text: string, schema: GraphQLSchema): string | undefined {
  try {
    return validate(schema, parse(text))[0]?.message;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}
