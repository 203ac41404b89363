// The page on which posts are written and changed.
import { useData } from '../api/use-data.ts';
import { Empty } from '../components/empty.tsx';
import { Link } from '../components/link.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { useFilters } from '../browser/router.ts';
import { useScope } from '../session/session.ts';
import { ComposeAccounts, EditedOptions, EditedPost } from './compose-documents.ts';
import { EditForm } from './edit-form.tsx';
import { NewPostForm } from './new-post-form.tsx';
import { withAccountsOf } from './stored-post.ts';
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
  const [{ accounts: chosen }] = useFilters();
  // The form keeps its first answer, and no stream brings the options of targets to the cache.
  const found = useData(EditedPost, { id }, [], { isFresh: true });
  const options = useData(EditedOptions, { id }, [], { isFresh: true });
  const accounts = useData(ComposeAccounts, {}, [], { isFresh: true });
  return (
    <Page title="Edit the post">
      <Loaded of={found} pick={({ post }) => post} missing="The post was deleted.">
        {(post) =>
          post.status === 'DRAFT' || post.status === 'SCHEDULED' ? (
            <Loaded of={options} pick={(data) => data}>
              {(stored) => (
                <Loaded of={accounts} pick={(data) => data}>
                  {({ accounts: active, capabilities }) => (
                    <EditForm
                      key={post.id}
                      post={post}
                      chosen={chosen?.split(',')}
                      options={stored}
                      accounts={withAccountsOf(post, active?.nodes ?? [])}
                      rules={capabilities ?? []}
                    />
                  )}
                </Loaded>
              )}
            </Loaded>
          ) : (
            <p>
              Only drafts and scheduled posts can be changed here.{' '}
              <Link to={`/posts/${post.id}`}>Go to the post</Link>
            </p>
          )
        }
      </Loaded>
    </Page>
  );
}
