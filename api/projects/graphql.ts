// The caller's project, in GraphQL.
import { UpdateProject, type Project } from '../../schema/projects.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { mutationOf } from '../graphql/mutations.ts';
import { nodesOf } from '../graphql/nodes.ts';
import { read } from '../graphql/operation.ts';
import { findProjects, getProject, updateProject } from './operations.ts';

const ProjectRef = builder.objectRef<Project>('Project');

builder.node(ProjectRef, {
  ...nodesOf('accounts:read', findProjects).options,
  fields: (t) => ({
    name: t.exposeString('name'),
    brandColor: t.exposeString('brand_color', { nullable: true }),
    logoMediaId: t.exposeID('logo_media_id', { nullable: true }),
    darkLogoMediaId: t.exposeID('dark_logo_media_id', { nullable: true }),
    privacyUrl: t.exposeString('privacy_url', { nullable: true }),
    termsUrl: t.exposeString('terms_url', { nullable: true }),
    supportUrl: t.exposeString('support_url', { nullable: true }),
    returnOrigins: t.exposeStringList('return_origins'),
    monthlyPostsPerAccount: t.exposeInt('monthly_posts_per_account', { nullable: true }),
    publishWithinS: t.exposeInt('publish_within_s', { nullable: true }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
  }),
});

const UpdateProjectInput = builder.inputType('UpdateProjectInput', {
  fields: (t) => ({
    name: t.string(),
    brandColor: t.string(),
    logoMediaId: t.id(),
    darkLogoMediaId: t.id(),
    privacyUrl: t.string(),
    termsUrl: t.string(),
    supportUrl: t.string(),
    returnOrigins: t.stringList(),
    monthlyPostsPerAccount: t.int(),
    publishWithinS: t.int(),
  }),
});

builder.queryField('project', (t) =>
  t.field({
    type: ProjectRef,
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) => read(graphql, 'accounts:read', getProject),
  }),
);

mutationOf('updateProject', {
  type: ProjectRef,
  scope: 'accounts:write',
  input: UpdateProjectInput,
  schema: UpdateProject,
  takesKey: true,
  run: updateProject,
});
