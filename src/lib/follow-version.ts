/** Documents need no key or little work, so a flood of requests must cost little. */
const LOOK_EVERY_MS = 1_000

/** What nobody asks for leaves the memory. */
const KEEP_MS = 60_000

/**
 * Follows something that has a version: the value is made for the first call, again after the version has changed, which is
 * read at most once a second, and again after nobody has asked for it for a minute. Concurrent calls share it.
 */
export function followVersion<Value>(
  readVersion: () => Promise<string>,
  make: () => Promise<Value>,
): () => Promise<Value> {
  const look = atMostEvery(LOOK_EVERY_MS, readVersion)
  let made: { readonly version: string; readonly value: Promise<Value> } | null = null
  let forgetting: NodeJS.Timeout | undefined
  const forget = () => {
    made = null
  }
  return async () => {
    const version = await look()
    if (made?.version !== version) {
      made = { version, value: make() }
      made.value.catch(forget)
    }
    clearTimeout(forgetting)
    forgetting = setTimeout(forget, KEEP_MS).unref()
    return await made.value
  }
}

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
