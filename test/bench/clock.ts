/** Milliseconds on a clock that all processes of a machine share and that nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}
