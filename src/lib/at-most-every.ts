/**
 * Makes something at most once per interval, and once at a time. All calls until the next time share the result, or its
 * error.
 */
export function atMostEvery<Result>(
  intervalMs: number,
  make: () => Promise<Result>,
): () => Promise<Result> {
  let latest: { readonly result: Promise<Result>; readonly startedAtMs: number } | null = null
  let running = false
  return () => {
    const startedAtMs = performance.now()
    if (latest && (running || startedAtMs - latest.startedAtMs < intervalMs)) return latest.result
    running = true
    const result = make().finally(() => {
      running = false
    })
    latest = { result, startedAtMs }
    return result
  }
}
