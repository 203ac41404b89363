// The layout of the pages of a review link, and those of them without a form.
import { html } from 'hono/html';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import { page, type PageOptions } from '../http/pages/page.ts';
import { plain, type Html } from '../http/pages/prose.ts';
import { inEnglish, type Texts } from '../http/pages/texts.ts';
import type { Review } from './review.ts';
import { reviewed } from './target.ts';

type Shown = Pick<Review, 'brand' | 'texts'>;

/** A page in the name of the project. */
export function sharePage(
  title: string,
  body: Html,
  { brand, texts }: Shown,
  { isInvalid = false, ...options }: PageOptions & { isInvalid?: boolean } = {},
): Promise<Response> {
  const name = `${title} – ${brand.name}`;
  const documentTitle = isInvalid ? texts.errorTitle(name) : name;
  return page(title, body, { ...options, texts, network: reviewed.title, brand, documentTitle });
}

/** The page for a request that belongs to no known link. */
export const errorPage = (texts: Texts, message: string | Html, status: number) =>
  page(texts.share.failed, html`<p>${message}</p>`, { texts, status });

export const invalidLinkPage = (texts: Texts) => errorPage(texts, texts.failures.invalidLink, 404);

export function otherBrowserPage(review: Review): Promise<Response> {
  const { failures, share } = review.texts;
  return sharePage(
    failures.otherBrowser,
    html`<p>${share.otherBrowser}</p>
      <p>${failures.openAgain(review.brand.name)}</p>`,
    review,
    { status: 403 },
  );
}

export function expiredPage(review: Review): Promise<Response> {
  const { expired, expiredText } = review.texts.share;
  const text = html`<p>${expiredText(review.brand.name)}</p>`;
  return sharePage(expired, text, review, { status: 410 });
}

/** The client has changed the targets of the post. */
export function otherTargetsPage(review: Review): Promise<Response> {
  const { otherTargets, otherTargetsText } = review.texts.share;
  const text = html`<p>${otherTargetsText(review.brand.name)}</p>`;
  return sharePage(otherTargets, text, review, { status: 410 });
}

/** The page for a creator who can't publish the post now. Nothing was sent to TikTok. */
export function refusedPage(review: Review, message: Html, status: number): Promise<Response> {
  const { share, tryAgain } = review.texts;
  return sharePage(
    share.refused,
    html`<p>${message}</p>
      <p>${share.nothingSent}</p>
      <p><a href="/share/${review.link.id}">${tryAgain}</a></p>`,
    review,
    { status },
  );
}

const refreshAfterS = 5;

/** What has become of the post, once the creator or the client has published or scheduled it. */
export function outcomePage(review: Review): Promise<Response> {
  const { texts, stored, target } = review;
  const { title, text, url, isOpen = false } = describeOutcome(texts, stored, target?.result);
  return sharePage(
    title,
    html`<p>${text}</p>
      ${url !== undefined && html`<p><a href="${url}" rel="noopener">${texts.share.open}</a></p>`}`,
    review,
    isOpen ? { refreshAfterS } : {},
  );
}

interface Outcome {
  title: string;
  text: string | Html;
  url?: string;
  /** Whether the page looks again. */
  isOpen?: boolean;
}

function describeOutcome(
  texts: Texts,
  { post }: PostWithResults,
  result: NonNullable<Review['target']>['result'] | undefined,
): Outcome {
  const { share } = texts;
  const network = reviewed.title;
  if (post.status === 'scheduled' && post.scheduled_at) {
    const text = share.scheduled(network, share.time(post.scheduled_at));
    return { title: share.scheduledTitle, text };
  }
  switch (result?.status) {
    case 'published': {
      const url = result.url === null ? {} : { url: result.url };
      return { title: share.published(network), text: share.processing, ...url };
    }
    case 'failed': {
      const { error_message: message } = result;
      const text = message === null ? share.notTaken(network) : inEnglish(texts, plain(message));
      return { title: share.notPublished(network), text };
    }
    case 'pending':
    case 'publishing':
      if (post.status !== 'pending') break;
      return { title: share.publishing(network), text: share.processing, isOpen: true };
    default:
  }
  return { title: share.notPublished(network), text: share.withdrawn };
}
