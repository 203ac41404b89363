// The pages of a list. The address has the cursor, so that the browser's history works.
import { Button } from './button.tsx';
import { useFilters } from '../browser/router.ts';

interface PagerProps {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export function Pager({ pageInfo: { hasNextPage, endCursor } }: PagerProps) {
  const [{ after }, change] = useFilters();
  if (after === undefined && !hasNextPage) return null;
  return (
    <div className="pager">
      {after !== undefined && <Button onPress={() => change({ after: '' })}>First page</Button>}
      {hasNextPage ? (
        <Button onPress={() => change({ after: endCursor ?? '' })}>Next page</Button>
      ) : (
        <span className="quiet">This is the last page.</span>
      )}
    </div>
  );
}
