// The form for a new post. What was not sent is still there after a visit to another page.
import { useState } from 'react';
import { useClient } from 'urql';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { createUploads } from '../media/uploads.ts';
import { useUploads } from '../media/use-uploads.ts';
import { useKept } from '../session/kept.ts';
import type { AccountChoice, NetworkRules } from './compose-documents.ts';
import { isBegun } from './draft.ts';
import { PostForm } from './post-form.tsx';
import { createUnsentPost, type UnsentPost } from './unsent-post.ts';

interface NewPostFormProps {
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
  /** The time that the address of the page names. */
  at: string | undefined;
}

export function NewPostForm(props: NewPostFormProps) {
  const client = useClient();
  const unsent = useKept('new post', () => createUnsentPost(() => createUploads(client)));
  const [starts, setStarts] = useState(0);
  return (
    <Form
      key={starts}
      {...props}
      unsent={unsent}
      startAnew={() => {
        unsent.startAnew();
        setStarts(starts + 1);
      }}
    />
  );
}

type FormProps = NewPostFormProps & { unsent: UnsentPost; startAnew(): void };

function Form({ accounts, rules, at, unsent, startAnew }: FormProps) {
  const [draft] = useState(() => unsent.open(at));
  const uploads = useUploads(unsent.uploads);
  const [isContinued] = useState(() => isBegun(draft, uploads.media.length));
  return (
    <>
      {isContinued && (
        <p className="note">You have not sent this post yet. Continue it, or start anew below.</p>
      )}
      <PostForm
        accounts={accounts}
        rules={rules}
        initial={draft}
        areTargetsFixed={false}
        uploads={uploads}
        to={{ unsent }}
        actions={
          <Dialog title="Start anew?" button="Start anew" look="quiet">
            {(close) => (
              <>
                <p>The form drops the texts, the media and the choices of this post.</p>
                <div className="actions">
                  <Button onPress={close}>Back</Button>
                  <Button
                    look="danger"
                    onPress={() => {
                      close();
                      startAnew();
                    }}
                  >
                    Drop this post
                  </Button>
                </div>
              </>
            )}
          </Dialog>
        }
      />
    </>
  );
}
