// The page on which posts are written and changed.
import { useData } from '../api/use-data.ts';
import { Empty } from '../parts/empty.tsx';
import { Link } from '../parts/link.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { useFilters } from '../parts/router.ts';
import { useScope } from '../session/session.ts';
import { ComposeAccounts, EditedPost } from './compose-documents.ts';
import { EditForm } from './edit-form.tsx';
import { NewPostForm } from './new-post-form.tsx';
import './compose.css';

export function ComposePage() {
  const [{ post }] = useFilters();
  const canReadAccounts = useScope('ACCOUNTS_READ');
  if (!canReadAccounts) {
    return (
      <Page title="New post">
        <p>
          To choose accounts, the key needs the scope <code>accounts:read</code>.
        </p>
      </Page>
    );
  }
  return post === undefined ? <NewPost /> : <EditPost id={post} />;
}

function NewPost() {
  const [{ at }] = useFilters();
  const found = useData(ComposeAccounts, {});
  return (
    <Page title="New post">
      <Loaded of={found} pick={(data) => data}>
        {({ accounts, capabilities }) =>
          accounts?.nodes.length === 0 ? (
            <Empty title="No account is connected yet">
              <p>
                <Link to="/accounts">Connect an account first</Link>
              </p>
            </Empty>
          ) : (
            <NewPostForm accounts={accounts?.nodes ?? []} rules={capabilities ?? []} at={at} />
          )
        }
      </Loaded>
    </Page>
  );
}

function EditPost({ id }: { id: string }) {
  const found = useData(EditedPost, { id });
  const accounts = useData(ComposeAccounts, {});
  return (
    <Page title="Edit the post">
      <Loaded of={found} pick={({ post }) => post} missing="The post was deleted.">
        {(post) => (
          <Loaded of={accounts} pick={(data) => data}>
            {(data) => (
              <EditForm
                key={post.id}
                post={post}
                accounts={data.accounts?.nodes ?? []}
                rules={data.capabilities ?? []}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}
