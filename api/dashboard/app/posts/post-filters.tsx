// The filters of the list of posts. They are in the address.
import { TextField, TypedFilter } from '../components/field.tsx';
import { useFilters } from '../browser/router.ts';
import { PostFilterFields } from './filter-fields.tsx';

export function PostFilters() {
  const [filters, change] = useFilters();
  const set = (name: string, value: string) => change({ [name]: value, after: '' });
  return (
    <form role="search" className="filters" onSubmit={(event) => event.preventDefault()}>
      <TypedFilter
        label="Words"
        value={filters['q'] ?? ''}
        onChange={(q) => change({ q, after: '' }, { isReplacing: true })}
      />
      <PostFilterFields />
      <TextField
        label="Scheduled on"
        type="date"
        value={filters['scheduled'] ?? ''}
        onChange={(event) => set('scheduled', event.target.value)}
      />
      <TextField
        label="Published on"
        type="date"
        value={filters['published'] ?? ''}
        onChange={(event) => set('published', event.target.value)}
      />
    </form>
  );
}
