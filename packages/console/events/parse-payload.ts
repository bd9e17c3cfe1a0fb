/** The parsed JSON, or an error message. */
export type Payload =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string }

/** Parses typed JSON. Rejects numbers that JavaScript cannot represent exactly. */
export function parsePayload(text: string): Payload {
  if (text.trim() === '') return { ok: false, error: 'Enter the payload as JSON, such as {}.' }
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
      error: `The number ${inexact} is too large to be exact. Use a string.`,
    }
  } catch (cause) {
    return {
      ok: false,
      error: `Invalid JSON: ${(cause as Error).message}.`,
    }
  }
}

/** The example of an event type, as text to edit. */
export function exampleOf(
  types: readonly { readonly name: string; readonly example?: unknown }[],
  name: string | null,
): string {
  return JSON.stringify(types.find((type) => type.name === name)?.example ?? {}, null, 2)
}
