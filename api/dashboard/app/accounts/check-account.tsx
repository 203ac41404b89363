// Checks whether the account can publish, and shows each step as it ends.
import { useEffect, useState } from 'react';
import { useAction } from '../api/use-action.ts';
import { useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { CodeText } from '../components/code-text.tsx';
import { OuterLink } from '../components/link.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Status, toWords } from '../components/status.tsx';
import { nextActionText } from '../posts/next-action.ts';
import { useScope } from '../session/session.ts';
import { OneCheck, StartCheck } from './account-documents.ts';

/** No stream reports checks, and one takes seconds. */
const againMs = 1_000;

export function CheckAccount({ accountId }: { accountId: string }) {
  const { run, problem, isRunning } = useAction();
  const [checkId, setCheckId] = useState<string>();
  const canWrite = useScope('ACCOUNTS_WRITE');
  if (!canWrite) return null;
  async function start(): Promise<void> {
    setCheckId((await run(StartCheck, { accountId }))?.createAccountCheck?.id);
  }
  return (
    <Section
      title="Check"
      actions={
        <Button isRunning={isRunning} onPress={() => void start()}>
          Check now
        </Button>
      }
    >
      <p className="quiet">Tries the login and prepares a post. Nothing is published.</p>
      <ProblemNote problem={problem} />
      {checkId && <Steps key={checkId} id={checkId} />}
    </Section>
  );
}

function Steps({ id }: { id: string }) {
  const { data, problem, reload } = useData(OneCheck, { id });
  const check = data?.accountCheck;
  const isRunning = check?.status === 'RUNNING';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(reload, againMs);
    return () => clearInterval(timer);
  }, [isRunning, reload]);
  return (
    <>
      <ProblemNote problem={problem} />
      <p role="status">{check && <Status value={check.status} />}</p>
      <ol className="list" aria-label="Steps of the check">
        {check?.steps.map((step) => (
          <li key={step.name}>
            <div className="row">
              <Status value={step.status} />
              <b>{toWords(step.name)}</b>
            </div>
            {step.message && (
              <p className="small">
                <CodeText text={step.message} />
              </p>
            )}
            {step.code && (
              <p className="small">
                <code>{step.code}</code> {nextActionText(step.nextAction)}{' '}
                {step.docsUrl && <OuterLink href={step.docsUrl}>What this means</OuterLink>}
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
