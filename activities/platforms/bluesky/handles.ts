// From a handle to the DID that it points to: DNS first, then the handle's own web server.
import { isValidDid, isValidTld } from '@atproto/syntax';
import { z } from 'zod';
import { getUserHostedText } from './lookup.ts';
import type { Send } from './xrpc.ts';
import type { Fetch } from '../platform.ts';
import { PlatformError } from '../platform-error.ts';

/** TXT records, each as one text; null: the name has none. Rejects when nobody answers. */
export type LookUpTxt = (name: string) => Promise<string[] | null>;

export interface HandleSettings {
  fetch: Fetch;
  lookUpTxt: LookUpTxt;
  send: Send;
  /** The operator's entryway. */
  entryway: string;
}

/** Null: the handle points to no DID. Throws `unavailable` when nobody answers for it. */
export type FindDid = (handle: string, signal: AbortSignal) => Promise<string | null>;

const Resolved = z.object({ did: z.string().refine(isValidDid) });

/** @see https://atproto.com/specs/handle#handle-resolution */
export function createFindDid({ fetch, lookUpTxt, send, entryway }: HandleSettings): FindDid {
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
    const text = await getUserHostedText(fetch, url, signal);
    const did = text?.split('\n', 1)[0]?.trim();
    return isValidDid(did) ? did : null;
  }

  async function findAtEntryway(handle: string, signal: AbortSignal): Promise<string | null> {
    const method = 'com.atproto.identity.resolveHandle';
    try {
      const call = {
        kind: 'connect',
        service: entryway,
        method,
        query: { handle },
        signal,
      } as const;
      return Resolved.safeParse((await send(call)).body).data?.did ?? null;
    } catch (error) {
      if (error instanceof PlatformError && error.kind === 'rejected') return null;
      throw error;
    }
  }

  return async (handle, signal) => {
    if (!isValidTld(handle)) return null;
    // No public DNS has names below `.test` (RFC 6761), but a server for development has handles there.
    if (handle.endsWith('.test')) return findAtEntryway(handle, signal);
    return (await findByDns(handle)) ?? (await findByWeb(handle, signal));
  };
}
