// Files of a post to Slack: uploaded one by one, then shared in the channel as one message.
import { z } from 'zod';
import { noUploads, toText } from '../../../schema/platforms/slack.ts';
import { callNetwork, isSuccess } from '../json-client.ts';
import { rawUpload, urlEncoded } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Target, TargetMedia } from '../platform.ts';
import { toRefusal } from '../refusal.ts';

const Opened = z.object({ upload_url: z.url(), file_id: z.string() });
const Shares = z.record(z.string(), z.array(z.object({ ts: z.string() }))).optional();
const Completed = z.object({
  files: z.array(z.object({ shares: z.object({ public: Shares, private: Shares }).optional() })),
});

/** IDs of the files that are uploaded, in the order of the media. */
export function readFiles({ state }: Target): string[] {
  return z.array(z.string()).safeParse(state['files']).data ?? [];
}

/**
 * Blocks show only pictures. A video is therefore shared as a file, and so are the pictures of the same post.
 */
export const isShared = ({ media }: Target): boolean => media.some(({ kind }) => kind === 'video');

/**
 * Returns the ID of the file. Slack discards a file that is not completed. Sends no `alt_txt`, because it may prevent
 * Slack from sharing the file, although every call succeeds.
 * @see https://docs.slack.dev/reference/methods/files.getUploadURLExternal
 * @see https://github.com/slackapi/python-slack-sdk/issues/1818
 */
export async function uploadFile(
  ask: Ask,
  fetch: Fetch,
  media: TargetMedia,
  signal: AbortSignal,
): Promise<string> {
  const { filename, bytes, contentType } = media;
  const upload = urlEncoded({ filename, length: String(bytes) });
  const opening = ask('files.getUploadURLExternal', Opened, { upload });
  const { upload_url, file_id } = (await opening.catch(explainScope)).body;
  const answer = await callNetwork(fetch, {
    url: upload_url,
    upload: rawUpload(media, contentType),
    kind: 'other',
    signal,
  });
  if (isSuccess(answer)) return file_id;
  throw toRefusal({ network: 'Slack', kind: 'other', answer, secrets: [upload_url] });
}

/**
 * Completes an upload without sharing it. Only the app has the file, until a block of its message shows it.
 */
export async function completePrivately(ask: Ask, id: string): Promise<void> {
  const upload = urlEncoded({ files: JSON.stringify([{ id }]) });
  await ask('files.completeUploadExternal', z.object({}), { upload });
}

/**
 * Shares the files in the channel. Returns the ID of their message. Undefined: Slack has not sent the message
 * yet.
 * @see https://docs.slack.dev/reference/methods/files.completeUploadExternal
 */
export async function completeUpload(
  ask: Ask,
  { caption, credentials, platformOptions }: Target,
  files: readonly string[],
  thread_ts: string | undefined,
): Promise<string | undefined> {
  const { blocks } = platformOptions;
  const channel = credentials['channel']!;
  const upload = urlEncoded({
    files: JSON.stringify(files.map((id) => ({ id }))),
    channel_id: channel,
    thread_ts,
    // If a message has a comment, Slack ignores its blocks.
    ...(blocks === undefined
      ? { initial_comment: toText(caption, platformOptions) || undefined }
      : { blocks: JSON.stringify(blocks) }),
  });
  const call = { kind: 'commit', upload } as const;
  const { body } = await ask('files.completeUploadExternal', Completed, call);
  const places = body.files.flatMap(({ shares }) => [shares?.public, shares?.private]);
  return places.flatMap((place) => place?.[channel] ?? [])[0]?.ts;
}

/** The login is missing only the scope for files, so it can still publish posts without media. */
function explainScope(error: unknown): never {
  const isScope = error instanceof PlatformError && error.options.platformCode === noUploads.code;
  throw isScope ? new PlatformError('rejected', noUploads.message, error.options) : error;
}
