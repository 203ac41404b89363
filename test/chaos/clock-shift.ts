// Shifts the wall clock of the process that preloads it (`node --import`) by CLOCK_SHIFT_MS. Timers and
// performance.now() keep their pace, as on a machine whose clock is wrong. SIGUSR2 sets the clock back by an hour.
let shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
process.on('SIGUSR2', () => (shiftMs -= 3_600_000));
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
});
