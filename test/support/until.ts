import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once the condition holds; fails, saying what was awaited, when it does not in time. */
export async function until(
  condition: () => unknown | Promise<unknown>,
  what: string,
  withinMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}.`)
    await sleep(20)
  }
}
