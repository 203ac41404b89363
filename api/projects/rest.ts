// The REST routes of the caller's project.
import { Project, UpdateProject } from '../../schema/projects.ts';
import { get, one, patch, written } from '../http/route.ts';
import { getProject, updateProject } from './operations.ts';

export const projectRoutes = [
  get('/v1/project', {
    name: 'getProject',
    summary: 'Read the project that the key belongs to',
    scope: 'accounts:read',
    answer: one(Project),
    run: ({ context, caller }) => getProject(context, caller),
  }),

  patch('/v1/project', {
    name: 'updateProject',
    summary: 'Change the project',
    scope: 'accounts:write',
    body: UpdateProject,
    answer: written(200, Project),
    run: ({ context, caller, body }) => updateProject(context, caller, body),
  }),
];
