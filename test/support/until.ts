import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until the condition is truthy. Throws an error with the description after the timeout. */
export async function until(
  condition: () => unknown | Promise<unknown>,
  description: string,
  timeoutMs = 15_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${description}.`)
    await sleep(20)
  }
}
