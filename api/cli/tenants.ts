// The commands on projects, and `keys create`. A new key is printed once.
import { Scope, scopes } from '../../schema/scopes.ts';
import { findProjectRow, listProjectRows, setProject } from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { createKey as insertKey } from '../api-keys/key.ts';
import type { Answer } from './output/answer.ts';
import { createProjectWithKey } from './first-start.ts';
import { InvalidArgument } from './output/invalid-argument.ts';
import { toTable } from './output/table.ts';

interface ProjectFlags {
  name?: string | undefined;
}

export interface KeyFlags extends ProjectFlags {
  project?: string | undefined;
  scopes?: string | undefined;
  test: boolean;
  'expires-at'?: string | undefined;
}

export async function createProject(db: Db, { name }: ProjectFlags): Promise<Answer> {
  if (!name) throw new InvalidArgument('--name is required.');
  const { row, key } = await createProjectWithKey(db, name);
  return {
    text: `project ${row.project_id}\nkey     ${key}\nSave the key: it is shown only once.`,
    data: { id: row.project_id, name, key },
  };
}

export async function showProjects(db: Db): Promise<Answer> {
  const projects = await listProjectRows(db);
  const rows = projects.map(({ id, name, created_at }) => [id, created_at.toISOString(), name]);
  const text = toTable(['PROJECT', 'CREATED', 'NAME'], rows);
  return {
    text: projects.length === 0 ? 'No project.' : text,
    data: projects.map(({ id, name, created_at }) => ({ id, name, created_at })),
  };
}

export async function renameProject(db: Db, { project, name }: KeyFlags): Promise<Answer> {
  if (!name || !project) throw new InvalidArgument('--project and --name are required.');
  if (!(await findProjectRow(db, project))) {
    throw new InvalidArgument(`No project has the ID ${project}.`);
  }
  const { id } = await setProject(db, project, { name });
  return { text: `Renamed ${id} to ${name}.`, data: { id, name } };
}

export async function createKey(db: Db, flags: KeyFlags): Promise<Answer> {
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
  return {
    text: `id  ${row.id}\nkey ${key}\nSave the key: it is shown only once.`,
    data: { id: row.id, name, project_id: project, scopes: wanted.data, key },
  };
}
