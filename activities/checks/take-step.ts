// Takes one step of a check: makes a call to the network, or compares earlier answers of the network.
import type { CheckStepName } from '../../schema/account-checks.ts';
import { readInspection, readOutcome } from '../platforms/platform-answer.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { describeMissingScopes, findMissingScopes } from '../platforms/wrong-credential.ts';
import { afterError, askWithLogin } from './ask-with-login.ts';
import { fail, pass, skip, wait, type CheckRun, type Taken } from './check-run.ts';
import { refuseIfLimited } from './limits.ts';
import { checkMediaAddress } from './media-address.ts';
import { publish, readBack, remove } from './publish-post.ts';

type Step = (run: CheckRun) => Taken | Promise<Taken>;

const steps: Record<CheckStepName, Step> = {
  login: inspect,
  scopes: compareScopes,
  // This step makes no call. It fails if the call of another step fails with an error code of this step.
  app: () => pass(),
  quota: askQuota,
  media_address: ({ dependencies, check }) => checkMediaAddress(dependencies, check),
  preparation: (run) => prepare(run, 'preparation'),
  publication: (run) =>
    needsPrepare(run) ? prepare(run, 'publication').then(thenPublish) : publish(run),
  read_back: readBack,
  removal: remove,
};

export function takeStep(run: CheckRun, name: CheckStepName): Taken | Promise<Taken> {
  return steps[name](run);
}

async function inspect(run: CheckRun): Promise<Taken> {
  const { checks, definition } = run.platform;
  if (!checks) return skip(`Logins at ${definition.title} can't be checked.`);
  const found = await askWithLogin(run, async (target, signal) => {
    const { accounts, scope } = readInspection(await checks.inspect(target, signal));
    const { externalAccountId } = target;
    return {
      scope,
      account: accounts.find((each) => each.externalAccountId === externalAccountId),
    };
  });
  if (found instanceof PlatformError) return afterError(run, 'login', found);
  const { account, scope } = found;
  if (!account) return fail('account_disconnected', 'The login no longer reaches the account.');
  return pass(undefined, { scope, problem: account.problem });
}

function compareScopes({ platform, check, progress }: CheckRun): Taken {
  const { scopes: needed = [], title } = platform.definition;
  if (progress.problem !== null) return fail('permission_missing', progress.problem);
  const scope = progress.scope.length > 0 ? progress.scope : check.scope;
  if (needed.length > 0 && scope.length === 0) {
    return skip(`${title} doesn't say what the login may do.`);
  }
  const missing = findMissingScopes(needed, scope);
  if (missing.length === 0) return pass();
  return fail('permission_missing', describeMissingScopes(missing));
}

async function askQuota(run: CheckRun): Promise<Taken> {
  const quota = run.platform.checks?.quota;
  if (!quota) return pass();
  const error = await askWithLogin(run, async (target, signal) => {
    await quota(target, signal);
    return null;
  });
  return error ? afterError(run, 'quota', error) : pass();
}

/** A post with nothing to prepare begins with the commit. */
function needsPrepare({ platform, check, progress }: CheckRun): boolean {
  const { preparesOnlyMedia = false, needsPublicMedia = false } = platform.definition;
  const hasNothing = preparesOnlyMedia && !needsPublicMedia;
  const isSearched = check.was_restored || progress.phase !== undefined;
  return platform.prepare !== undefined && !hasNothing && !isSearched && !progress.isPrepared;
}

async function prepare(
  run: CheckRun,
  name: Extract<CheckStepName, 'preparation' | 'publication'>,
): Promise<Taken> {
  const { platform, progress } = run;
  const isFirst = Object.keys(progress.state).length === 0;
  const held = isFirst ? await refuseIfLimited(run) : undefined;
  if (held) return held;
  const answer = await askWithLogin(run, async (target, signal) =>
    readOutcome(await platform.prepare!(target, signal)),
  );
  if (answer instanceof PlatformError) return afterError(run, name, answer);
  if (answer.outcome === 'more') return wait(answer.waitMs, { state: answer.state, tries: 0 });
  if (answer.outcome === 'prepared') {
    return pass(undefined, { state: answer.state, isPrepared: true });
  }
  return fail('unavailable', `${platform.definition.title} prepared nothing.`);
}

/** The post is prepared, so its commit follows. */
const thenPublish = (taken: Taken): Taken =>
  taken.end.outcome === 'passed' ? wait(0, taken.progress) : taken;
