// Checks the media of a target against the rules of a network.
import {
  checkMedia,
  mediaRulesOf,
  type MediaFacts,
} from '../../../activities/platforms/media-rules.ts';
import type { PlatformDefinition } from '../../../schema/platforms/definition.ts';

export const image: MediaFacts = {
  kind: 'image',
  contentType: 'image/jpeg',
  bytes: 1_000,
  width: 1_080,
  height: 1_350,
  durationMs: null,
  altText: null,
  url: null,
};
export const video: MediaFacts = {
  ...image,
  kind: 'video',
  contentType: 'video/mp4',
  durationMs: 60_000,
};

export const document: MediaFacts = {
  ...image,
  kind: 'document',
  contentType: 'application/pdf',
  width: null,
  height: null,
};

export const times = (length: number, facts: MediaFacts): MediaFacts[] =>
  Array.from({ length }, () => facts);

/** Codes and messages of the issues that these media have with these `platform_options`. */
export function findMediaIssues(
  platform: Pick<PlatformDefinition, 'title' | 'rules'>,
  media: readonly MediaFacts[],
  given: Record<string, unknown> = {},
  autoFit = false,
) {
  const { title, rules } = mediaRulesOf(platform, given);
  const { errors, warnings } = checkMedia(title, rules, media, {
    path: ['media'],
    pathOf: (i) => ['media', i],
    autoFit,
    options: { path: ['platform_options'], given },
  });
  const toCodes = (issues: typeof errors) => issues.map(({ code }) => code);
  return { errors, errorCodes: toCodes(errors), warningCodes: toCodes(warnings) };
}
