// The styles of the review form, which show and hide what depends on a choice.

/** A browser without `:has()` shows all of it. */
export const formCss = `
.creator { display: flex; align-items: center; gap: .75rem; margin: 1rem 0;
  img { width: 3rem; height: 3rem; border-radius: 50%; object-fit: cover } p { margin: 0 } }
.preview { img, video { display: block; max-width: 100%; max-height: 24rem; margin: 0 0 1rem } }
fieldset { border: 1px solid #8886; border-radius: .5rem; margin: 1.5rem 0 0; padding: .25rem 1rem 1rem }
legend { font-weight: 600; padding: 0 .25rem }
select { font: inherit; padding: .5rem; max-width: 100% }
.choice input:disabled + label { color: var(--quiet) }
@supports selector(:has(a)) {
  .when-neither, .when-promotional, .when-paid, .when-private, .when-branded { display: none }
  form:not(:has(#disclose:checked)) .commercial { display: none }
  form:has(#disclose:checked) {
    &:not(:has(#promotes_own_brand:checked, #paid_partnership:checked)) {
      .when-neither { display: block }
      button.first { background: none; color: var(--quiet); pointer-events: none } }
    &:has(#promotes_own_brand:checked):not(:has(#paid_partnership:checked)) .when-promotional { display: block }
    &:has(#paid_partnership:checked) {
      .when-paid, .when-private, .when-branded { display: block }
      .when-not-branded, option[value=SELF_ONLY] { display: none } }
    &:has(option[value=SELF_ONLY]:checked) {
      .when-private { display: block }
      &:not(:has(#paid_partnership:checked)) .branded { color: var(--quiet); pointer-events: none }
      &:has(#paid_partnership:checked) button.first { background: none; color: var(--quiet); pointer-events: none } } }
}
`;
