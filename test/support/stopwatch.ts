import { readFileSync } from 'node:fs'

/**
 * For upper bounds. A bound is a promise of Posthorn, and a machine with more work than processors delays any program. So on
 * a free machine the bound holds exactly, and on a busy one it is up to four times as long.
 */
export function startStopwatch() {
  const startedAt = performance.now()
  const waitedBefore = waitedMs()
  return {
    /** The time since the start, less the time in which programs waited for a processor, but at least a quarter of it. */
    readMs(): number {
      const elapsedMs = performance.now() - startedAt
      return Math.max(elapsedMs - (waitedMs() - waitedBefore), elapsedMs / 4)
    },
  }
}

/** How long, since the machine started, at least one program waited for a processor. Zero where the system does not say. */
function waitedMs(): number {
  try {
    const text = readFileSync('/proc/pressure/cpu', 'utf8')
    return Number(/^some .*total=(\d+)/m.exec(text)?.[1] ?? 0) / 1_000
  } catch {
    return 0
  }
}
