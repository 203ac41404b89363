// A process that advances one target to its end. Tests stop it, kill it or give it another clock.
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { TargetClock } from '../../../schema/retry.ts';
import { dependenciesOf } from '../networks/posting.ts';
import { connectSlowNetwork } from '../slow-network.ts';
import { advanceToEnd } from '../rows/targets.ts';

export interface AdvanceProgramInput {
  databaseUrl: string;
  networkUrl: string;
  /** The ID is also the name of the program's connections in pg_stat_activity. */
  resultId: string;
  clock: TargetClock;
}

const input = JSON.parse(process.argv[2]!) as AdvanceProgramInput;
const { databaseUrl: url, networkUrl, resultId, clock } = input;
const database = connectDatabase({ url, maxConnections: 3, applicationName: resultId });
const platform = connectSlowNetwork(networkUrl);
await advanceToEnd(dependenciesOf(database.db, { platform }, clock), resultId);
await database.close();
