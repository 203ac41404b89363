// The commands `projects create` and `keys create`. They print a key once.
import { Scope, scopes } from '../../schema/scopes.ts';
import { findProjectRow } from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { createKey as insertKey } from '../api-keys/key.ts';
import { createProjectWithKey } from './first-start.ts';
import { InvalidArgument } from './invalid-argument.ts';

interface ProjectFlags {
  name?: string | undefined;
}

export interface KeyFlags extends ProjectFlags {
  project?: string | undefined;
  scopes?: string | undefined;
  test: boolean;
  'expires-at'?: string | undefined;
}

export async function createProject(db: Db, { name }: ProjectFlags): Promise<string> {
  if (!name) throw new InvalidArgument('--name is required.');
  const { row, key } = await createProjectWithKey(db, name);
  return `project ${row.project_id}\nkey     ${key}\nSave the key: it is shown only once.`;
}

export async function createKey(db: Db, flags: KeyFlags): Promise<string> {
  const { name, project, test: isTest } = flags;
  if (!name || !project) throw new InvalidArgument('--project and --name are required.');
  const wanted = Scope.array().safeParse(flags.scopes?.split(',') ?? [...scopes]);
  if (!wanted.success)
    throw new InvalidArgument(`--scopes must be a list of ${scopes.join(', ')}.`);
  const expiresAt = flags['expires-at'] === undefined ? null : new Date(flags['expires-at']);
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw new InvalidArgument('--expires-at must be in the future, such as 2030-01-31T00:00:00Z.');
  }
  if (!(await findProjectRow(db, project))) {
    throw new InvalidArgument(`No project has the ID ${project}.`);
  }
  const { row, key } = await insertKey(db, {
    projectId: project,
    name,
    scopes: wanted.data,
    environment: isTest ? 'test' : 'production',
    expiresAt,
  });
  return `id  ${row.id}\nkey ${key}\nSave the key: it is shown only once.`;
}
