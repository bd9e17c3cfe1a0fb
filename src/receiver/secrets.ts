import { parseSecret } from './signature.ts'

/**
 * The signing secret of the webhook, `whsec_` followed by base64. During a rotation, a list of the old and the new one,
 * in any order: a signature made with either is accepted. Of a list, `undefined` entries are skipped, so that it can name
 * an environment variable that is set during a rotation only.
 *
 * `undefined` is a `TypeError` when a delivery is verified. The type accepts it, as `process.env.WEBHOOK_SECRET` has it.
 */
export type WebhookSecret = string | readonly (string | undefined)[] | undefined

/** The keys with the index of their secret. Throws a `TypeError`, without the secret, if there is none or one is malformed. */
export function parseSecrets(
  secret: WebhookSecret,
): { secretIndex: number; key: Uint8Array<ArrayBuffer> }[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const keys = secrets.flatMap((one, secretIndex) =>
    one === undefined ? [] : { secretIndex, key: parseSecret(one) },
  )
  if (keys.length > 0) return keys
  throw new TypeError(
    'Pass a webhook secret, whsec_…, or a list of them; there is none. Is the variable that contains it set?',
  )
}
