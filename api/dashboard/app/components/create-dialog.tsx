// A dialog with a form that creates something, and then shows it, such as a secret that is shown only once.
import { useState, type ReactNode } from 'react';
import { useAction, type Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemAtFields } from './form-issues.tsx';
import { ProblemNote } from './problem-note.tsx';

interface CreateDialogProps<Created> {
  title: string;
  button: string;
  look?: 'main' | 'plain';
  /** The text of the button that creates it. */
  submit: string;
  /** The fields of the form. */
  children: ReactNode;
  /** Undefined: it failed, and the dialog says why. */
  create(form: FormData, run: Action['run']): Promise<Created | undefined>;
  show(created: Created): ReactNode;
}

export function CreateDialog<Created>({
  title,
  button,
  look,
  ...form
}: CreateDialogProps<Created>) {
  return (
    <Dialog title={title} button={button} look={look ?? 'plain'}>
      {(close) => <Form {...form} close={close} />}
    </Dialog>
  );
}

type FormProps<Created> = Pick<
  CreateDialogProps<Created>,
  'submit' | 'children' | 'create' | 'show'
> & {
  close(): void;
};

function Form<Created>({ submit, children, create, show, close }: FormProps<Created>) {
  const { run, problem, isRunning } = useAction();
  const [created, setCreated] = useState<Created>();
  if (created !== undefined) {
    return (
      <>
        {show(created)}
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
        void create(new FormData(event.currentTarget), run).then(setCreated);
      }}
    >
      <ProblemAtFields problem={problem}>
        {children}
        <ProblemNote problem={problem} />
      </ProblemAtFields>
      <div className="actions">
        <Button onPress={close}>Close</Button>
        <Button type="submit" look="main" isRunning={isRunning}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
