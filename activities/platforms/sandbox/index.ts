// The sandbox network, called over HTTP like any other network.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { maxSandboxPartBytes, sandbox, SandboxHandle } from '../../../schema/platforms/sandbox.ts';
import type { NetworkAnswer } from '../json-client.ts';
import { rawUpload } from '../multipart.ts';
import { createApi, withToken, type ApiCall, type Ask } from '../network-api.ts';
import { goneIf, hasCode, isThere, PlatformError } from '../platform-error.ts';
import type {
  Fetch,
  Grant,
  Platform,
  ProviderState,
  PublishedPost,
  TargetMedia,
} from '../platform.ts';
import { preparedAs, publishedAs } from '../results.ts';
import type { Explanation, Meaning } from '../refusal.ts';

export interface SandboxSettings {
  fetch: Fetch;
  /** The network's base URL for the server: `http://127.0.0.1:4000/sandbox`. */
  apiUrl: string;
  /** The network's base URL for browsers. */
  publicUrl: string;
  /** Maximum size of one part. Default: the network's own maximum. */
  partBytes?: number;
}

const Tokens = z.object({
  handle: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
});
const NetworkPost = z.object({ id: z.string(), url: z.string() });
const EditablePost = z.object({
  caption: z.string(),
  alt_texts: z.array(z.string().nullable()),
});
const NetworkPosts = z.object({ posts: z.array(NetworkPost) });
const NetworkMedia = z.object({ id: z.string(), received_bytes: z.int() });
const NetworkError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Meanings of the network's own codes. The network sends `unavailable` before it accepts a post. */
const meanings = new Map<string | undefined, Meaning>([
  ['token_revoked', 'revoked'],
  ['unavailable', 'unavailable'],
]);

/** The uploads of the target's media, in the order of the media. The last upload may be incomplete. */
const Prepared = z.object({ uploads: z.array(z.object({ id: z.string(), received: z.int() })) });
type Upload = z.infer<typeof Prepared>['uploads'][number];
const readUploads = (state: ProviderState) => Prepared.safeParse(state).data?.uploads ?? [];

