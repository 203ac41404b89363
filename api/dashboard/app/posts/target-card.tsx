// One target of a post: its way, what is wrong, and what to do next.
import { CodeText } from '../components/code-text.tsx';
import { Link, OuterLink } from '../components/link.tsx';
import { platformName } from '../components/platform-name.ts';
import { Status, toWords } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { AttemptLog } from './attempt-log.tsx';
import { nextActionText } from './next-action.ts';
import type { OutcomeData, PostData, Target } from './post-detail-documents.ts';
import { TargetTools } from './target-tools.tsx';
import { Track } from './track.tsx';
import { waitText } from './wait-reason.ts';

interface TargetCardProps {
  post: PostData;
  target: Target;
  reload(): void;
}

export function TargetCard({ post, target, reload }: TargetCardProps) {
  return (
    <li className="target">
      <div className="row">
        <h3>
          {platformName(target.platform)}{' '}
          <Link to={`/accounts/${target.socialAccountId}`}>{target.accountName}</Link>
        </h3>
        {target.threadPosition !== null && (
          <span className="quiet">
            Part {target.threadPosition} of {partsOf(post, target)}
          </span>
        )}
        <Status value={target.status} />
      </div>
      {target.caption !== post.caption && <p className="text">{target.caption}</p>}
      <Track target={target} isStarted={post.status !== 'DRAFT' && post.status !== 'SCHEDULED'} />
      <Outcome outcome={target} />
      {target.firstComment && (
        <div>
          <h4>First comment</h4>
          <p className="text">{target.firstComment.text}</p>
          <Status value={target.firstComment.status} />
          <Outcome outcome={target.firstComment} />
        </div>
      )}
      {target.steps.map((step) => (
        <div key={step.id}>
          <p>
            {toWords(step.name)} <Status value={step.status} />
          </p>
          <Outcome outcome={step} />
        </div>
      ))}
      <TargetTools postId={post.id} target={target} reload={reload} />
      <AttemptLog
        postId={post.id}
        resultId={target.id}
        attempts={target.attempts}
        status={target.status}
      />
    </li>
  );
}

/** The number of parts of the thread that the target is in. */
const partsOf = ({ results }: PostData, { socialAccountId }: Target): number =>
  results.filter((other) => other.socialAccountId === socialAccountId).length;

function Outcome({ outcome }: { outcome: OutcomeData }) {
  const next = nextActionText(outcome.nextAction);
  return (
    <>
      {outcome.waitingFor && (
        <p className="small">
          Waits for {waitText(outcome.waitingFor)}.
          {outcome.nextAttemptAt && (
            <>
              {' '}
              Next attempt: <Time at={outcome.nextAttemptAt} />.
            </>
          )}
        </p>
      )}
      {outcome.errorMessage && (
        <div className="problem">
          <p>
            <CodeText text={outcome.errorMessage} /> <code>{outcome.errorCode}</code>
          </p>
          {outcome.errorHint && (
            <p>
              <CodeText text={outcome.errorHint} />
            </p>
          )}
          {next !== '' && (
            <p>
              <b>Next:</b> {next}
            </p>
          )}
          {outcome.errorDocsUrl && (
            <p>
              <OuterLink href={outcome.errorDocsUrl}>What this error means</OuterLink>
            </p>
          )}
        </div>
      )}
      {outcome.url && (
        <p className="small">
          <OuterLink href={outcome.url}>Open on the network</OuterLink>
          {outcome.visibility && `, visible to: ${outcome.visibility}`}
        </p>
      )}
      {outcome.changes.map((change) => (
        <p key={change.id} className="small">
          {toWords(change.type)} by {change.actor.name ?? toWords(change.actor.type)}{' '}
          <Time at={change.requestedAt} /> <Status value={change.status} />
          {change.errorMessage && (
            <>
              {' '}
              <CodeText text={change.errorMessage} /> {nextActionText(change.nextAction)}
            </>
          )}
        </p>
      ))}
    </>
  );
}
