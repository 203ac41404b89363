// The language of a hosted page: which one a browser asks for, and what to do with text that has only English.
import { parseAccept } from 'hono/utils/accept';
import { html } from 'hono/html';
import type { Context as HonoContext } from 'hono';
import { AppError, type ErrorCode } from '../../../schema/wire/errors.ts';
import type { Context } from '../context.ts';
import type { Html } from './prose.ts';
import { de } from './texts/de.ts';
import { en, type Texts } from './texts/en.ts';

export type { Texts };

const languages: readonly Texts[] = [en, de];

/** The context of a request to a hosted page. */
export interface PageContext extends Context {
  readonly texts: Texts;
}

/** In the language that the browser asks for. A regional language, such as `de-AT`, gets its main language. */
export function textsOf({ req }: Pick<HonoContext, 'req'>): Texts {
  for (const { type, q } of parseAccept(req.header('Accept-Language') ?? '')) {
    const [main = ''] = type.toLowerCase().split('-');
    const texts = languages.find(({ lang }) => lang === main);
    if (texts && q > 0) return texts;
  }
  return en;
}

/** An error that hosted pages show in the language of the page. */
export class PageError extends AppError {
  readonly say: (texts: Texts) => string;

  constructor(code: ErrorCode, say: (texts: Texts) => string) {
    super(code, say(en));
    this.say = say;
  }
}

/** The message of an error. Those of networks are in English. */
export function messageOf(texts: Texts, error: AppError): Html {
  return error instanceof PageError ? html`${error.say(texts)}` : inEnglish(texts, error.message);
}

/** Text that exists only in English. Screen readers learn its language. */
export function inEnglish(texts: Texts, text: string | Html): Html {
  return texts.lang === en.lang ? html`${text}` : html`<span lang="${en.lang}">${text}</span>`;
}

/** A label or help of a connector. `show`: how to show the text. */
export function ofConnector(
  texts: Texts,
  text: string,
  show: (text: string) => Html = (text) => html`${text}`,
): Html {
  const translated = texts.connectors[text];
  return translated === undefined ? inEnglish(texts, show(text)) : show(translated);
}
