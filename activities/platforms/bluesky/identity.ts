// The identity of a Bluesky account: its DID, the PDS in the DID's document, and its verified handle.
import { INVALID_HANDLE, isValidHandle } from '@atproto/syntax';
import { z } from 'zod';
import type { FindDid } from './handles.ts';
import { getDocument, getUserHostedDocument } from './lookup.ts';
import type { Fetch } from '../platform.ts';
import { wrongCredential } from '../wrong-credential.ts';

export interface Identity {
  did: string;
  /** The origin of the account's PDS. */
  pds: string;
  /**
   * `handle.invalid`: the handle doesn't point back to the account. Null: the handle can't be checked now.
   */
  handle: string | null;
}

/** Throws `unavailable` if no server answers, and `rejected` if the identity doesn't exist. */
export type Identify = (handleOrDid: string, signal: AbortSignal) => Promise<Identity>;

export interface IdentitySettings {
  fetch: Fetch;
  findDid: FindDid;
  /** The directory of `did:plc`. */
  plcUrl: string;
}

/** @see https://atproto.com/specs/did#did-documents */
const DidDocument = z.object({
  id: z.string(),
  alsoKnownAs: z.array(z.string()).optional(),
  service: z
    .array(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.unknown() }))
    .optional(),
});
type DidDocument = z.infer<typeof DidDocument>;

/** @see https://web.plc.directory/spec/v0.1/did-plc */
const plcPattern = /^did:plc:[a-z2-7]{24}$/;

export function createIdentify({ fetch, findDid, plcUrl }: IdentitySettings): Identify {
  /** AT Protocol has two methods: `did:plc`, and `did:web` with a host without a path or port. */
  async function getAnyDocument(did: string, signal: AbortSignal): Promise<unknown> {
    if (plcPattern.test(did)) return getDocument(fetch, `${plcUrl}/${did}`, signal);
    const host = did.startsWith('did:web:') ? did.slice('did:web:'.length) : '';
    if (!isValidHandle(host)) return null;
    return getUserHostedDocument(fetch, `https://${host}/.well-known/did.json`, signal);
  }

  async function getDidDocument(did: string, signal: AbortSignal): Promise<DidDocument> {
    const found = await getAnyDocument(did, signal);
    if (found === null) throw notFound(`${did} has no DID document.`);
    const document = DidDocument.safeParse(found).data;
    if (document?.id !== did) throw notFound(`The document of ${did} is not a DID document.`);
    return document;
  }

  async function getDid(handle: string, signal: AbortSignal): Promise<string> {
    const did = await findDid(handle, signal);
    if (did === null) throw notFound(`The handle ${handle} does not exist.`);
    return did;
  }

  /** `known`: a handle that points to the DID. */
  async function verifyHandle(
    { id, alsoKnownAs = [] }: DidDocument,
    known: string | null,
    signal: AbortSignal,
  ): Promise<string | null> {
    const handle = alsoKnownAs
      .find((name) => name.startsWith('at://'))
      ?.slice(5)
      .toLowerCase();
    if (!isValidHandle(handle)) return INVALID_HANDLE;
    if (handle === known) return handle;
    try {
      return (await findDid(handle, signal)) === id ? handle : INVALID_HANDLE;
    } catch {
      return null;
    }
  }

  return async (handleOrDid, signal) => {
    const given = handleOrDid.startsWith('did:') ? null : handleOrDid;
    const did = given === null ? handleOrDid : await getDid(given, signal);
    const document = await getDidDocument(did, signal);
    const pds = findPds(document);
    if (pds === null) throw notFound(`The DID document of ${did} names no PDS.`);
    return { did, pds, handle: await verifyHandle(document, given, signal) };
  };
}

function findPds({ id: did, service = [] }: DidDocument): string | null {
  const pds = service.find(({ id }) => id === '#atproto_pds' || id === `${did}#atproto_pds`);
  if (pds?.type !== 'AtprotoPersonalDataServer') return null;
  const url = typeof pds.serviceEndpoint === 'string' ? URL.parse(pds.serviceEndpoint) : null;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : null;
}

const notFound = (message: string) => wrongCredential('handle', message, 'identity_not_found');
