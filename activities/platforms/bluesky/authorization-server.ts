// The server that gives logins to the accounts of a PDS: the PDS itself, or an entryway for several PDSs.
import { z } from 'zod';
import type { Fetch } from '../platform.ts';
import { getDocument } from './lookup.ts';

const Origin = z.url().refine((url) => URL.parse(url)?.origin === url);
const Endpoint = z.url({ protocol: /^https?$/ });
const listing = (value: string) => z.array(z.string()).refine((list) => list.includes(value));

/** @see https://datatracker.ietf.org/doc/rfc9728/ */
const ResourceMetadata = z.object({
  resource: z.string(),
  authorization_servers: z.tuple([Origin]),
});

/** @see https://atproto.com/specs/oauth#server-metadata */
const ServerMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  pushed_authorization_request_endpoint: Endpoint,
  revocation_endpoint: Endpoint.optional(),
  authorization_response_iss_parameter_supported: z.literal(true),
  client_id_metadata_document_supported: z.literal(true),
  code_challenge_methods_supported: listing('S256'),
  dpop_signing_alg_values_supported: listing('ES256'),
  scopes_supported: listing('atproto'),
});
export type ServerMetadata = z.infer<typeof ServerMetadata>;

/** Returns the issuer that the PDS names. Null: the PDS names no issuer. */
export async function findIssuer(
  fetch: Fetch,
  pds: string,
  signal: AbortSignal,
): Promise<string | null> {
  const url = `${pds}/.well-known/oauth-protected-resource`;
  const found = ResourceMetadata.safeParse(await getDocument(fetch, url, signal)).data;
  return found?.resource === pds ? found.authorization_servers[0] : null;
}

/** Null: the server is no authorization server of AT Protocol. */
export async function getServerMetadata(
  fetch: Fetch,
  issuer: string,
  signal: AbortSignal,
): Promise<ServerMetadata | null> {
  const url = `${issuer}/.well-known/oauth-authorization-server`;
  const found = ServerMetadata.safeParse(await getDocument(fetch, url, signal)).data;
  return found?.issuer === issuer ? found : null;
}
