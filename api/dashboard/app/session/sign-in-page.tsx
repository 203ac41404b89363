// The page on which a key is pasted.
import { useId, useState, type FormEvent } from 'react';
import { Button } from '../components/button.tsx';
import { formText } from '../browser/form-text.ts';
import { signIn } from './sign-in-requests.ts';
import './sign-in.css';

interface SignInPageProps {
  /** Why the page is shown, if the person did not ask for it. */
  notice?: string | undefined;
  onSignedIn(): void;
}

export function SignInPage({ notice, onSignedIn }: SignInPageProps) {
  const id = useId();
  const [problem, setProblem] = useState(notice);
  const [isSending, setIsSending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const key = formText(new FormData(form), 'key');
    if (key === '') return setProblem('Paste an API key first.');
    setIsSending(true);
    const found = await signIn({ api_key: key });
    setIsSending(false);
    setProblem(found);
    if (found !== undefined) return;
    form.reset();
    onSignedIn();
  }

  return (
    <main className="sign-in">
      <title>Sign in – Fanfare</title>
      <h1>Sign in to Fanfare</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-help ${id}-problem`}
          aria-invalid={problem === undefined ? undefined : true}
        />
        <p id={`${id}-help`} className="quiet">
          The dashboard does what the key may do. The key itself is not stored in the browser.
        </p>
        <p id={`${id}-problem`} role="alert" className="problem-text">
          {problem}
        </p>
        <Button type="submit" look="main" isRunning={isSending}>
          Sign in
        </Button>
      </form>
      <p className="quiet">
        If Fanfare runs on this machine, it printed a link at its start that signs you in.
      </p>
    </main>
  );
}
