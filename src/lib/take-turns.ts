import { setImmediate } from 'node:timers/promises'

/** How long a turn takes: a thread that serves is not held up for longer. */
const TURN_MS = 5

/** `Array.map` in turns, between which everything else of the thread runs. */
export async function takeTurns<Item, Result>(
  items: readonly Item[],
  make: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let began = performance.now()
  for (const item of items) {
    results.push(make(item))
    if (isTurnOver(began)) began = await nextTurn()
  }
  return results
}

export const isTurnOver = (beganMs: number) => performance.now() - beganMs >= TURN_MS

/** Resolves to when the next turn began. */
export async function nextTurn(): Promise<number> {
  await setImmediate()
  return performance.now()
}
