// The languages of the hosted pages: which one a browser gets, and that none of them lacks a text.
import { describe, expect, test } from 'vitest';
import { fieldsOf, readFields } from '../../../../activities/platforms/credential-fields.ts';
import { createInboundRoutes } from '../../../../api/inbound/routes.ts';
import { createShareRoutes } from '../../../../api/share/routes.ts';
import { de } from '../../../../api/http/pages/texts/de.ts';
import { en } from '../../../../api/http/pages/texts/en.ts';
import { createUnreachablePlatforms } from '../../../support/changes/published-row.ts';
import { createBrowser, inGerman } from '../../../support/app/browser.ts';
import {
  choose,
  formMethod,
  origin,
  useHostedFlow,
} from '../../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();

const ask = (language?: string) =>
  flow.createPages().request(`${origin}/connect/cs_unknown`, {
    ...(language !== undefined && { headers: { 'Accept-Language': language } }),
  });

describe('the language of a page', () => {
  test.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['fr-FR, fr;q=0.9, de;q=0.8, en;q=0.7', 'de'],
    ['de;q=0.5, en;q=0.9', 'en'],
    ['de;q=0', 'en'],
    ['den', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;q=,,de=,', 'en'],
    [undefined, 'en'],
  ])('for the Accept-Language %j is %s', async (header, expected) => {
    const response = await ask(header);
    expect(response.headers.get('Content-Language')).toBe(expected);
    expect(response.headers.get('Vary')).toBe('Accept-Language');
    expect(await response.text()).toContain(`<html lang="${expected}">`);
  });

  test('is German from the first page of a session to the last', async () => {
    const pages = flow.createPages();
    const isHosted = (url: string) => new URL(url).origin === origin;
    const browser = createBrowser(
      inGerman((url, init) => (isHosted(url) ? pages.request(url, init) : fetch(url, init))),
    );
    const { url } = await flow.createSession();
    const first = await browser.visit(url);
    expect(first.html).toContain('Ihr Sandbox-Konto verbinden');
    expect(first.html).toContain('Sie melden sich bei Sandbox an und erlauben es dort.');
    const consent = await browser.submit(first, { decision: 'connect' });
    const choice = await browser.submit(consent, { decision: 'allow' });
    expect(choice.html).toContain('Ihre Sandbox-Konten auswählen');
    const none = await browser.submit(choice, { decision: 'choose' });
    expect(none).toMatchObject({ status: 422 });
    expect(none.html).toContain('Bitte wählen Sie mindestens ein Konto aus.');
    expect(none.html).toMatch(/<title>\s*Fehler: /);
    const last = await browser.submit(none, choose(flow.network.accounts[0]!.id));
    expect(last.html).toContain('Mit Sandbox verbunden');
    expect(last.html).not.toContain('lang="en"');
  });

  test('is marked as English for what only a network says', async () => {
    const pages = flow.createPages(flow.withMethods(formMethod));
    const browser = createBrowser(inGerman((url, init) => pages.request(url, init)));
    const form = await browser.visit((await flow.createSession()).url);
    const refused = await browser.submit(form, { access_token: 'wrong' });
    expect(refused.html).toContain('<span lang="en">Not with this token.</span>');
  });
});

test('the pages of deletions and of unknown links are German too', async () => {
  const headers = { 'Accept-Language': 'de' };
  const inbound = createInboundRoutes(flow.rest.context);
  const deletion = await inbound.request('/data-deletion/unknown', { headers });
  expect(await deletion.text()).toContain('Diesen Antrag gibt es nicht');
  expect(deletion.headers.get('Content-Language')).toBe('de');
  const share = await createShareRoutes(flow.rest.context).request('/share/rev_1', { headers });
  expect(await share.text()).toContain('Der Beitrag konnte nicht geöffnet werden');
});

/** What the connectors say on the pages of their methods. */
function listConnectorTexts(): string[] {
  const methods = [...createUnreachablePlatforms().values()].flatMap(({ connect }) => connect);
  return methods.flatMap((method) => {
    const { description, fields } = readFields(fieldsOf(method));
    const texts = fields.flatMap((field) => [field.label, field.description]);
    return [description, ...texts].filter((text) => text !== undefined);
  });
}

test('German has a text for each label and help of the connectors, and no other', () => {
  const kinds = ['Page', 'Profile'];
  const expected = new Set([...listConnectorTexts(), ...kinds]);
  expect(new Set(Object.keys(de.connectors))).toEqual(expected);
});

/** The names of all texts, with the number of values that each takes. */
function outline(texts: object, at = ''): string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (name === 'connectors') return [];
    if (typeof text === 'object') return outline(text as object, `${at}${name}.`);
    return [`${at}${name}${typeof text === 'function' ? `/${(text as () => void).length}` : ''}`];
  });
}

test('German uses each value that English uses', () => {
  expect(outline(de)).toEqual(outline(en));
});