export function createSandboxPlatform(settings: SandboxSettings): Platform {
  const { fetch, apiUrl, publicUrl, partBytes = maxSandboxPartBytes } = settings;
  const open = createApi(fetch, {
    network: 'The sandbox',
    open: ({ access_token }) => withToken(`${apiUrl}/api/`, access_token),
    readRefusal,
  });

  async function getTokens(json: object, signal: AbortSignal, call: ApiCall = {}) {
    return (await open({}, signal)('token', Tokens, { ...call, json })).body;
  }

  async function createUpload(ask: Ask, file: TargetMedia): Promise<Upload> {
    const { contentType: content_type, bytes, sha256, altText } = file;
    const json = {
      content_type,
      bytes,
      // The network reads all bytes again to check them. With a large file, this could take longer than a
      // step may.
      ...(bytes <= partBytes && { sha256 }),
      ...(altText !== null && { alt_text: altText }),
    };
    const { body } = await ask('media', NetworkMedia, { json });
    return { id: body.id, received: body.received_bytes };
  }

  /**
   * Sends the next part. First asks what the network has, because another worker may have died after it had
   * sent a part, or in the middle of one. Undefined: the network no longer has the file.
   */
  async function sendPart(ask: Ask, file: TargetMedia, id: string): Promise<Upload | undefined> {
    const put = async (range: string, call: ApiCall = {}) => {
      const headers = { 'content-range': `bytes ${range}/${file.bytes}` };
      const { body } = await ask(`media/${id}`, NetworkMedia, { method: 'PUT', headers, ...call });
      return body.received_bytes;
    };
    try {
      const start = await put('*');
      if (start === file.bytes) return { id, received: start };
      const end = Math.min(start + partBytes, file.bytes) - 1;
      const part = { bytes: end - start + 1, open: () => file.open({ start, end }) };
      const upload = rawUpload(part, 'application/octet-stream');
      // A part that another worker sent may still be arriving.
      const sent = await put(`${start}-${end}`, { upload }).catch(unless('wrong_offset'));
      return { id, received: sent ?? (await put('*')) };
    } catch (error) {
      return unless('unknown_media')(error);
    }
  }

  async function readPost({ credentials, externalId }: PublishedPost, signal: AbortSignal) {
    const asked = open(credentials, signal)(`posts/${externalId}`, EditablePost);
    return (await asked.catch(goneIf('unknown_post'))).body;
  }

  async function logIn(json: object, signal: AbortSignal): Promise<Grant> {
    const credentials = await getTokens(json, signal);
    const { handle } = credentials;
    const account = { externalAccountId: handle, accountName: handle, problem: null };
    return { credentials, scope: ['post'], tokenExpiresAt: null, accounts: [account] };
  }

  return {
    definition: sandbox,

    connect: [
      {
        kind: 'consent',
        async begin({ state, callbackUrl }) {
          const query = new URLSearchParams({ state, callback_url: callbackUrl });
          return { url: `${publicUrl}/consent?${query.toString()}`, flow: {} };
        },
        async complete(query, _request, signal) {
          if (!query['code']) throw new PlatformError('rejected', 'The sandbox sent no code.');
          return logIn({ grant_type: 'code', code: query['code'] }, signal);
        },
      },
      {
        kind: 'form',
        fields: z
          .strictObject({
            handle: SandboxHandle.meta({ title: 'Handle', description: 'Any name, such as ada.' }),
          })
          .meta({ description: 'The sandbox is a test network, so it asks for no password.' }),
        run: ({ handle }, signal) => logIn({ grant_type: 'handle', handle }, signal),
      },
    ],

    /** A refresh counts as a commit: it rotates the token, so it must not be repeated without a check. */
    async refresh({ credentials: { refresh_token } }, signal) {
      const json = { grant_type: 'refresh_token', refresh_token };
      const credentials = await getTokens(json, signal, { kind: 'commit' });
      return { credentials, tokenExpiresAt: null };
    },

    /** Each step creates a file or sends one part. The state holds what the network has received. */
    async prepare({ media, credentials, state }, signal) {
      const ask = open(credentials, signal);
      const uploads = readUploads(state);
      const isComplete = (file: TargetMedia, i: number) => uploads[i]?.received === file.bytes;
      const next = media.findIndex((file, i) => !isComplete(file, i));
      if (next !== -1) {
        const file = media[next]!;
        const upload = uploads[next];
        const moved = upload ? await sendPart(ask, file, upload.id) : await createUpload(ask, file);
        uploads.splice(next, 1, ...(moved ? [moved] : []));
      }
      if (media.every(isComplete)) return preparedAs({ uploads });
      return { outcome: 'more', state: { uploads }, waitMs: 0 };
    },

    async commit(target, signal) {
      const { resultId, credentials, caption, replyTo, platformOptions, state } = target;
      const json = {
        caption,
        reference: resultId,
        media: readUploads(state).map(({ id }) => id),
        ...(replyTo !== null && { reply_to: replyTo }),
        ...platformOptions,
      };
      const call = { kind: 'commit', json } as const;
      const answer = await open(credentials, signal)('posts', NetworkPost, call).catch(
        unless('unknown_media'),
      );
      if (!answer) return { outcome: 'stale' };
      const { body, throttle } = answer;
      return { ...publishedAs(body.id, body.url, 'public'), throttle };
    },

    async reconcile({ resultId, credentials }, signal) {
      const call = { query: { reference: resultId } };
      const { posts } = (await open(credentials, signal)('posts', NetworkPosts, call)).body;
      // The list begins with the newest post. Taking the oldest post lets every check find the same one.
      const post = posts.at(-1);
      return post ? publishedAs(post.id, post.url, 'public') : { outcome: 'absent' };
    },

    async revoke({ credentials: { access_token } }, signal) {
      await open({}, signal)('revoke', z.unknown(), { json: { token: access_token } });
    },

    unpublish: {
      async remove({ credentials, externalId }, signal) {
        const call = { kind: 'commit', method: 'DELETE' } as const;
        const asked = open(credentials, signal)(`posts/${externalId}`, z.unknown(), call);
        await asked.catch(goneIf('unknown_post'));
      },
      exists: (post, signal) => isThere(readPost(post, signal)),
    },

    edit: {
      async apply({ credentials, externalId, caption, altTexts }, signal) {
        const json = { caption, alt_texts: altTexts };
        const call = { kind: 'commit', method: 'PATCH', json } as const;
        const asked = open(credentials, signal)(`posts/${externalId}`, z.unknown(), call);
        await asked.catch(goneIf('unknown_post'));
      },
      async isApplied(post, signal) {
        const { caption, alt_texts: altTexts } = await readPost(post, signal);
        return isDeepStrictEqual([caption, altTexts], [post.caption, post.altTexts]);
      },
    },

    checks: {
      async inspect({ credentials, externalAccountId }, signal) {
        const ask = open(credentials, signal);
        await ask('posts', NetworkPosts, { query: { reference: 'none' } });
        return { scope: ['post'], accounts: [{ externalAccountId, problem: null }] };
      },
    },
  };
}

function readRefusal({ body }: NetworkAnswer): Explanation {
  const { code, message } = NetworkError.safeParse(body).data?.error ?? {};
  return { code, message, meaning: meanings.get(code) };
}

/** Returns undefined for an error with the network's code. Throws any other error. */
const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (!hasCode(error, code)) throw error;
  };
