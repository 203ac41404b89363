// Starts both servers and makes the template database and the workflow bundle before the first test. Removes
// all of them after the last test.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { migrate } from '../../schema/database/migrate.ts';
import { runAsAdmin, withDatabase } from './app/admin.ts';
import { startServers } from './servers/servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    adminDatabaseUrl: string;
    templateDatabase: string;
    temporalAddress: string;
    /** Where the workflow bundle of the run is kept. */
    cacheDirectory: string;
  }
}

const templateDatabase = 'fanfare_template';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await startServers();
  const cacheDirectory = join(servers.directory, 'cache');
  try {
    // Otherwise the first test file of every worker would bundle the workflows for itself.
    await Promise.all([createTemplate(servers.adminDatabaseUrl), workflowBundle(cacheDirectory)]);
  } catch (error) {
    await servers.stop();
    throw error;
  }
  project.provide('adminDatabaseUrl', servers.adminDatabaseUrl);
  project.provide('templateDatabase', templateDatabase);
  project.provide('temporalAddress', servers.temporalAddress);
  project.provide('cacheDirectory', cacheDirectory);
  return () => servers.stop();
}

async function createTemplate(adminUrl: string): Promise<void> {
  // A server that this run did not start still has the template of an earlier run.
  await runAsAdmin(adminUrl, `drop database if exists ${templateDatabase}`);
  await runAsAdmin(adminUrl, `create database ${templateDatabase}`);
  const database = connectDatabase({
    url: withDatabase(adminUrl, templateDatabase),
    maxConnections: 1,
    applicationName: 'test template',
  });
  try {
    await migrate(database.db);
  } finally {
    await database.close();
  }
}
