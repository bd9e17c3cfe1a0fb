import { setImmediate } from 'node:timers/promises'

/** How long a turn takes: a thread that serves is not held up for longer. */
const TURN_MS = 5

/** `Array.map` in turns, between which everything else of the thread runs. */
export async function takeTurns<Item, Result>(
  items: readonly Item[],
  make: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let began = performance.now()
  for (const item of items) {
    results.push(make(item, results.length))
    if (performance.now() - began < TURN_MS) continue
    await setImmediate()
    began = performance.now()
  }
  return results
}
