/** The JSON that was typed, or what is wrong with it. */
export type Payload =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

/** Reads JSON as it is typed. A number that JavaScript would alter is refused, rather than published as another one. */
export function parsePayload(text: string): Payload {
  if (text.trim() === '') return { ok: false, problem: 'Write the payload as JSON, such as {}.' }
  let inexact: string | null = null
  const keepExact = (_key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number' && context?.source !== undefined && inexact === null) {
      const isWhole = /^-?\d+$/.test(context.source)
      if (!Number.isFinite(value) || (isWhole && !Number.isSafeInteger(value))) {
        inexact = context.source
      }
    }
    return value
  }
  try {
    const value: unknown = JSON.parse(text, keepExact)
    if (inexact === null) return { ok: true, value }
    return {
      ok: false,
      problem: `The number ${inexact} is too large to be exact: write it as a string.`,
    }
  } catch (error) {
    return { ok: false, problem: `This is no JSON yet: ${(error as Error).message}.` }
  }
}
