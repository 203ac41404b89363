// Content for the pictures of the docs: a brass band with three accounts, and a month of planned posts.
import sharp from 'sharp';
import type { Post } from '../../schema/posts/posts.ts';
import type { Api } from '../support/app/api.ts';
import { waitForPost } from '../support/app/seed.ts';

const handles = ['brass-and-co', 'tour-diary', 'brass-shop'] as const;

const published = [
  'Rehearsals begin: twelve horns, one very small room.',
  'New arrangement of “Gymnopédie No. 1”, for tubas only.',
  'The spring tour starts in Utrecht. Tickets are out now.',
  'Thank you, Ghent. What a night.',
  'Our van has a name now: Bertha.',
];
const planned = [
  'Doors open at seven',
  'New shirts in the shop',
  'A day in the studio',
  'Sheet music of the month',
  'Ask us anything',
  'Behind the scenes',
  'Sound check',
  'Tickets for the matinee',
];
const refused = 'Live recording of last night, in full length.';
export const followedCaption = 'Opening night! Come early: the first fifty get a poster.';
const failingPath = '/sandbox/nothing-here';

export interface Sample {
  /** A post of which one target needs someone. */
  postId: string;
}

export async function fillWithSample(api: Api): Promise<Sample> {
  const send = async (method: string, path: string, body: object) => {
    const answer = await api.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.data;
  };
  await send('PATCH', '/v1/project', { name: 'Brass & Co' });
  // Those of the first start have other names.
  for (const { id } of (await api.get('/v1/accounts')).body.data) {
    await api.delete(`/v1/accounts/${id}`);
  }
  const all: string[] = [];
  for (const handle of handles) {
    const account = { platform: 'sandbox', credentials: { handle } };
    all.push((await send('POST', '/v1/accounts/connect', account)).id);
  }
  const [band, diary, shop] = all as [string, string, string];
  await send('POST', '/v1/webhooks', { name: 'Website', url: `${api.url}/sandbox/inbox/site` });
  await send('POST', '/v1/webhooks', { name: 'Newsletter', url: api.url + failingPath });

  async function publish(post: object): Promise<string> {
    const { id } = (await send('POST', '/v1/posts', post)) as Post;
    return (await waitForPost(api, id)).id;
  }
  for (const caption of published) await publish({ caption, account_ids: all });
  const refusedBy = (id: string) => ({
    account_id: id,
    platform_options: { outcome: 'rejected' },
  });
  await publish({ caption: refused, platform_posts: [refusedBy(diary)] });
  const media = [{ id: await uploadPoster(api), alt_text: 'A poster: Brass & Co, opening night' }];
  const postId = await publish({
    caption: followedCaption,
    media,
    labels: ['spring-tour'],
    platform_posts: [refusedBy(shop), { account_id: band }, { account_id: diary }],
  });
  for (const [at, { day, local }] of plan().entries()) {
    await send('POST', '/v1/posts', {
      caption: planned[at % planned.length],
      account_ids: [all[at % all.length], ...(day % 4 === 0 ? [all[(at + 1) % all.length]] : [])],
      schedule: { local, timezone: 'UTC' },
    });
  }
  return { postId };
}

/** Times in the next calendar month, on about two of three days. */
function plan(): { day: number; local: string }[] {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const prefix = month.toISOString().slice(0, 8);
  const days = Array.from({ length: 28 }, (_, at) => at + 1).filter((day) => day % 3 !== 0);
  return days.flatMap((day) => {
    const date = `${prefix}${String(day).padStart(2, '0')}`;
    const times = day % 7 === 1 ? ['09:00', '18:30'] : [day % 2 === 0 ? '12:00' : '17:00'];
    return times.map((time) => ({ day, local: `${date}T${time}` }));
  });
}

async function uploadPoster(api: Api): Promise<string> {
  const size = { width: 960, height: 640 };
  const bytes = await sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">
      <rect width="100%" height="100%" fill="#1d2556"/>
      <circle cx="700" cy="330" r="240" fill="#f2b63c"/>
      <circle cx="700" cy="330" r="120" fill="#1d2556"/>
      <rect x="60" y="300" width="560" height="60" rx="30" fill="#f2b63c"/>
    </svg>`),
  )
    .png()
    .toBuffer();
  const body = { filename: 'poster.png', content_type: 'image/png', size_bytes: bytes.length };
  const { data } = (await api.post('/v1/media', body)).body;
  const sent = await fetch(data.upload_url, {
    method: 'PUT',
    headers: { 'Content-Type': 'image/png' },
    body: new Uint8Array(bytes),
  });
  if (!sent.ok) throw new Error(`The upload answered ${sent.status}: ${await sent.text()}`);
  return data.id;
}
