/** Writes to stderr: stdout only contains deliveries. */
export function log(message: string): void {
  process.stderr.write(`${escapeControls(message)}\n`)
}

/**
 * Makes untrusted text safe to print on one line of a terminal. Control characters could move the cursor, set the
 * title or forge a line, and others change the direction of text; they become escapes such as `\u001b`. The meaning
 * of JSON does not change.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (unsafe) => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
