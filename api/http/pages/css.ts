// The styles of every hosted page, and those of a project's color.

export const css = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; --line: #8886; --quiet: #767676;
  --accent: #2457d6; --ground: #f2f3f5; --card: #fff; --tile: #e4e6ea }
@media (prefers-color-scheme: dark) {
  :root { --quiet: #999; --accent: #8fb0ff; --ground: #101113; --card: #1c1d20; --tile: #34363b } }
body { margin: 0 }
.hosted { background: var(--ground); --quiet: #5c5f66; min-height: 100vh;
  @media (prefers-color-scheme: dark) { --quiet: #a3a6ad }
  .brand, .links { max-width: 32rem; box-sizing: border-box; border: 0; text-align: center }
  .brand { padding: 2rem 1rem 0; img { object-position: center; margin: 0 auto } }
  .page { max-width: 32rem; box-sizing: border-box; margin: 1.5rem auto; padding: 2rem; background: var(--card);
    border: 1px solid var(--line); border-top: 4px solid var(--brand, var(--accent)); border-radius: .75rem;
    h1 { margin: 1rem 0 } > :last-child { margin-bottom: 0 } }
  @media (max-width: 34rem) { .page { margin: 1rem .75rem; padding: 1.25rem } } }
.accounts { list-style: none; padding: 0; margin: 1rem 0; font-weight: 600; overflow-wrap: anywhere;
  li { display: flex; align-items: center; gap: .75rem; margin: .5rem 0 } }
.choice:has(.picture) { align-items: center }
.picture { flex: none; border-radius: 50%; object-fit: cover; background: var(--tile) }
.tile { display: grid; place-items: center; width: 3rem; height: 3rem; border-radius: .75rem;
  background: var(--tile); color: CanvasText; font-size: 1.5rem; font-weight: 600 }
.brand { font: 600 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem;
  border-bottom: 4px solid var(--brand, var(--accent)); overflow-wrap: anywhere;
  img { display: block; max-width: 100%; height: 2.5rem; object-fit: contain;
    object-position: left } }
.links { font: .875rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem;
  border-top: 1px solid var(--line);
  a { color: var(--quiet); margin-right: 1rem } }
.page { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 2rem 1rem;
  h1 { font-size: 1.5rem; line-height: 1.2 }
  h2 { font-size: 1.1rem }
  h3 { font-size: 1rem; margin: 1rem 0 0; + p { margin: 0 } }
  h1, h3, p, label { overflow-wrap: anywhere }
  a { color: var(--accent) }
  article { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0;
    h2 { margin: 0 }
    img, video { display: block; max-width: 100%; max-height: 32rem; margin: 1rem 0 } }
  .quiet, time { color: var(--quiet); font-size: .875rem; font-weight: normal }
  .text { white-space: pre-wrap; overflow-wrap: anywhere }
  pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem;
    font: .8125rem/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
  label { display: block; margin: 1rem 0 .25rem; font-weight: 600 }
  input, textarea { font: inherit; box-sizing: border-box; width: 100%; max-width: 28rem;
    padding: .5rem; border-radius: .375rem; border: 1px solid var(--quiet) }
  .choice { display: flex; align-items: baseline; gap: .5rem; margin: .75rem 0;
    input { width: auto } label { margin: 0 } .quiet { display: block } }
  button { font: inherit; vertical-align: middle; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; border-radius: .375rem;
    border: 1px solid var(--accent); background: none; color: var(--accent); cursor: pointer }
  button.first { background: var(--brand, #2457d6); border-color: var(--on-brand, #2457d6);
    color: var(--on-brand, #fff) }
  button.google { display: inline-flex; align-items: center; gap: 10px; height: 40px; padding: 0 12px; border-radius: 4px;
    border: 1px solid #747775; background: #fff; color: #1f1f1f; font: 500 14px/20px Roboto, arial, sans-serif;
    svg { width: 20px; height: 20px }
    @media (prefers-color-scheme: dark) { border-color: #8e918f; background: #131314; color: #e3e3e3 } }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .summary { border-left: 4px solid #c62828; padding: .25rem 1rem; margin: 1rem 0;
    h2 { margin: 0 } ul { margin: .25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere } }
  :target { background: #fc03 }
  [role=alert] { border-left: 4px solid #c62828; padding: .25rem .75rem; margin: 1rem 0 }
}
.viewer { overflow-x: clip }
body:has(.page :target) .viewer { display: none }
`;

/** Color of the hosted pages of a project without one. */
export const defaultColor = '#2457d6';

/** Black or white, whichever has more contrast with the color: at least 4.5 on any color. */
export function onColor(color: string): '#000' | '#fff' {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // Relative luminance and contrast: WCAG 2.2.
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const isLight = (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05);
  return isLight ? '#000' : '#fff';
}

export const brandCss = (color: string) =>
  `:root { --brand: ${color}; --on-brand: ${onColor(color)} }`;
