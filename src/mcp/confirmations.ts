import { createHash, randomUUID } from 'node:crypto'
import type { Keyring } from '../encryption/keyring.ts'

/** How long a confirmation holds. */
export const CONFIRMATION_MS = 5 * 60_000

const PURPOSE = 'mcp-confirmation'

/** Ties the second call of a tool to the first, which told what the second will do. */
export interface Confirmations {
  /** `count` is how many things the tool said that it would change. Null: it said no number. */
  issue(
    subject: unknown,
    count: number | null,
  ): { readonly confirm: string; readonly confirm_until: string }
  /** Null if it was issued for another subject, or has ended. */
  read(confirm: string, subject: unknown): Confirmation | null
  /** Uses a confirmation up. False if it was used before. */
  spend(confirmation: Confirmation): Promise<boolean>
}

export interface Confirmation {
  /** A uuid. */
  readonly id: string
  readonly count: number | null
}

/**
 * Any process with the same keys accepts a confirmation, so that no call must reach the process of the earlier one.
 * `isFirstUse` remembers the ids for these processes.
 */
export function createConfirmations(
  keyring: Keyring,
  isFirstUse: (id: string) => Promise<boolean>,
): Confirmations {
  return {
    issue(subject, count) {
      const until = Date.now() + CONFIRMATION_MS
      const plaintext = Buffer.from(JSON.stringify([digest(subject), until, randomUUID(), count]))
      return {
        confirm: Buffer.from(keyring.encrypt(plaintext, PURPOSE)).toString('base64url'),
        confirm_until: new Date(until).toISOString(),
      }
    },
    read(confirm, subject) {
      try {
        const plaintext = keyring.decrypt(Buffer.from(confirm, 'base64url'), PURPOSE)
        const [of, until, id, count] = JSON.parse(plaintext.toString())
        return of === digest(subject) && until > Date.now() ? { id, count } : null
      } catch {
        return null
      }
    },
    spend: ({ id }) => isFirstUse(id),
  }
}

function digest(subject: unknown): string {
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url')
}
