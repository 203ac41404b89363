// What every page is given.
export interface PageProps {
  /** The ID in the path. */
  id: string;
}
