// The form for a draft and for a scheduled post.
import { useState } from 'react';
import { Link } from '../components/link.tsx';
import { useOwnUploads } from '../media/use-uploads.ts';
import type {
  AccountChoice,
  EditedOptionsData,
  EditedPostData,
  NetworkRules,
} from './compose-documents.ts';
import { toInput, withAccounts } from './draft.ts';
import { PostForm } from './post-form.tsx';
import { readStoredPost } from './stored-post.ts';

interface EditFormProps {
  post: EditedPostData;
  options: EditedOptionsData;
  accounts: readonly AccountChoice[];
  rules: readonly NetworkRules[];
  /** The accounts of the stored post that are chosen first. Undefined: all. */
  chosen: readonly string[] | undefined;
}

export function EditForm({ post, options, accounts, rules, chosen }: EditFormProps) {
  // The form keeps what it was opened with.
  const [stored] = useState(() => readStoredPost({ post, options, rules }));
  const [before] = useState(() => toInput({ ...stored, accounts, rules }));
  const uploads = useOwnUploads(stored.media);
  return (
    <PostForm
      accounts={accounts}
      rules={rules}
      initial={withAccounts(stored.draft, chosen)}
      areTargetsFixed={stored.areTargetsFixed}
      uploads={uploads}
      to={{ post, before }}
      actions={
        <Link to={`/posts/${post.id}`} className="button">
          Close
        </Link>
      }
    />
  );
}
