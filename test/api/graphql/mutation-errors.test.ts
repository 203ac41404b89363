// Every mutation refuses with a known code, and reports each issue by its GraphQL path.
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../api/resources/schema.ts';
import { errorKinds } from '../../../schema/wire/errors.ts';
import { useApp } from '../../support/app/app.ts';
import { writeOperation } from '../../support/checks/compare-apis.ts';
import { askRefused, type Message } from '../../support/graphql/graphql.ts';

const schema = createSchema();
const mutations = Object.keys(schema.getMutationType()!.getFields());

const app = useApp({ roles: { api: true, worker: false } });

/** Credentials are the network's own words. */
const isGraphqlPath = ({ path }: Message) =>
  /^(input|id|platform|\w+Id|idempotencyKey)\b([^_]*|\.credentials\..*)$/.test(path);

describe('a mutation', () => {
  test.each(mutations)('%s with sample arguments succeeds, or has a known code', async (name) => {
    const query = writeOperation(schema, `Mutation.${name}`);
    const { body } = await app.api.graphql(query);
    if (!body.errors) return expect(body.data[name]).not.toBeNull();
    const [{ path, extensions }] = body.errors;
    expect(path).toEqual([name]);
    expect(Object.keys(errorKinds)).toContain(extensions.code);
    expect(extensions.code).not.toBe('internal');
    if (extensions.code === 'validation_error') expect(extensions.issues.length).toBeGreaterThan(0);
    expect((extensions.issues ?? []).filter((issue: Message) => !isGraphqlPath(issue))).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    [
      'createPost',
      '(input: { accountIds: ["x"], mediaUrls: ["ftp://x"] })',
      ['input.accountIds[0]', 'input.mediaUrls[0]'],
    ],
    [
      'createPost',
      '(input: { platformPosts: [{ accountId: "x", firstComment: "" }] })',
      ['input.platformPosts[0].firstComment'],
    ],
    [
      'createPost',
      '(input: { scheduledAt: "soon", idempotencyKey: "" })',
      ['input.scheduledAt', 'input.idempotencyKey'],
    ],
    ['createPost', '(input: { metadata: { a: 1 } })', ['input.metadata.a']],
    ['createPosts', '(input: { posts: [] })', ['input.posts']],
    ['updatePost', '(id: "post_x", input: {})', ['input']],
    [
      'connectAccount',
      '(input: { platform: SANDBOX, credentials: { handle: "!" } })',
      ['input.credentials.handle'],
    ],
    [
      'createConnectSession',
      '(input: { platform: SANDBOX, externalUserId: "", returnUrl: "x" })',
      ['input.externalUserId', 'input.returnUrl'],
    ],
    ['createApiKey', '(input: { name: "", expiresAt: "soon" })', ['input.name', 'input.expiresAt']],
    ['createWebhook', '(input: { url: "http://x" })', ['input.url']],
    ['createWebhook', '(input: { url: "https://x.example", events: [] })', ['input.events']],
    ['updateWebhook', '(id: "wh_x", input: {})', ['input']],
    ['rotateWebhook', '(id: "wh_x", input: { overlapSeconds: -1 })', ['input.overlapSeconds']],
    ['replayDeliveries', '(webhookId: "wh_x", input: { since: "soon" })', ['input.since']],
    [
      'updateProject',
      '(input: { monthlyPostsPerAccount: -1, returnOrigins: ["x"] })',
      ['input.monthlyPostsPerAccount', 'input.returnOrigins[0]'],
    ],
  ])('%s%s reports its issues', async (name, args, paths) => {
    const selection = name === 'createPosts' ? '{ status }' : '{ __typename }';
    const refused = await askRefused(app, `mutation { ${name}${args} ${selection} }`);
    expect(refused).toMatchObject({ code: 'validation_error', path: [name], isRetriable: false });
    const given = refused.issues.map(({ path }: Message) => path);
    expect(given).toEqual(expect.arrayContaining(paths));
    for (const issue of refused.issues)
      expect(issue).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  });
});
