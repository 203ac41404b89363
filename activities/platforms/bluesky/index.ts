// Bluesky: posts written as records of the account's own repository, over XRPC.
import { z } from 'zod';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import { createConsent, isConsented } from './consent.ts';
import { createDpop } from './dpop.ts';
import { createFindDid, type LookUpTxt } from './handles.ts';
import { gateCollections } from './gates.ts';
import { createIdentify } from './identity.ts';
import { collection, prepareRecord, readPrepared, recordKey, uriOf } from './record.ts';
import { createReadTraits } from './server-traits.ts';
import { endSession, logIn, loginInput, readCredentials, refreshSession } from './session.ts';
import { createVideoService, type VideoSettings } from './video-service.ts';
import { createXrpc } from './xrpc.ts';
import type { Ask } from '../network-api.ts';
import { goneIf, hasCode, isThere } from '../platform-error.ts';
import type { Fetch, Platform, Target } from '../platform.ts';
import { publishedAs } from '../results.ts';

/** Without the settings of the video service, every video goes to the account's server. */
export interface BlueskySettings extends Partial<VideoSettings> {
  fetch: Fetch;
  /** The entryway. */
  apiUrl: string;
  /** The directory of `did:plc`. */
  plcUrl: string;
  lookUpTxt: LookUpTxt;
}

const Written = z.object({ uri: z.string().startsWith('at://') });
const Session = z.object({
  did: z.string(),
  active: z.boolean().optional(),
  status: z.string().optional(),
});

export function createBluesky(settings: BlueskySettings): Platform {
  const { fetch, plcUrl, videoUrl, hostedDomain } = settings;
  const entryway = new URL(settings.apiUrl).origin;
  const dpop = createDpop(fetch);
  const open = createXrpc(fetch, dpop);
  const findDid = createFindDid({ fetch, lookUpTxt: settings.lookUpTxt, open, entryway });
  const identify = createIdentify({ fetch, findDid, plcUrl });
  const videos =
    videoUrl && hostedDomain ? createVideoService(fetch, { videoUrl, hostedDomain }) : undefined;
  const readTraits = createReadTraits(fetch, (pds) => videos?.isFor(pds) ?? false);
  const sessions = { open, identify, entryway, readTraits };
  const consent = createConsent({ fetch, dpop, identify, entryway, readTraits });

  return {
    definition: bluesky,

    connect: [
      consent.method,
      {
        kind: 'form',
        fields: loginInput(entryway),
        run: (credentials, signal) => logIn(sessions, credentials, signal),
      },
    ],

    refresh: (login, signal) =>
      isConsented(login.credentials)
        ? consent.refresh(login, signal)
        : refreshSession(sessions, login.credentials, signal),

    prepare: (target, signal) => prepareRecord({ open, videos }, target, signal),

    async commit(target, signal) {
      const ask = open(readCredentials(target.credentials).access, signal);
      try {
        const { throttle } = await write(ask, target);
        return { ...toPublished(target, uriOf(target)), throttle };
      } catch (error) {
        // A PDS deletes blobs that no record references.
        if (hasCode(error, 'BlobNotFound')) return { outcome: 'stale' };
        throw error;
      }
    },

    async reconcile(target, signal) {
      const { service } = readCredentials(target.credentials);
      const rkey = recordKey(target.resultId);
      try {
        const query = { repo: target.externalAccountId, collection, rkey };
        const ask = open({ service }, signal);
        const { body } = await ask('com.atproto.repo.getRecord', Written, { query });
        return toPublished(target, body.uri);
      } catch (error) {
        if (hasCode(error, 'RecordNotFound')) return { outcome: 'absent' };
        throw error;
      }
    },

    unpublish: {
      /**
       * The call succeeds if there is no such record. Without the post, its gates have no effect, so only the post
       * decides whether it is removed.
       * @see https://docs.bsky.app/docs/api/com-atproto-repo-delete-record
       */
      async remove({ credentials, externalAccountId, externalId }, signal) {
        const ask = open(readCredentials(credentials).access, signal);
        const removeFrom = async (of: string) => {
          const json = { repo: externalAccountId, collection: of, rkey: keyIn(externalId) };
          await ask('com.atproto.repo.deleteRecord', z.unknown(), { kind: 'commit', json });
        };
        await removeFrom(collection);
        for (const gates of gateCollections) await removeFrom(gates).catch(() => undefined);
      },

      /** @see https://docs.bsky.app/docs/api/com-atproto-repo-get-record */
      exists({ credentials, externalAccountId, externalId }, signal) {
        const { service } = readCredentials(credentials);
        const query = { repo: externalAccountId, collection, rkey: keyIn(externalId) };
        const asked = open({ service }, signal)('com.atproto.repo.getRecord', Written, { query });
        return isThere(asked.catch(goneIf('RecordNotFound')));
      },
    },

    revoke: (login, signal) =>
      isConsented(login.credentials)
        ? consent.revoke(login, signal)
        : endSession(open, login.credentials, signal),

    checks: {
      /** @see https://docs.bsky.app/docs/api/com-atproto-server-get-session */
      async inspect({ credentials }, signal) {
        const ask = open(readCredentials(credentials).access, signal);
        const { body } = await ask('com.atproto.server.getSession', Session);
        const { did: externalAccountId, active = true, status = 'not active' } = body;
        const problem = active ? null : `The account is ${status}.`;
        return { scope: [], accounts: [{ externalAccountId, problem }] };
      },
    },
  };
}

/**
 * Writes the post together with its gates, so that there is no time in which anyone can reply. A repeat of this
 * write fails as a whole, with an error that says nothing: the check then finds the post. Without gates, a repeat
 * changes nothing.
 */
async function write(ask: Ask, target: Target) {
  const { record, gates } = readPrepared(target);
  const repo = target.externalAccountId;
  const rkey = recordKey(target.resultId);
  if (gates.length === 0) {
    const json = { repo, collection, rkey, record };
    return ask('com.atproto.repo.putRecord', Written, { kind: 'commit', json });
  }
  const writes = [{ collection, value: record }, ...gates].map((created) => ({
    $type: 'com.atproto.repo.applyWrites#create',
    rkey,
    ...created,
  }));
  return ask('com.atproto.repo.applyWrites', z.unknown(), {
    kind: 'commit',
    json: { repo, writes },
  });
}

function toPublished(target: Target, uri: string) {
  const { did, handle } = readCredentials(target.credentials);
  const profile = handle === 'handle.invalid' ? did : handle;
  const rkey = keyIn(uri);
  return publishedAs(uri, `https://bsky.app/profile/${profile}/post/${rkey}`, 'public');
}

const keyIn = (uri: string) => uri.slice(uri.lastIndexOf('/') + 1);
