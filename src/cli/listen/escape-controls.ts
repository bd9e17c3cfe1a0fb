/**
 * Makes a stranger's text safe for one line of a terminal: control characters, which could move the cursor,
 * set the title or forge a line, and those that turn the direction of text, become `\u001b` and the like.
 * JSON means the same after it as before.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (unsafe) => {
    return `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
