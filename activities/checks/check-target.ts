// The post of a check, in the form that a connector gets. Most checks never publish it.
import type { Access } from '../logins/credentials.ts';
import { checkImage, openCheckImage } from '../media/check-image.ts';
import type { CheckedTarget, TargetMedia } from '../platforms/platform.ts';
import type { CheckRun } from './check-run.ts';

export function toTarget(run: CheckRun, access: Access): CheckedTarget {
  const { check, progress, platform } = run;
  const { needsPublicMedia = false, trialPost } = platform.definition;
  const { externalAccountId, credentials, traits, app } = access;
  return {
    resultId: check.result_id,
    externalAccountId,
    // The text contains the time, because networks refuse a text that they have seen before.
    caption: `Fanfare tests this account, ${check.created_at.toISOString()}.`,
    media: needsPublicMedia || trialPost?.needsImage ? [toMedia(run)] : [],
    replyTo: null,
    platformOptions: { ...defaultsOf(run), ...trialPost?.options },
    dueAt: check.created_at,
    credentials,
    traits,
    state: progress.state,
    app,
    scope: check.scope.length > 0 ? check.scope : null,
  };
}

function defaultsOf({ check, platform }: CheckRun): Record<string, unknown> {
  const names = platform.definition.trialPost?.defaults ?? [];
  const given = Object.entries(check.default_options);
  return Object.fromEntries(given.filter(([name]) => names.includes(name)));
}

function toMedia({ dependencies: { publicUrls }, check }: CheckRun): TargetMedia {
  const { id, contentType, sha256, width, height, bytes } = checkImage;
  return {
    id,
    kind: 'image',
    contentType,
    filename: 'check.jpg',
    sha256,
    bytes: bytes.length,
    width,
    height,
    durationMs: null,
    altText: 'A gray square',
    url: null,
    thumbnail: null,
    thumbnailAtMs: null,
    publicUrl: (forMs) => {
      const file = { projectId: check.project_id, resultId: check.id, mediaId: id };
      return publicUrls.urlOf(file, contentType, forMs);
    },
    open: openCheckImage,
  };
}
