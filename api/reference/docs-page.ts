// Renders the OpenAPI document as one HTML page: each operation, its fields, and the error codes.
import { errorKinds, type ErrorCode } from '../../schema/wire/errors.ts';
import {
  postingErrorAnchor,
  postingErrors,
  type PostingErrorCode,
} from '../../schema/posts/errors.ts';
import type { OpenApiDocument } from './openapi.ts';
import { html, prose, type Html } from '../http/pages.ts';

/** What of a JSON Schema the page shows. */
interface Shape {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  required?: string[];
  description?: string;
  default?: unknown;
  anyOf?: Shape[];
  allOf?: Shape[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Shape;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Shape }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Shape }> }>;
}

export function renderDocs(document: OpenApiDocument): Html {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation: operation as unknown as Operation,
    })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0]!);
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Shape>);
  return html`<p>${prose(document.info.description)}</p>
    <p>Send <code>Authorization: Bearer &lt;API_KEY&gt;</code> with every request.</p>
    <p>
      ${[...byTag.keys()].map((tag) => html`<a href="#${tag}">${tag}</a> · `)}
      <a href="#schemas">schemas</a> · <a href="#errors">errors</a> ·
      <a href="#posting-errors">posting errors</a> ·
      <a href="/v1/openapi.json">openapi.json</a>
    </p>
    ${[...byTag].map(
      ([tag, operations]) =>
        html`<h2 id="${tag}">${tag}</h2>
          ${operations.map(({ path, method, operation }) =>
            renderOperation(path, method, operation),
          )}`,
    )}
    <h2 id="schemas">schemas</h2>
    ${schemas.map(
      ([name, shape]) =>
        html`<h3 id="schema-${name}">${name}</h3>
          ${renderFields(shape)}`,
    )}
    <h2 id="errors">errors</h2>
    <p>Every refusal is <code>{"error": {code, message, …}, "request_id"}</code>.</p>
    <table>
      ${Object.entries(errorKinds).map(
        ([code, { status, isRetriable }]) =>
          html`<tr id="error-${code}">
            <td><code>${code}</code></td>
            <td>${status}</td>
            <td>${errorMeanings[code as ErrorCode]}${isRetriable && ' Try again.'}</td>
          </tr>`,
      )}
    </table>
    ${renderPostingErrors()}`;
}

function renderOperation(path: string, method: string, operation: Operation): Html {
  const body = operation.requestBody?.content['application/json']?.schema;
  return html`<article id="${operation.operationId}">
    <h3><code>${method} ${path}</code></h3>
    <p>${prose(operation.summary)}. ${prose(operation.description)}</p>
    ${
      operation.parameters
        ? html`<table>
            ${operation.parameters.map(
              ({ name, in: place, required, schema }) =>
                html`<tr>
                  <td><code>${name}</code>${required ? '*' : ''}</td>
                  <td>${place}</td>
                  <td>${writeShape(schema ?? {})}</td>
                  <td>${prose(schema?.description)}</td>
                </tr>`,
            )}
          </table>`
        : ''
    }
    ${body ? html`<p>Body: ${writeShape(body)}</p>` : ''}
    ${Object.entries(operation.responses).map(([status, { description, content }]) => {
      const schema = content?.['application/json']?.schema;
      const data = schema?.properties?.['data'] ?? schema;
      return html`<p>
        <code>${status}</code> ${prose(description)} ${data ? html`${writeShape(data)}` : ''}
      </p>`;
    })}
  </article>`;
}

function renderPostingErrors(): Html {
  return html`<h2 id="posting-errors">posting errors</h2>
    <p>
      The <code>error_code</code> of a target that failed. Its <code>error_message</code> is the
      network's own where there is one.
    </p>
    <table>
      ${Object.entries(postingErrors).map(
        ([code, { message, hint, isRetriable, nextAction }]) =>
          html`<tr id="${postingErrorAnchor(code as PostingErrorCode)}">
            <td><code>${code}</code></td>
            <td><code>${nextAction}</code></td>
            <td>${message} ${prose(hint)}${isRetriable && ' Is retriable.'}</td>
          </tr>`,
      )}
    </table>`;
}

function renderFields(shape: Shape): Html {
  const required = new Set(shape.required);
  if (!shape.properties) return html`<p>${writeShape(shape)}</p>`;
  return html`<table>
    ${Object.entries(shape.properties).map(
      ([name, field]) =>
        html`<tr>
          <td><code>${name}</code>${required.has(name) ? '*' : ''}</td>
          <td>${writeShape(field)}</td>
          <td>
            ${prose(field.description)}
            ${field.default === undefined ? '' : html`Default: ${JSON.stringify(field.default)}`}
          </td>
        </tr>`,
    )}
  </table>`;
}

/** One line: `array of Post`, `"a" | "b"`, `string (date-time) | null`. */
function writeShape(shape: Shape): Html {
  const name = shape.$ref?.split('/').at(-1);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
  const parts = shape.anyOf ?? shape.allOf;
  if (parts) return html`${parts.map((part, i) => html`${i > 0 ? ' | ' : ''}${writeShape(part)}`)}`;
  if (shape.enum) return html`${shape.enum.map((value) => JSON.stringify(value)).join(' | ')}`;
  if (shape.const !== undefined) return html`${JSON.stringify(shape.const)}`;
  if (shape.items) return html`array of ${writeShape(shape.items)}`;
  const type = [shape.type ?? 'anything'].flat().join(' | ');
  return html`${type}${shape.format ? ` (${shape.format})` : ''}`;
}

const errorMeanings: Record<ErrorCode, string> = {
  malformed_json: 'The body is not JSON in UTF-8.',
  unauthorized: 'The API key is missing, unknown, revoked or expired.',
  insufficient_scope: 'The API key lacks a scope, or is a test key.',
  quota_exceeded:
    'A monthly limit of an account does not hold the targets. The issues name each that is too many.',
  not_found: 'Nothing is there, or it belongs to another project or environment.',
  method_not_allowed: 'The path takes other methods, named in Allow.',
  conflict: 'The state of the resource does not allow this.',
  account_in_use:
    'The account is connected for another user. Only the hosted page of a connect session says so.',
  idempotency_conflict:
    'The Idempotency-Key was used with another request, or by an API key whose answer yours may not see.',
  cursor_expired: 'The feed no longer reaches back to the cursor.',
  slow_consumer: 'A live stream was read too slowly; resume from its last cursor.',
  payload_too_large: 'The body is too large.',
  unsupported_media_type: 'The body is not sent as application/json.',
  validation_error: 'Fields have faults; issues names each by its path.',
  rate_limited: 'Too many requests; Retry-After says when.',
  internal: 'Something failed on our side.',
  unavailable: 'A backend is away; Retry-After says when.',
};
