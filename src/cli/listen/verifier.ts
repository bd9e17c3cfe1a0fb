import { type ReceivedHeaders, verify } from '../../receiver/index.ts'
import { run, type ServerAccess, ServerError } from '../api.ts'

export type Verifier = (rawBody: Buffer, headers: ReceivedHeaders) => Promise<VerificationResult>

export type VerificationResult =
  | { readonly kind: 'verified' }
  | { readonly kind: 'rejected'; readonly message: string }
  /** There is no secret to verify with. */
  | { readonly kind: 'unverified' }

/**
 * Verifies with any of the secrets. If no signature matches, it calls `readSecret` and tries the current secret too, so
 * that it still works after a rotation.
 */
export function createVerifier(
  secrets: readonly string[],
  headerPrefix: string,
  readSecret?: () => Promise<string>,
): Verifier {
  const known = [...secrets]
  return async (rawBody, headers) => {
    if (known.length === 0) return { kind: 'unverified' }
    let result = await verify(rawBody, headers, known, { headerPrefix })
    if (!result.ok && result.reason === 'no-matching-signature' && readSecret) {
      const current = await readSecret().catch(() => null)
      if (current !== null && !known.includes(current)) {
        known.push(current)
        result = await verify(rawBody, headers, known, { headerPrefix })
      }
    }
    return result.ok ? { kind: 'verified' } : { kind: 'rejected', message: result.message }
  }
}

/** The current signing secret of a webhook, `whsec_…`. */
export async function readSecret(access: ServerAccess, webhookId: string): Promise<string> {
  type Read = { signingSecret: { key: string } | null } | null
  const query = 'query ($id: ID!) { webhook(id: $id) { signingSecret { key } } }'
  const webhook = await run<Read>(access, query, { id: webhookId })
  if (webhook?.signingSecret) return webhook.signingSecret.key
  throw new ServerError(`The webhook ${webhookId} was deleted, with its secret.`)
}
