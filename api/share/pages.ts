// The layout of the pages of a review link, and those of them without a form.
import { html } from 'hono/html';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import { page, plain, type Brand, type Html, type PageOptions } from '../http/pages.ts';
import type { Review } from './review.ts';
import { reviewed } from './target.ts';

/** A page in the name of the project. */
export function sharePage(
  title: string,
  body: Html,
  brand: Brand,
  { isInvalid = false, ...options }: PageOptions & { isInvalid?: boolean } = {},
): Promise<Response> {
  const documentTitle = `${isInvalid ? 'Error: ' : ''}${title} – ${brand.name}`;
  return page(title, body, { ...options, brand, documentTitle });
}

/** In UTC, such as `2026-01-31 12:00 UTC`. */
export const showTime = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The page for a request that belongs to no known link. */
export const errorPage = (message: string, status: number) =>
  page('The post could not be opened', html`<p>${message}</p>`, { status });

export const invalidLinkPage = () =>
  errorPage('This link is not valid. Go back to the app and ask for a new one.', 404);

export const otherBrowserPage = ({ brand }: Review) =>
  sharePage(
    'This page was opened in another browser',
    html`<p>This page works only in the browser that opened the link.</p>
      <p>Go back to ${brand.name} and open the link again.</p>`,
    brand,
    { status: 403 },
  );

export const expiredPage = ({ brand }: Review) =>
  sharePage(
    'This link has expired',
    html`<p>The post is not at TikTok. Go back to ${brand.name} and ask for a new link.</p>`,
    brand,
    { status: 410 },
  );

/** The client has changed the targets of the post. */
export const otherTargetsPage = ({ brand }: Review) =>
  sharePage(
    'This link is no longer valid',
    html`<p>
      ${brand.name} no longer publishes this post to your TikTok account. Go back to ${brand.name}
      and ask for a new link.
    </p>`,
    brand,
    { status: 410 },
  );

/** The page for a creator who can't publish the post now. Nothing was sent to TikTok. */
export const refusedPage = ({ brand, link }: Review, message: string, status: number) =>
  sharePage(
    "You can't publish this post now",
    html`<p>${plain(message)}</p>
      <p>Nothing was sent to TikTok.</p>
      <p><a href="/share/${link.id}">Try again</a></p>`,
    brand,
    { status },
  );

const refreshAfterS = 5;

/** What has become of the post, once the creator or the client has published or scheduled it. */
export function outcomePage({ brand, stored, target }: Review): Promise<Response> {
  const { title, text, url, isOpen = false } = describeOutcome(stored, target?.result);
  return sharePage(
    title,
    html`<p>${plain(text)}</p>
      ${url !== undefined && html`<p><a href="${url}" rel="noopener">Open the post</a></p>`}`,
    brand,
    isOpen ? { refreshAfterS } : {},
  );
}

interface Outcome {
  title: string;
  text: string;
  url?: string;
  /** Whether the page looks again. */
  isOpen?: boolean;
}

const processing =
  'It may take a few minutes for the content to process and be visible on your profile.';

function describeOutcome(
  { post }: PostWithResults,
  result: NonNullable<Review['target']>['result'] | undefined,
): Outcome {
  const network = reviewed.title;
  if (post.status === 'scheduled' && post.scheduled_at) {
    const text = `The post will be published at ${network} on ${showTime(post.scheduled_at)}.`;
    return { title: 'Your post is scheduled', text };
  }
  switch (result?.status) {
    case 'published': {
      const url = result.url === null ? {} : { url: result.url };
      return { title: `Your post is at ${network}`, text: processing, ...url };
    }
    case 'failed':
      return {
        title: `Your post is not at ${network}`,
        text: result.error_message ?? `${network} did not take the post.`,
      };
    case 'pending':
    case 'publishing':
      if (post.status !== 'pending') break;
      return {
        title: `Your post is being sent to ${network}`,
        text: processing,
        isOpen: true,
      };
    default:
  }
  const text = 'It was canceled or changed. You can close this page.';
  return { title: `Your post is not at ${network}`, text };
}
