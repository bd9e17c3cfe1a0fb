/** Queues callers so that one of them continues per tick of the event loop. */
export function createOnePerTick(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}
