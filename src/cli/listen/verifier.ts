import { type ReceivedHeaders, verify } from '../../receiver/index.ts'

export type Verifier = (rawBody: Buffer, headers: ReceivedHeaders) => Promise<Verdict>

export type Verdict =
  | { readonly kind: 'verified' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** There is no secret to verify it with. */
  | { readonly kind: 'unverified' }

/**
 * Verifies with any of the secrets. Where `readSecret` can tell the current one it is asked when no signature
 * matches, so that a rotation is followed.
 */
export function createVerifier(
  secrets: readonly string[],
  headerPrefix: string,
  readSecret?: () => Promise<string>,
): Verifier {
  const known = [...secrets]
  return async (rawBody, headers) => {
    if (known.length === 0) return { kind: 'unverified' }
    let found = await verify(rawBody, headers, known, { headerPrefix })
    if (!found.ok && found.reason === 'no-matching-signature' && readSecret) {
      const current = await readSecret().catch(() => null)
      if (current !== null && !known.includes(current)) {
        known.push(current)
        found = await verify(rawBody, headers, known, { headerPrefix })
      }
    }
    return found.ok ? { kind: 'verified' } : { kind: 'rejected', message: found.message }
  }
}
