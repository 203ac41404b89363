// The page on which a creator sees a post, decides what TikTok has creators decide, and publishes it:
// https://developers.tiktok.com/doc/content-sharing-guidelines, "Required UX Implementation in Your App".
// The page has the sentences that the guidelines quote. It needs no script: styles show and hide what depends on a
// choice, and the server checks every choice.
import { html } from 'hono/html';
import {
  interactions,
  type Interaction,
  type PrivacyLevel,
} from '../../schema/platforms/tiktok.ts';
import { plain, type Html } from '../http/pages.ts';
import type { Offer, Review, ShownMedia } from './review.ts';
import { sharePage, showTime } from './pages.ts';
import { formCss } from './form-css.ts';
import { brandedNotPrivate, notDisclosed, type Problem, type Values } from './values.ts';

const levelNames: Readonly<Record<PrivacyLevel, string>> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends: followers that you follow back',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only me',
};

const interactionNames: Readonly<Record<Interaction, string>> = {
  comment: 'Allow comments',
  duet: 'Allow duets',
  stitch: 'Allow stitches',
};

/** The addresses that the guidelines link to. */
const musicUrl = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en';
const brandedUrl = 'https://www.tiktok.com/legal/page/global/bc-policy/en';

interface ReviewForm {
  review: Review;
  offer: Offer;
  /** Proves that the form comes from this page. */
  state: string;
  values: Values;
  problems?: readonly Problem[];
  status?: number;
}

export function reviewPage(form: ReviewForm): Promise<Response> {
  const { review, offer, state, values, problems = [], status = 200 } = form;
  const { link, brand, stored } = review;
  const { publishAt } = offer;
  return sharePage(
    'Post to TikTok',
    html`${showCreator(offer)} ${showProblems(problems)}
      <section aria-label="Preview" class="preview">${offer.media.map(showMedia)}</section>
      ${showOthers(offer, review)}
      <form method="post" action="/share/${link.id}">
        <input type="hidden" name="state" value="${state}" />
        <input type="hidden" name="revision" value="${stored.post.revision}" />
        ${showTexts(offer, values, problems)} ${showPrivacy(offer, values, problems)}
        ${showInteractions(offer, values)} ${showDisclosure(values)}
        ${offer.isVideo && showAi(values)} ${showDeclaration()}
        ${publishAt && html`<p>The post will be published on ${showTime(publishAt)}.</p>`}
        <button class="first">${publishAt ? 'Schedule' : 'Publish'}</button>
        <p class="quiet">
          ${brand.name} sends nothing to TikTok before you press this button. After you publish, it
          may take a few minutes for the content to process and be visible on your profile.
        </p>
      </form>`,
    brand,
    {
      status,
      css: formCss,
      hasMedia: true,
      isInvalid: problems.length > 0,
      ...(offer.pictureUrl !== null && { imageUrls: [offer.pictureUrl] }),
    },
  );
}

function showCreator({ name, username, pictureUrl }: Offer): Html {
  return html`<div class="creator">
    ${pictureUrl !== null && html`<img src="${pictureUrl}" alt="" width="48" height="48" />`}
    <p>
      You post to TikTok as <strong><bdi>${name}</bdi></strong>
      ${username !== null && html`<span class="quiet"><bdi>@${username}</bdi></span>`}
    </p>
  </div>`;
}

function showProblems(problems: readonly Problem[]): Html | null {
  if (problems.length === 0) return null;
  return html`<section aria-labelledby="problem" class="summary" role="alert">
    <h2 id="problem">There is a problem</h2>
    <ul>
      ${problems.map(
        ({ field, text }) =>
          html`<li>${field === null ? plain(text) : html`<a href="#${field}">${text}</a>`}</li>`,
      )}
    </ul>
  </section>`;
}

function showMedia({ url, isVideo, altText }: ShownMedia, i: number): Html {
  const label = altText ?? (isVideo ? 'Your video' : `Photo ${i + 1}`);
  return isVideo
    ? html`<video
        src="${url}"
        controls
        playsinline
        preload="metadata"
        aria-label="${label}"
      ></video>`
    : html`<img src="${url}" alt="${label}" />`;
}

function showOthers({ others, publishAt }: Offer, { brand }: Review): Html | null {
  if (others.length === 0) return null;
  const when = publishAt ? 'at the same time' : 'now';
  return html`<p>${brand.name} publishes this post ${when} at ${others.join(', ')}, too.</p>`;
}

