// The project, its API keys, and the limits of the installation.
import type { Calls } from '../calls.ts';
import type { Body, Query } from '../operations.ts';
import { path, type CallOptions } from '../send.ts';

export function createApiKeys({ one, list, removal }: Calls) {
  return {
    /** Only this answer has the `key`. */
    create: (key: Body<'createApiKey'>, options?: CallOptions) =>
      one<'createApiKey'>('POST', '/v1/api-keys', { body: key }, options),

    list: (query?: Query<'listApiKeys'>, options?: CallOptions) =>
      list<'listApiKeys'>('/v1/api-keys', query, options),

    /** The API key of this client. */
    current: (options?: CallOptions) =>
      one<'getCurrentApiKey'>('GET', '/v1/api-keys/current', {}, options),

    get: (id: string, options?: CallOptions) =>
      one<'getApiKey'>('GET', path`/v1/api-keys/${id}`, {}, options),

    revoke: (id: string, options?: CallOptions) =>
      removal('DELETE', path`/v1/api-keys/${id}`, {}, options),
  };
}

export function createProject({ one }: Calls) {
  return {
    get: (options?: CallOptions) => one<'getProject'>('GET', '/v1/project', {}, options),

    update: (changes: Body<'updateProject'>, options?: CallOptions) =>
      one<'updateProject'>('PATCH', '/v1/project', { body: changes }, options),
  };
}

export function createLimits({ one }: Calls) {
  return {
    get: (options?: CallOptions) => one<'getLimits'>('GET', '/v1/limits', {}, options),
  };
}
