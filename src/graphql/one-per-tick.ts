/** Queues callers so that one of them continues per tick of the event loop. */
export function createOnePerTick(): () => Promise<void> {
  const waitForTick = createOnePerTickAndOwner()
  return () => waitForTick('')
}

/** Queues callers so that one of each owner continues per tick of the event loop. */
export function createOnePerTickAndOwner(): (owner: string) => Promise<void> {
  const last = new Map<string, Promise<void>>()
  return async (owner) => {
    const before = last.get(owner) ?? Promise.resolve()
    const tick = before.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
    last.set(owner, tick)
    await tick
    if (last.get(owner) === tick) last.delete(owner)
  }
}
