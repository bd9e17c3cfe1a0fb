/** Milliseconds of a monotonic clock that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}
