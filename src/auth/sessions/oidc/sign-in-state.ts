import { randomBytes } from 'node:crypto'
import type { Keyring } from '../../encryption/keyring.ts'

/** One sign-in on its way to the provider and back. */
export interface SignInState {
  /** Ties the callback to the browser that started the sign-in. */
  readonly state: string
  /** Ties the ID token to this sign-in. */
  readonly nonce: string
  /** The secret of PKCE. */
  readonly codeVerifier: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** How long a person may take at the provider. */
export const SIGN_IN_MS = 10 * 60_000

const PURPOSE = 'oidc-sign-in'

export function newSignInState(now: number): SignInState {
  const random = () => randomBytes(32).toString('base64url')
  return { state: random(), nonce: random(), codeVerifier: random(), expiresAt: now + SIGN_IN_MS }
}

/** Encrypts the state for a cookie, so that any process can finish the sign-in. */
export function sealSignInState(keyring: Keyring, state: SignInState): string {
  const plaintext = Buffer.from(JSON.stringify(state))
  return Buffer.from(keyring.encrypt(plaintext, PURPOSE)).toString('base64url')
}

/** Null for an altered, expired or missing cookie. */
export function openSignInState(
  keyring: Keyring,
  sealed: string | null,
  now: number,
): SignInState | null {
  if (sealed === null) return null
  try {
    const plaintext = keyring.decrypt(Buffer.from(sealed, 'base64url'), PURPOSE)
    const state = JSON.parse(plaintext.toString()) as SignInState
    return state.expiresAt > now ? state : null
  } catch {
    return null
  }
}
