// Validating a post, in GraphQL.
import {
  CreatePost,
  findingSeverities,
  type PostFinding,
  type PostVerdict,
} from '../../../schema/posts/posts.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { inInput, judge } from '../../graphql/operation.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { spellField, spellWords, type Place } from '../../graphql/case-conversion.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { validatePost } from '../checks/check-post.ts';
import { CreatePostInput } from './creating.ts';

const FindingSeverityRef = wordEnum('FindingSeverity', findingSeverities);

const PostFindingRef = builder.objectRef<PostFinding>('PostFinding').implement({
  fields: (t) => ({
    platformPostIndex: t.exposeInt('platform_post_index', {
      nullable: true,
      description: "The target's place in its list. Null: it is about the post as a whole.",
    }),
    accountId: t.exposeID('account_id', { nullable: true }),
    platform: t.expose('platform', { type: PlatformRef, nullable: true }),
    field: t.exposeString('field'),
    code: t.exposeString('code'),
    message: t.string({ resolve: ({ message }) => spellWords(message) }),
    actual: t.expose('actual', { type: 'JSON', nullable: true }),
    limit: t.expose('limit', { type: 'JSON', nullable: true }),
    severity: t.expose('severity', { type: FindingSeverityRef }),
  }),
});

function spell({ valid, errors, warnings }: PostVerdict, place: Place): PostVerdict {
  const spelled = (findings: PostFinding[]) =>
    findings.map((finding) => ({ ...finding, field: spellField(finding.field, place) }));
  return { valid, errors: spelled(errors), warnings: spelled(warnings) };
}

const PostVerdictRef = builder.objectRef<PostVerdict>('PostVerdict').implement({
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    errors: t.field({
      type: [PostFindingRef],
      description: 'Creation refuses a post with any of these.',
      resolve: (verdict) => verdict.errors,
    }),
    warnings: t.field({ type: [PostFindingRef], resolve: (verdict) => verdict.warnings }),
  }),
});

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostVerdictRef,
    nullable: true,
    description: 'What `createPost` would say to this input, without creating anything.',
    complexity: operationCost,
    args: { input: t.arg({ type: CreatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      judge(
        graphql,
        { scope: 'posts:write', schema: CreatePost, args, info },
        async (context, caller, input) =>
          spell(await validatePost(context, caller, input), inInput(args, info)),
      ),
  }),
);
