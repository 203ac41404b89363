// A chart of days: the number of each outcome as bars, and in words.
export type Outcome = readonly [status: string, label: string, look: 'good' | 'wait' | 'bad'];

interface ChartProps {
  title: string;
  label: string;
  /** Shown if all numbers are zero. */
  nothing: string;
  dates: readonly string[];
  /** Undefined: not loaded yet. */
  counts: readonly { date: string; status: string; count: number }[] | undefined;
  outcomes: readonly Outcome[];
}

export function Chart({ title, label, nothing, dates, counts = [], outcomes }: ChartProps) {
  const countOf = (date: string, status: string) =>
    counts.find((one) => one.date === date && one.status === status)?.count ?? 0;
  const words = (date: string) =>
    `${date}: ${outcomes
      .map(([status, name]) => `${countOf(date, status)} ${name.toLowerCase()}`)
      .join(', ')}`;
  const sums = dates.map((date) =>
    outcomes.reduce((sum, [status]) => sum + countOf(date, status), 0),
  );
  const most = Math.max(...sums);
  const total = sums.reduce((sum, count) => sum + count, 0);
  return (
    <section className="card" aria-label={title}>
      <h3>
        {title}
        {total > 0 && `: ${total.toLocaleString('en')}`}
      </h3>
      {most === 0 ? (
        <p className="quiet">{nothing}</p>
      ) : (
        <>
          <p className="most" aria-hidden="true">
            {most.toLocaleString('en')}
          </p>
          <ol className="chart" aria-label={label}>
            {dates.map((date) => (
              <li key={date}>
                <span className="hidden">{words(date)}</span>
                <span className="bars" aria-hidden="true" title={words(date)}>
                  {outcomes.map(([status, , look]) => (
                    <span
                      key={status}
                      className={`swatch-${look}`}
                      style={{ height: `${(countOf(date, status) / most) * 100}%` }}
                    />
                  ))}
                </span>
                <span className="day" aria-hidden="true">
                  {date.slice(8)}
                </span>
              </li>
            ))}
          </ol>
          <p className="legend small">
            {outcomes.map(([status, name, look]) => (
              <span key={status}>
                <span className={`swatch swatch-${look}`} aria-hidden="true" /> {name}
              </span>
            ))}
          </p>
        </>
      )}
    </section>
  );
}
