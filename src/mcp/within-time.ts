import { ToolError } from './tool-error.ts'

/** The longest that a tool may take. */
export const CALL_MS = 10_000

/** The value, if there is one in time. Throws `ToolError` otherwise. */
export async function withinTime<Value>(running: Promise<Value>, ms = CALL_MS): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ToolError(tooLate(ms))), ms)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}

function tooLate(ms: number): string {
  return `The tool took longer than ${ms / 1_000} s, so there is no answer. Ask for less: a shorter time range, one webhook or a smaller limit. A change may have been made: look before you repeat it.`
}
