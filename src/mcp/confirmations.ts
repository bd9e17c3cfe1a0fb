import { createHash } from 'node:crypto'
import type { Keyring } from '../encryption/keyring.ts'

/** How long a confirmation holds. */
export const CONFIRMATION_MS = 5 * 60_000

const PURPOSE = 'mcp-confirmation'

/** Ties the second call of a tool to the first, which told what the second will do. */
export interface Confirmations {
  issue(subject: unknown): { readonly confirm: string; readonly confirm_until: string }
  /** Whether the confirmation was issued for the same subject, and still holds. */
  holds(confirm: string, subject: unknown): boolean
}

/** Any process with the same keys accepts a confirmation, so that no call must reach the process of the earlier one. */
export function createConfirmations(keyring: Keyring, now: () => number = Date.now): Confirmations {
  return {
    issue(subject) {
      const until = now() + CONFIRMATION_MS
      const plaintext = Buffer.from(JSON.stringify([digest(subject), until]))
      return {
        confirm: Buffer.from(keyring.encrypt(plaintext, PURPOSE)).toString('base64url'),
        confirm_until: new Date(until).toISOString(),
      }
    },
    holds(confirm, subject) {
      try {
        const plaintext = keyring.decrypt(Buffer.from(confirm, 'base64url'), PURPOSE)
        const [of, until] = JSON.parse(plaintext.toString()) as [string, number]
        return of === digest(subject) && until > now()
      } catch {
        return false
      }
    },
  }
}

function digest(subject: unknown): string {
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url')
}
