// The values of the review form: reads them from a request, turns them into options of the target, and lists their
// problems.
import { html } from 'hono/html';
import { AppError, type Issue } from '../../schema/wire/errors.ts';
import { interactions, type Interaction } from '../../schema/platforms/tiktok.ts';
import { render } from '../../schema/wire/names.ts';
import { plain, type Html } from '../http/pages/prose.ts';
import { inEnglish, type Texts } from '../http/pages/texts.ts';
import type { Offer } from './review.ts';
import type { ReviewedTarget } from './target.ts';

export interface Values {
  caption: string;
  /** Title of photos. */
  title: string;
  /** Empty: not chosen. */
  privacyLevel: string;
  allowed: readonly Interaction[];
  isDisclosed: boolean;
  promotesOwnBrand: boolean;
  isPaidPartnership: boolean;
  isMadeWithAi: boolean;
}

/** The texts of the client, and nothing chosen: every choice is the creator's. */
export function firstValues(caption: string, { result }: ReviewedTarget): Values {
  const { title } = result.platform_options;
  return {
    caption: result.caption ?? caption,
    title: typeof title === 'string' ? title : '',
    privacyLevel: '',
    allowed: [],
    isDisclosed: false,
    promotesOwnBrand: false,
    isPaidPartnership: false,
    isMadeWithAi: false,
  };
}

/** Empty if the form has no text of this name. */
export function readText(form: Record<string, unknown>, name: string): string {
  const value = form[name];
  // Browsers end lines with both characters.
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}

export function readValues(form: Record<string, unknown>): Values {
  const text = (name: string) => readText(form, name);
  const isOn = (name: string) => text(name) === 'on';
  return {
    caption: text('caption'),
    title: text('title'),
    privacyLevel: text('privacy_level'),
    allowed: interactions.filter((what) => isOn(`allow_${what}`)),
    isDisclosed: isOn('disclose'),
    promotesOwnBrand: isOn('promotes_own_brand'),
    isPaidPartnership: isOn('paid_partnership'),
    isMadeWithAi: isOn('made_with_ai'),
  };
}

/**
 * Replaces the options that the creator decides, so that neither the client nor a default of the account decides them.
 * `acceptedAt`: when the creator pressed the button below the declaration.
 */
export function toOptions(
  values: Values,
  { isVideo }: Pick<Offer, 'isVideo'>,
  stored: Record<string, unknown>,
  acceptedAt: Date,
): Record<string, unknown> {
  const { privacyLevel, isDisclosed } = values;
  const isAllowed = (what: Interaction) => values.allowed.includes(what);
  const { privacy_level: _, ...others } = stored;
  return {
    ...others,
    ...(privacyLevel !== '' && { privacy_level: privacyLevel }),
    consent: { previewed: true, accepted_at: acceptedAt.toISOString() },
    allow_comment: isAllowed('comment'),
    // Photos don't have these. Null keeps defaults of the account away.
    allow_duet: isVideo ? isAllowed('duet') : null,
    allow_stitch: isVideo ? isAllowed('stitch') : null,
    made_with_ai: isVideo ? values.isMadeWithAi : null,
    promotes_own_brand: isDisclosed && values.promotesOwnBrand,
    paid_partnership: isDisclosed && values.isPaidPartnership,
    ...(!isVideo && { title: values.title === '' ? null : values.title }),
  };
}

/**
 * https://developers.tiktok.com/doc/content-sharing-guidelines, sections 3a and 3b, which have these sentences only in
 * English.
 */
export const notDisclosed =
  'You need to indicate if your content promotes yourself, a third party, or both.';
export const brandedNotPrivate = 'Branded content visibility cannot be set to private.';

/** A problem with what the creator entered. */
export interface Problem {
  /** ID of the control. Null: the problem is elsewhere. */
  field: string | null;
  text: Html;
}

/** Throws if the creator says that the content is commercial, but not whose. No option of the target has this. */
export function requireDisclosed(values: Values): void {
  if (!values.isDisclosed || values.promotesOwnBrand || values.isPaidPartnership) return;
  throw new AppError('validation_error', notDisclosed, {
    issues: [{ path: ['promotes_own_brand'], code: 'required', message: notDisclosed }],
  });
}

const fields = new Set([
  'caption',
  'title',
  'privacy_level',
  'promotes_own_brand',
  'paid_partnership',
  'made_with_ai',
  ...interactions.map((what) => `allow_${what}`),
]);

/** Issues of other targets are reported too, since the post is published as a whole. */
export function toProblems(texts: Texts, error: AppError, { index }: ReviewedTarget): Problem[] {
  return (error.options.issues ?? []).map((issue) => {
    const { path } = issue;
    const name = String(path.at(-1));
    const isOwn = path[0] !== 'platform_posts' || path[1] === index;
    if (!isOwn || !fields.has(name)) {
      return { field: null, text: inEnglish(texts, plain(render(issue.message))) };
    }
    return { field: name, text: describe(texts, name, issue) };
  });
}

const labels: Readonly<Record<string, string>> = { caption: 'The text', title: 'The title' };

/** A whole sentence for the creator, who doesn't know the names of options. */
function describe(texts: Texts, name: string, { code, message }: Issue): Html {
  const { failures, turnedOff } = texts.share;
  if (name === 'privacy_level') {
    return html`${code === 'required' ? failures.noPrivacy : failures.otherPrivacy}`;
  }
  if (code === 'not_private') return inEnglish(texts, brandedNotPrivate);
  if (code === 'interaction_disabled') return html`${turnedOff}`;
  const text = render(message);
  const sentence = /^[a-z].*[^.]$/s.test(text) ? `${labels[name] ?? name} ${text}.` : text;
  return inEnglish(texts, plain(sentence));
}
