// A browser with its own cookie jar, for tests of the hosted pages.

type Send = (url: string, init: RequestInit) => Promise<Response> | Response;

export interface Page {
  url: string;
  status: number;
  html: string;
}

export interface Browser {
  /** Sends one request with the browser's cookies. Doesn't follow redirects. */
  request(url: string, init?: RequestInit): Promise<Response>;
  /** Loads a page and follows its redirects. */
  visit(url: string, init?: RequestInit): Promise<Page>;
  /** Sends the page's form, with its hidden fields unchanged and the given values. */
  submit(page: Page, values: FormValues): Promise<Page>;
  /** The Cookie header that the browser sends to the URL. */
  cookiesFor(url: string): string;
}

/** A list of values is for checkboxes with the same name. */
type FormValues = Record<string, string | string[]>;

interface Cookie {
  value: string;
  origin: string;
  path: string;
}

/** Sends as a browser of a person who reads German. */
export const inGerman =
  (send: Send = fetch): Send =>
  (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('Accept-Language', 'de-DE,de;q=0.9,en;q=0.8');
    return send(url, { ...init, headers });
  };

const maxRedirects = 10;

export function createBrowser(send: Send = fetch): Browser {
  const jar = new Map<string, Cookie>();

  function cookiesFor(url: string): string {
    const { origin, pathname } = new URL(url);
    return [...jar]
      .filter(([, cookie]) => cookie.origin === origin && isBelow(pathname, cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  function keepCookies({ origin }: URL, { headers }: Response): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
      jar.set(name, { value, origin, path });
    }
  }

  async function request(url: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(url);
    const cookie = cookiesFor(url);
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('Cookie', cookie);
    const response = await send(target.href, { ...init, headers, redirect: 'manual' });
    keepCookies(target, response);
    return response;
  }

  async function visit(url: string, init: RequestInit = {}): Promise<Page> {
    let response = await request(url, init);
    for (let i = 0; i < maxRedirects; i++) {
      const location = response.headers.get('Location');
      if (location === null) break;
      await response.body?.cancel();
      url = new URL(location, url).href;
      response = await request(url);
    }
    return { url, status: response.status, html: await response.text() };
  }

  function submit({ url, html }: Page, values: FormValues): Promise<Page> {
    const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1];
    if (action === undefined) throw new Error(`No form is at ${url}:\n${html}`);
    return visit(new URL(unescape(action), url).href, {
      method: 'POST',
      headers: { Origin: new URL(url).origin },
      body: new URLSearchParams(
        Object.entries({ ...readHiddenFields(html), ...values }).flatMap(([name, value]) =>
          [value].flat().map((one): [string, string] => [name, one]),
        ),
      ),
    });
  }

  return { request, visit, submit, cookiesFor };
}

/** The state in the form of a hosted page. */
export function formStateOf({ html }: Pick<Page, 'html'>): string {
  return readHiddenFields(html)['state']!;
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

function readHiddenFields(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => input);
  return Object.fromEntries(
    inputs.map((input) => {
      const read = (attribute: string) => new RegExp(`${attribute}="([^"]*)"`).exec(input)?.[1];
      return [unescape(read('name') ?? ''), unescape(read('value') ?? '')];
    }),
  );
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
