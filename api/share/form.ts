// The page on which a creator sees a post, decides what TikTok has creators decide, and publishes it:
// https://developers.tiktok.com/doc/content-sharing-guidelines, "Required UX Implementation in Your App".
// The page has the sentences that the guidelines quote, in English, since TikTok publishes them in no other language.
// It needs no script: styles show and hide what depends on a
// choice, and the server checks every choice.
import { html } from 'hono/html';
import { interactions, type Interaction } from '../../schema/platforms/tiktok.ts';
import type { Html } from '../http/pages/prose.ts';
import { inEnglish, type Texts } from '../http/pages/texts.ts';
import type { Offer, Review, ShownMedia } from './review.ts';
import { sharePage } from './pages.ts';
import { formCss } from './form-css.ts';
import { reviewed } from './target.ts';
import { brandedNotPrivate, notDisclosed, type Problem, type Values } from './values.ts';

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
  const { link, brand, stored, texts } = review;
  const { share } = texts;
  const { publishAt } = offer;
  return sharePage(
    share.title(reviewed.title),
    html`${showCreator(share, offer)} ${showProblems(texts, problems)}
      <section aria-label="${share.preview}" class="preview">
        ${offer.media.map((media, i) => showMedia(share, media, i))}
      </section>
      ${showOthers(offer, review)}
      <form method="post" action="/share/${link.id}">
        <input type="hidden" name="state" value="${state}" />
        <input type="hidden" name="revision" value="${stored.post.revision}" />
        ${showTexts(texts, offer, values, problems)} ${showPrivacy(texts, offer, values, problems)}
        ${showInteractions(share, offer, values)} ${showDisclosure(texts, values)}
        ${offer.isVideo && showAi(share, values)} ${showDeclaration(texts)}
        ${publishAt && html`<p>${share.publishOn(share.time(publishAt))}</p>`}
        <button class="first">${publishAt ? share.schedule : share.publish}</button>
        <p class="quiet">${share.nothingBefore(brand.name)}</p>
      </form>`,
    review,
    {
      status,
      css: formCss,
      hasMedia: true,
      isInvalid: problems.length > 0,
      ...(offer.pictureUrl !== null && { imageUrls: [offer.pictureUrl] }),
    },
  );
}

type ShareTexts = Texts['share'];

function showCreator(share: ShareTexts, { name, username, pictureUrl }: Offer): Html {
  const shown = html`<strong><bdi>${name}</bdi></strong>`;
  return html`<div class="creator">
    ${pictureUrl !== null && html`<img src="${pictureUrl}" alt="" width="48" height="48" />`}
    <p>
      ${share.creator(reviewed.title, shown)}
      ${username !== null && html`<span class="quiet"><bdi>@${username}</bdi></span>`}
    </p>
  </div>`;
}

function showProblems(texts: Texts, problems: readonly Problem[]): Html | null {
  if (problems.length === 0) return null;
  return html`<section aria-labelledby="problem" class="summary" role="alert">
    <h2 id="problem">${texts.problem}</h2>
    <ul>
      ${problems.map(
        ({ field, text }) =>
          html`<li>${field === null ? text : html`<a href="#${field}">${text}</a>`}</li>`,
      )}
    </ul>
  </section>`;
}

