import { z } from 'zod'
import { parseSecret } from '../../packages/receiver/src/sign.ts'

/** The rule of a signing secret, in the words of an API description. */
export const SIGNING_SECRET_RULE = '`whsec_` and 24 to 64 bytes in base64 with padding'

/** A signing secret that a caller gives. No message has the secret. */
export const signingSecretRule = z
  .string('must be a string')
  .refine(isSecret, `must be ${SIGNING_SECRET_RULE.replaceAll('`', '')}`)

function isSecret(text: string): boolean {
  try {
    const { length } = parseSecret(text)
    return length >= 24 && length <= 64
  } catch {
    return false
  }
}
