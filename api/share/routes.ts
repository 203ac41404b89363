// The routes of the page on which a creator reviews a post. A browser gets its cookie from the link.
import { Hono, type Context as HonoContext } from 'hono';
import { html } from 'hono/html';
import { findReviewLink, type FoundReviewLink } from '../../schema/database/posts/review-links.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { isLinkToken } from '../http/auth/api-keys.ts';
import type { Context } from '../http/context.ts';
import {
  isState,
  newState,
  readBrowserSecret,
  setBrowserCookie,
  type LinkKind,
} from '../http/hosted-link.ts';
import { limitBody } from '../http/body.ts';
import { messageOf, textsOf } from '../http/pages/texts.ts';
import { isWaiting } from '../posts/stored-post.ts';
import { reviewPage } from './form.ts';
import {
  errorPage,
  expiredPage,
  invalidLinkPage,
  otherBrowserPage,
  otherTargetsPage,
  outcomePage,
  refusedPage,
} from './pages.ts';
import { publishReviewed } from './publish.ts';
import { readOffer, readReview, type Review } from './review.ts';
import type { ReviewedTarget } from './target.ts';
import { firstValues, readText, readValues, toProblems } from './values.ts';

/** A browser at the page of a link that can be used. */
interface Visit {
  review: Review;
  target: ReviewedTarget;
  /** The browser's secret, from its cookie. */
  secret: string;
}

interface ShareEnvironment {
  /** The link of the request, once its browser is known. */
  Variables: { review?: Review };
}
type RequestContext = HonoContext<ShareEnvironment>;

const shareLinks: LinkKind = { path: '/share', cookie: 'share', table: 'review_links' };
const linkIdPattern = /^rev_[0-9a-z]{26}$/;
const maxBodyBytes = 65_536;

/** Expects full paths, starting with `/share`. */
export function createShareRoutes(context: Context): Hono<ShareEnvironment> {
  const app = new Hono<ShareEnvironment>().basePath('/share');
  app.use(
    '/:id',
    limitBody(maxBodyBytes, (c, { code }) => {
      const texts = textsOf(c);
      return code === 'payload_too_large'
        ? errorPage(texts, texts.failures.tooLarge, 413)
        : errorPage(texts, texts.failures.unreadable, 400);
    }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-store');
  });

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const token = c.req.query('token');
    if (token !== undefined) return followLink(c, await findLink(id), token);
    const visit = await findVisit(c, id);
    return visit instanceof Response ? visit : showForm(visit);
  });

  app.post('/:id', async (c) => {
    const form = await c.req.parseBody().catch(() => null);
    if (!form) return errorPage(textsOf(c), textsOf(c).failures.unreadable, 400);
    const visit = await findVisit(c, c.req.param('id'));
    return visit instanceof Response ? visit : submitForm(c, visit, form);
  });

  app.notFound((c) => invalidLinkPage(textsOf(c)));
  app.onError((error, c) => {
    const isKnown = error instanceof AppError;
    if (!isKnown) context.log.error({ component: 'share', err: error }, 'a share page failed');
    const texts = textsOf(c);
    const message = isKnown ? messageOf(texts, error) : html`${texts.failures.unexpected}`;
    const status = isKnown ? errorKinds[error.code].status : 500;
    const review = c.get('review');
    return review ? refusedPage(review, message, status) : errorPage(texts, message, status);
  });

  /** Removes the token from the address bar. A browser that already has a cookie keeps the cookie. */
  function followLink(
    c: RequestContext,
    link: FoundReviewLink | undefined,
    token: string,
  ): Response | Promise<Response> {
    if (!link || !isLinkToken(link.token_hash, token)) return invalidLinkPage(textsOf(c));
    const { id, expires_at } = link;
    if (readBrowserSecret(context, c, shareLinks, id) === undefined) {
      const forMs = Math.max(0, expires_at.getTime() - Date.now());
      setBrowserCookie(context, c, shareLinks, { id, forMs });
    }
    return c.redirect(`/share/${id}`, 302);
  }

  async function findLink(id: string): Promise<FoundReviewLink | undefined> {
    return linkIdPattern.test(id) ? findReviewLink(context.db, id) : undefined;
  }

  /** Returns the page to respond with if the browser didn't open the link, or the link can't be used. */
  async function findVisit(c: RequestContext, id: string): Promise<Response | Visit> {
    const link = await findLink(id);
    if (!link) return invalidLinkPage(textsOf(c));
    const review = await readReview({ ...context, texts: textsOf(c) }, link);
    const secret = readBrowserSecret(context, c, shareLinks, id);
    if (secret === undefined) {
      return link.has_expired ? expiredPage(review) : otherBrowserPage(review);
    }
    c.set('review', review);
    const { target } = review;
    if (link.has_expired) return expiredPage(review);
    if (link.used_at || !isWaiting(review.stored.post)) return outcomePage(review);
    return target ? { review, target, secret } : otherTargetsPage(review);
  }

  async function showForm({ review, target, secret }: Visit): Promise<Response> {
    return reviewPage({
      review,
      offer: await readOffer(context, review, target),
      state: newState('form', review.link.id, secret),
      values: firstValues(review.stored.post.caption, target),
    });
  }

  async function submitForm(
    c: RequestContext,
    { review, target, secret }: Visit,
    form: Record<string, unknown>,
  ): Promise<Response> {
    const { id } = review.link;
    // With the cookie alone, any page of the same site could submit the form.
    if (!isState('form', id, secret, readText(form, 'state'))) return otherBrowserPage(review);
    const values = readValues(form);
    const offer = await readOffer(context, review, target);
    const revision = readText(form, 'revision');
    try {
      await publishReviewed(context, review, offer, { values, revision });
    } catch (error) {
      // Any other error can't be solved in the form.
      if (!(error instanceof AppError) || error.code !== 'validation_error') throw error;
      return reviewPage({
        review,
        offer,
        state: newState('form', id, secret),
        values,
        problems: toProblems(review.texts, error, target),
        status: errorKinds[error.code].status,
      });
    }
    return c.redirect(`/share/${id}`, 303);
  }
  return app;
}
