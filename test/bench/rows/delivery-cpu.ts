// CPU time of a delivery from its event's commit to the receiver, in light and steady traffic and in a backlog.
import { createCpuRow } from '../cpu-row.ts';
import { commitEvent, commitEventsTogether } from '../events.ts';

export const deliveryCpu = createCpuRow({
  id: 'delivery_cpu',
  title:
    'CPU milliseconds of program, Postgres and Temporal for each delivery, from commit to receiver: ' +
    '2 and 20 events/s, and 2,000 at once; against the bare chain',
  main: 'paced_20',
  limitMs: 140_000,
  async listCases(installation) {
    const one = async () => [await commitEvent(installation, installation.projectId)];
    const commit = (count: number) =>
      count === 1 ? one() : commitEventsTogether(installation, count);
    return [
      { id: 'paced_2', count: 40, perSecond: 2, targets: 0, commit },
      { id: 'paced_20', count: 300, perSecond: 20, targets: 0, commit },
      { id: 'backlog', count: 2_000, perSecond: null, targets: 0, commit },
    ];
  },
});
