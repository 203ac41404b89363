// Finds the DID of a handle: DNS first, then the handle's own web server.
import { isValidDid, isValidTld } from '@atproto/syntax';
import { z } from 'zod';
import type { Ask, OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch } from '../platform.ts';
import { getUserHostedDocument } from './lookup.ts';

/** TXT records, each as one text; null: the name has no TXT records. Rejects if no name server answers. */
export type LookUpTxt = (name: string) => Promise<string[] | null>;

export interface HandleSettings {
  fetch: Fetch;
  lookUpTxt: LookUpTxt;
  open: OpenApi;
  /** The operator's entryway. */
  entryway: string;
}

/** Null: the handle points to no DID. Throws `unavailable` if no server answers for the handle. */
export type FindDid = (handle: string, signal: AbortSignal) => Promise<string | null>;

/** @see https://atproto.com/specs/handle#handle-resolution */
export function createFindDid({ fetch, lookUpTxt, open, entryway }: HandleSettings): FindDid {
  async function findByDns(handle: string): Promise<string | null> {
    const records = await lookUpTxt(`_atproto.${handle}`).catch((cause: unknown) => {
      throw new PlatformError('unavailable', `DNS does not answer for ${handle}.`, { cause });
    });
    const dids = (records ?? []).filter((record) => record.startsWith('did='));
    const did = dids[0]?.slice('did='.length);
    return dids.length === 1 && isValidDid(did) ? did : null;
  }

  async function findByWeb(handle: string, signal: AbortSignal): Promise<string | null> {
    const url = `https://${handle}/.well-known/atproto-did`;
    const text = await getUserHostedDocument(fetch, url, signal);
    const did = typeof text === 'string' ? text.split('\n', 1)[0]?.trim() : undefined;
    return isValidDid(did) ? did : null;
  }

  return async (handle, signal) => {
    if (!isValidTld(handle)) return null;
    // No public DNS has names below `.test` (RFC 6761), but a development server has handles there.
    if (handle.endsWith('.test')) return askForDid(open({ service: entryway }, signal), handle);
    return (await findByDns(handle)) ?? (await findByWeb(handle, signal));
  };
}

const Resolved = z.object({ did: z.string().refine(isValidDid).nullable().catch(null) });

/** Null: the server knows no DID for the handle. Throws only if a later call may succeed. */
export async function askForDid(ask: Ask, handle: string): Promise<string | null> {
  try {
    const call = { query: { handle } };
    return (await ask('com.atproto.identity.resolveHandle', Resolved, call)).body.did;
  } catch (error) {
    const isFinal =
      error instanceof PlatformError && !['rate_limited', 'unavailable'].includes(error.kind);
    if (isFinal) return null;
    throw error;
  }
}
