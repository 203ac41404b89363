// A dialog with a form that makes something, and then shows what was made, such as a secret that is shown only once.
import { useState, type ReactNode } from 'react';
import { useAction, type Action } from '../api/use-data.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

interface MakeDialogProps<Made> {
  title: string;
  button: string;
  look?: 'main' | 'plain';
  /** The text of the button that makes it. */
  submit: string;
  /** The fields of the form. */
  children: ReactNode;
  /** Undefined: it failed, and the dialog says why. */
  make(form: FormData, run: Action['run']): Promise<Made | undefined>;
  show(made: Made): ReactNode;
}

export function MakeDialog<Made>({ title, button, look, ...form }: MakeDialogProps<Made>) {
  return (
    <Dialog title={title} button={button} look={look ?? 'plain'}>
      {(close) => <Form {...form} close={close} />}
    </Dialog>
  );
}

type FormProps<Made> = Pick<MakeDialogProps<Made>, 'submit' | 'children' | 'make' | 'show'> & {
  close(): void;
};

function Form<Made>({ submit, children, make, show, close }: FormProps<Made>) {
  const { run, problem, isRunning } = useAction();
  const [made, setMade] = useState<Made>();
  if (made !== undefined) {
    return (
      <>
        {show(made)}
        <div className="actions">
          <Button onPress={close}>Done</Button>
        </div>
      </>
    );
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make(new FormData(event.currentTarget), run).then(setMade);
      }}
    >
      {children}
      <ProblemNote problem={problem} />
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