function showMedia(share: ShareTexts, { url, isVideo, altText }: ShownMedia, i: number): Html {
  const label = altText ?? (isVideo ? share.video : share.photo(i + 1));
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

function showOthers({ others, publishAt }: Offer, { brand, texts }: Review): Html | null {
  if (others.length === 0) return null;
  const { othersNow, othersThen } = texts.share;
  const say = publishAt ? othersThen : othersNow;
  return html`<p>${say(brand.name, others.join(', '))}</p>`;
}

function showTexts(
  texts: Texts,
  { isVideo }: Offer,
  { caption, title }: Values,
  problems: readonly Problem[],
): Html {
  const { titleField, description } = texts.share;
  const text = html`<label for="caption">${isVideo ? titleField : description}</label>
    <textarea id="caption" name="caption" rows="5" ${invalid('caption', problems)}>
${caption}</textarea>`;
  if (isVideo) return text;
  return html`<label for="title">${texts.optional(titleField)}</label>
    <input id="title" name="title" type="text" value="${title}" ${invalid('title', problems)} />
    ${text}`;
}

const invalid = (name: string, problems: readonly Problem[]) =>
  problems.some(({ field }) => field === name) ? html`aria-invalid="true"` : null;

function showPrivacy(
  texts: Texts,
  { levels }: Offer,
  values: Values,
  problems: readonly Problem[],
): Html {
  const { share } = texts;
  const { privacyLevel } = values;
  const isOffered = levels.some((level) => level === privacyLevel);
  return html`<label for="privacy_level">${share.privacy}</label>
    <select
      id="privacy_level"
      name="privacy_level"
      required
      aria-describedby="private-hint"
      ${invalid('privacy_level', problems)}
    >
      <option value="" disabled ${!isOffered && 'selected'}>${share.choose}</option>
      ${levels.map(
        (level) =>
          html`<option value="${level}" ${level === privacyLevel && 'selected'}>
            ${share.levels[level]}
          </option>`,
      )}
    </select>
    <p class="quiet when-private" id="private-hint">${inEnglish(texts, brandedNotPrivate)}</p>`;
}

/** TikTok has duets and stitches only for videos. */
function showInteractions(share: ShareTexts, { isVideo, off }: Offer, { allowed }: Values): Html {
  const shown: readonly Interaction[] = isVideo ? interactions : ['comment'];
  return html`<fieldset>
    <legend>${share.interactions}</legend>
    ${shown.map((what) =>
      checkbox(`allow_${what}`, share.allow[what], {
        isOn: allowed.includes(what) && !off.includes(what),
        ...(off.includes(what) && { offBecause: share.turnedOff }),
      }),
    )}
  </fieldset>`;
}

function showDisclosure(texts: Texts, values: Values): Html {
  const { commercial, disclose } = texts.share;
  return html`<fieldset>
    <legend>${commercial}</legend>
    ${checkbox('disclose', disclose, {
      isOn: values.isDisclosed,
    })}
    <div class="commercial">
      ${checkbox('promotes_own_brand', inEnglish(texts, 'Your brand'), {
        isOn: values.promotesOwnBrand,
        hint: inEnglish(texts, 'You are promoting yourself or your own business.'),
      })}
      <div class="branded">
        ${checkbox('paid_partnership', inEnglish(texts, 'Branded content'), {
          isOn: values.isPaidPartnership,
          hint: inEnglish(texts, 'You are promoting another brand or a third party.'),
        })}
      </div>
      <p class="when-neither">${inEnglish(texts, notDisclosed)}</p>
      <p class="when-promotional">
        ${inEnglish(texts, "Your photo/video will be labeled as 'Promotional content'.")}
      </p>
      <p class="when-paid">
        ${inEnglish(texts, "Your photo/video will be labeled as 'Paid partnership'.")}
      </p>
      <p class="when-private">${inEnglish(texts, brandedNotPrivate)}</p>
    </div>
  </fieldset>`;
}

function showAi(share: ShareTexts, { isMadeWithAi }: Values): Html {
  return html`<fieldset>
    <legend>${share.ai}</legend>
    ${checkbox('made_with_ai', share.madeWithAi, { isOn: isMadeWithAi })}
  </fieldset>`;
}

function showDeclaration(texts: Texts): Html {
  const music = link(musicUrl, 'Music Usage Confirmation');
  const branded = link(brandedUrl, 'Branded Content Policy');
  const agreed = html`By posting, you agree to TikTok's ${music}.`;
  const agreedBoth = html`By posting, you agree to TikTok's ${branded} and ${music}.`;
  return html`<p class="when-not-branded">${inEnglish(texts, agreed)}</p>
    <p class="when-branded">${inEnglish(texts, agreedBoth)}</p>`;
}

/** Opens in a new tab, so that the form keeps what was entered. */
const link = (url: string, text: string) =>
  html`<a href="${url}" target="_blank" rel="noopener">${text}</a>`;

function checkbox(
  name: string,
  label: string | Html,
  { isOn, hint, offBecause }: { isOn: boolean; hint?: Html; offBecause?: string },
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
