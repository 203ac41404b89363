// Pinterest: its settings, its rules and the options of a pin.
import { z } from 'zod';
import { definePlatform, type PostFinding, type PostSummary } from './definition.ts';
import { optionText } from './options/limits.ts';
import { baseUrl } from './variables.ts';

const id = z.string().regex(/^\d{1,30}$/, 'must be the ID of a choice');

/**
 * Options have the names of the API. Their limits are in its OpenAPI description, under `PinCreate`:
 * https://github.com/pinterest/api-description
 */
const options = z
  .strictObject({
    board_id: id.meta({
      description:
        'ID of the board that gets the pin, such as a choice of the kind `boards`. Required, unless the account has a default.',
      'x-choices': 'boards',
    }),
    board_section_id: id.optional().meta({
      description:
        'ID of a section of the board, such as a choice of the kind `board_sections`. Default: no section.',
      'x-choices': 'board_sections',
    }),
    title: optionText(100).min(1).optional().meta({
      description: 'Title of the pin. Default: no title.',
      'x-no-default': true,
    }),
    link: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional()
      .meta({ description: 'URL of the page that the pin leads to. Default: no page.' }),
    dominant_color: z
      .string()
      .regex(/^#[\dA-Fa-f]{6}$/, 'must be a color such as #6E7874')
      .optional()
      .meta({
        description:
          'Color that is shown while the pin loads, such as `#6E7874`. Default: Pinterest reads it from the image.',
        'x-no-default': true,
      }),
  })
  .meta({ id: 'PinterestOptions', description: 'Options of a post to Pinterest.' });

const mb = 1_000_000;

function check({ media }: PostSummary): readonly PostFinding[] {
  const message = 'Pinterest needs an image or a video.';
  return media.length === 0 ? [{ at: 'media', code: 'media_required', message }] : [];
}

export const pinterest = definePlatform({
  name: 'pinterest',
  title: 'Pinterest',
  hasApp: true,
  needsAppSecret: true,
  // https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/
  scopes: ['boards:read', 'boards:write', 'pins:read', 'pins:write', 'user_accounts:read'],
  settings: {
    apiUrl: baseUrl(
      "Pinterest's API. An app with Trial access can create pins only at its sandbox, https://api-sandbox.pinterest.com.",
      'https://api.pinterest.com',
    ),
    loginUrl: baseUrl("Pinterest's website, for its consent page.", 'https://www.pinterest.com'),
  },
  rules: {
    // `maxLength` of the description, which JSON Schema counts in code points.
    text: { max: 800, unit: 'characters' },
    isTextRequired: false,
    media: {
      max: 5,
      canMix: false,
      // The types are those of the API. https://help.pinterest.com/en/business/article/pinterest-product-specs
      // has the sizes: 20 MB is the limit of the website, and the app takes 32 MB.
      image: { max: 5, types: ['image/jpeg', 'image/png'], maxBytes: 20 * mb },
      video: {
        max: 1,
        types: ['video/mp4', 'video/quicktime'],
        maxBytes: 2_000 * mb,
        minDurationMs: 4_000,
        maxDurationMs: 900_000,
        // "Shorter than 1:2 (width:height), taller than 1.91:1."
        minRatio: 0.5,
        maxRatio: 1.91,
        hasThumbnail: true,
        hasThumbnailFrame: true,
      },
      altText: 500,
    },
    replies: null,
    check,
    source: 'https://developers.pinterest.com/docs/api/v5/pins-create',
  },
  options,
  choices: {
    boards: 'Boards of the account, and group boards that it may pin to.',
    board_sections: 'Sections of the boards. Their parents are the boards.',
  },
  trialPost: {
    defaults: ['board_id'],
    needsImage: true,
    seenBy: 'everyone for a few seconds',
  },
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: {
      fields: [
        'caption',
        'media.alt_text',
        'platform_options.title',
        'platform_options.link',
        'platform_options.board_id',
        'platform_options.board_section_id',
      ],
      withinS: null,
      scopes: [],
      except: ["Pins of an app without Pinterest's beta for edits."],
    },
    byHand: 'Edit the pin at Pinterest.',
    sources: {
      unpublish: 'https://developers.pinterest.com/docs/api/v5/pins-delete',
      edit: 'https://developers.pinterest.com/docs/api/v5/pins-update',
    },
  },
  preparesOnlyMedia: true,
  // Pinterest recognizes no repeat.
  commitRepeatsForMs: 0,
});
