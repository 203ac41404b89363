// WordPress for the contract test: an author of a simulated site.
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import { wordpress } from '../../../../schema/platforms/wordpress.ts';
import type { NetworkFacts, NetworkSubject } from '../contract/subject.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { toCaption } from './caption.ts';
import { createSite, type StoredPost, type WordPressSite } from './server.ts';

export const wordpressFacts: NetworkFacts = {
  name: 'wordpress',
  options: [
    {
      given: {
        title: 'News & <more>',
        slug: 'our-news',
        excerpt: 'In short: a < b',
        tags: ['brass & wind', 'news'],
        format: 'aside',
        featured_media: false,
        status: 'private',
      },
      arrives: {
        title: 'News &amp; &lt;more&gt;',
        slug: 'our-news',
        excerpt: 'In short: a &lt; b',
        tags: ['brass &amp; wind', 'news'],
        format: 'aside',
        status: 'private',
      },
    },
    {
      given: { categories: ['uncategorized'], tags: ['news'] },
      arrives: { categories: ['Uncategorized'], tags: ['news'], title: '', status: 'publish' },
      isOwn: true,
    },
    {
      given: { content_type: 'html', title: 'HTML' },
      caption: '<h2>News</h2>\n\n<p>a &lt; b</p>',
      arrives: { slug: 'html', format: 'standard' },
    },
  ],
  // With characters of two code units, a text would exceed Fanfare's own limit for captions first.
  textOf: (length) => 'ß'.repeat(length),
};

export const wordpressSubject: NetworkSubject = {
  ...wordpressFacts,
  resolution: 'search',
  calls: { commit: 1, reconcile: 1 },
  textLimit: wordpress.rules.text.max,
  refusal: { platformCode: 'not_welcome', message: 'This is not welcome here.' },
  async start(switchboard) {
    const site = createSite({ folder: '/blog' });
    const author = site.addUser('ada', 'author');
    const contributor = site.addUser('carl', 'contributor');
    const server = await startFaultyServer(site, switchboard);
    const toCredentials = ({ login, password }: typeof author) => ({
      site: `${server.url}/blog`,
      username: login,
      application_password: password,
    });
    const credentials = toCredentials(author);
    return {
      env: {},
      credentials,
      wrongCredentials: listWrongCredentials(credentials, toCredentials(contributor), server.url),
      listPosts: () => site.posts.map((post) => toPublicPost(site, post)),
      listSecrets: () => [author, contributor].flatMap(listForms),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};

/** `contributor`: a user without the right to publish. `elsewhere`: an address without WordPress. */
export function listWrongCredentials(
  author: Credentials,
  contributor: Credentials,
  elsewhere: string,
) {
  const application_password = 'abcd EFGH 1234 ijkl MNOP 5678';
  return [
    { field: 'application_password', credentials: { ...author, application_password } },
    { field: 'username', credentials: contributor },
    { field: 'site', credentials: { ...author, site: elsewhere } },
  ];
}

function listForms({ login, password }: { login: string; password: string }): string[] {
  const basic = Buffer.from(`${login}:${password}`).toString('base64');
  return [password, password.replaceAll(' ', ''), basic];
}

function toPublicPost(site: WordPressSite, { id, fields }: StoredPost) {
  const { content, title = '', excerpt = '', format = 'standard', slug, status } = fields;
  const categories = fields.categories.map((term) => site.categories[term - 1]);
  const tags = fields.tags.map((term) => site.tags[term - 1]);
  const blocks = content.matchAll(/<!-- wp:(?:image|video) \{"id":(\d+)/g);
  const ids = [fields.featured_media ?? [], ...Array.from(blocks, ([, id]) => Number(id))].flat();
  return {
    id: String(id),
    text: toCaption(content),
    replyTo: null,
    media: ids.map((id) => site.files.find((file) => file.id === id)!.sha256),
    options: { title, excerpt, format, slug, status, categories, tags },
  };
}
