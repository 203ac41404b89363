// The identity of a Bluesky account, as its DID document and DNS show it.
import type { LookUpTxt } from '../../../activities/platforms/bluesky/handles.ts';

export interface TestIdentity {
  did: string;
  handle: string;
  /** Undefined: the document names no PDS. */
  pds?: string | undefined;
}

export function didDocument({ did, handle, pds }: TestIdentity): object {
  const other = { id: '#other', type: 'Other', serviceEndpoint: 'https://other.example' };
  const own = { id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: pds };
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    verificationMethod: [],
    service: pds === undefined ? [other] : [other, own],
  };
}

/** A DNS that has only these records. */
export function txtOf(records: Record<string, string[]>): LookUpTxt {
  return async (name) => records[name] ?? null;
}

/** The DNS records of a handle. */
export function handleRecord({ did, handle }: TestIdentity): Record<string, string[]> {
  return { [`_atproto.${handle}`]: ['v=spf1 -all', `did=${did}`] };
}