function showTexts(
  { isVideo }: Offer,
  { caption, title }: Values,
  problems: readonly Problem[],
): Html {
  const text = html`<label for="caption">${isVideo ? 'Title' : 'Description'}</label>
    <textarea id="caption" name="caption" rows="5" ${invalid('caption', problems)}>
${caption}</textarea>`;
  if (isVideo) return text;
  return html`<label for="title">Title (optional)</label>
    <input id="title" name="title" type="text" value="${title}" ${invalid('title', problems)} />
    ${text}`;
}

const invalid = (name: string, problems: readonly Problem[]) =>
  problems.some(({ field }) => field === name) ? html`aria-invalid="true"` : null;

function showPrivacy({ levels }: Offer, values: Values, problems: readonly Problem[]): Html {
  const { privacyLevel } = values;
  const isOffered = levels.some((level) => level === privacyLevel);
  return html`<label for="privacy_level">Who can see this post</label>
    <select
      id="privacy_level"
      name="privacy_level"
      required
      aria-describedby="private-hint"
      ${invalid('privacy_level', problems)}
    >
      <option value="" disabled ${!isOffered && 'selected'}>Choose</option>
      ${levels.map(
        (level) =>
          html`<option value="${level}" ${level === privacyLevel && 'selected'}>
            ${levelNames[level]}
          </option>`,
      )}
    </select>
    <p class="quiet when-private" id="private-hint">${brandedNotPrivate}</p>`;
}

/** TikTok has duets and stitches only for videos. */
function showInteractions({ isVideo, off }: Offer, { allowed }: Values): Html {
  const shown: readonly Interaction[] = isVideo ? interactions : ['comment'];
  return html`<fieldset>
    <legend>What others can do</legend>
    ${shown.map((what) =>
      checkbox(`allow_${what}`, interactionNames[what], {
        isOn: allowed.includes(what) && !off.includes(what),
        ...(off.includes(what) && { offBecause: 'You have turned this off at TikTok.' }),
      }),
    )}
  </fieldset>`;
}

function showDisclosure(values: Values): Html {
  return html`<fieldset>
    <legend>Commercial content</legend>
    ${checkbox('disclose', 'This post promotes yourself, a brand, product or service', {
      isOn: values.isDisclosed,
    })}
    <div class="commercial">
      ${checkbox('promotes_own_brand', 'Your brand', {
        isOn: values.promotesOwnBrand,
        hint: 'You are promoting yourself or your own business.',
      })}
      <div class="branded">
        ${checkbox('paid_partnership', 'Branded content', {
          isOn: values.isPaidPartnership,
          hint: 'You are promoting another brand or a third party.',
        })}
      </div>
      <p class="when-neither">${notDisclosed}</p>
      <p class="when-promotional">Your photo/video will be labeled as 'Promotional content'.</p>
      <p class="when-paid">Your photo/video will be labeled as 'Paid partnership'.</p>
      <p class="when-private">${brandedNotPrivate}</p>
    </div>
  </fieldset>`;
}

function showAi({ isMadeWithAi }: Values): Html {
  return html`<fieldset>
    <legend>AI-generated content</legend>
    ${checkbox('made_with_ai', 'This video was made with AI', { isOn: isMadeWithAi })}
  </fieldset>`;
}

function showDeclaration(): Html {
  const music = link(musicUrl, 'Music Usage Confirmation');
  const branded = link(brandedUrl, 'Branded Content Policy');
  return html`<p class="when-not-branded">By posting, you agree to TikTok's ${music}.</p>
    <p class="when-branded">By posting, you agree to TikTok's ${branded} and ${music}.</p>`;
}

/** Opens in a new tab, so that the form keeps what was entered. */
const link = (url: string, text: string) =>
  html`<a href="${url}" target="_blank" rel="noopener">${text}</a>`;

function checkbox(
  name: string,
  label: string,
  { isOn, hint, offBecause }: { isOn: boolean; hint?: string; offBecause?: string },
): Html {
  const about = offBecause ?? hint;
  return html`<div class="choice">
    <input
      type="checkbox"
      id="${name}"
      name="${name}"
      value="on"
      ${isOn && 'checked'}
      ${offBecause !== undefined && 'disabled'}
      ${about !== undefined && html`aria-describedby="${name}-hint"`}
    />
    <label for="${name}">
      ${label} ${about !== undefined && html`<span class="quiet" id="${name}-hint">${about}</span>`}
    </label>
  </div>`;
}
