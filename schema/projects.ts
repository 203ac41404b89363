// Projects: the tenants of an installation, as the wire shows them.
import { z } from 'zod';
import { CreatedAt, GivenName, Id, Name } from './wire/shared-fields.ts';
import { fixedLimits } from './wire/limits.ts';
import { someChange } from './wire/some-change.ts';

const returnOrigins = {
  description:
    'Origins that the `return_url` of a connect session can have. Sessions of a production key need one.',
};
const ReturnOrigin = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !URL.parse(url)?.hostname.includes('*'), {
    message: "must not contain '*': list each origin",
    params: { code: 'wildcard' },
  })
  .transform((url) => new URL(url).origin);
const brandColor = {
  description: 'Color of the hosted pages, as `#rrggbb`. Null for the default color.',
};
/** Shown to users, so its host must be one that they can look up. */
const HttpsUrl = z
  .url({ protocol: /^https$/, hostname: z.regexes.domain })
  .max(2048)
  .refine((url) => !URL.parse(url)?.username && !URL.parse(url)?.password, {
    message: 'must not contain a user name or a password',
  });
const logoMedia = {
  description:
    'ID of the image that the logo on the hosted pages is a copy of. The copy stays when the media are deleted. Null for no logo.',
};
const darkLogoMedia = {
  description:
    'ID of the image that replaces the logo on dark pages, as a copy. Null for the same logo.',
};
const privacyUrl = {
  description:
    'HTTPS URL of your privacy policy, which the hosted pages link to. Required before users can connect accounts of Facebook, Threads and Instagram. Null for none.',
};
const termsUrl = {
  description: 'HTTPS URL of your terms, which the hosted pages link to. Null for none.',
};
const supportUrl = {
  description:
    'HTTPS URL of the page where users reach you, which the hosted pages link to. Null for none.',
};
const monthlyPosts = {
  description:
    'Maximum number of targets that each account publishes in a month. 0 means no limit. Null means the limit of the installation.',
};
const publishWithin = {
  description:
    'Deadline of posts without `publish_by`: seconds after a post is due. A target that could not be sent by then fails with `deadline_passed`. Null means none.',
};

export const Project = z
  .object({
    id: Id,
    name: Name,
    brand_color: z.string().nullable().meta(brandColor),
    logo_media_id: z.string().nullable().meta(logoMedia),
    dark_logo_media_id: z.string().nullable().meta(darkLogoMedia),
    privacy_url: z.string().nullable().meta(privacyUrl),
    terms_url: z.string().nullable().meta(termsUrl),
    support_url: z.string().nullable().meta(supportUrl),
    return_origins: z.array(z.string()).meta(returnOrigins),
    monthly_posts_per_account: z.int().nullable().meta(monthlyPosts),
    publish_within_s: z.int().nullable().meta(publishWithin),
    created_at: CreatedAt,
  })
  .meta({ id: 'Project', description: 'The project that the API key belongs to.' });
export type Project = z.infer<typeof Project>;

export const UpdateProject = someChange(
  z.strictObject({
    name: GivenName.optional(),
    brand_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be #rrggbb')
      .nullable()
      .optional()
      .meta(brandColor),
    logo_media_id: z.string().nullable().optional().meta(logoMedia),
    dark_logo_media_id: z.string().nullable().optional().meta(darkLogoMedia),
    privacy_url: HttpsUrl.nullable().optional().meta(privacyUrl),
    terms_url: HttpsUrl.nullable().optional().meta(termsUrl),
    support_url: HttpsUrl.nullable().optional().meta(supportUrl),
    return_origins: z
      .array(ReturnOrigin)
      .max(50)
      .optional()
      .meta({
        description: `${returnOrigins.description} Only the origin of each URL is stored.`,
      }),
    monthly_posts_per_account: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullable()
      .optional()
      .meta(monthlyPosts),
    publish_within_s: z
      .int()
      .min(60)
      .max(fixedLimits.scheduleAheadDays * 86_400)
      .nullable()
      .optional()
      .meta(publishWithin),
  }),
).meta({
  id: 'UpdateProject',
  description: 'Changes to the project. Omitted fields stay as they are.',
});
export type UpdateProject = z.infer<typeof UpdateProject>;
