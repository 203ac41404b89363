// The styles of every hosted page, and those of a project's color.

export const css = `
:root { color-scheme: light dark; background: Canvas; color: CanvasText; --line: #8886; --quiet: #767676; --accent: #2457d6 }
@media (prefers-color-scheme: dark) { :root { --quiet: #999; --accent: #8fb0ff } }
body { margin: 0 }
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
  button { font: inherit; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; border-radius: .375rem;
    border: 1px solid var(--accent); background: none; color: var(--accent); cursor: pointer }
  button.first { background: var(--brand, #2457d6); border-color: var(--on-brand, #2457d6);
    color: var(--on-brand, #fff) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  .summary { border-left: 4px solid #c62828; padding: .25rem 1rem; margin: 1rem 0;
    h2 { margin: 0 } ul { margin: .25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere } }
  :target { background: #fc03 }
  [role=alert] { border-left: 4px solid #c62828; padding: .25rem .75rem; margin: 1rem 0 }
}
.viewer { overflow-x: clip }
body:has(.page :target) .viewer { display: none }
`;

/** Text on the color is black or white, whichever has more contrast: at least 4.5 on any color. */
export function brandCss(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // Relative luminance and contrast: WCAG 2.2.
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const isLight = (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05);
  return `:root { --brand: ${color}; --on-brand: ${isLight ? '#000' : '#fff'} }`;
}
