import { signingSecretRule } from '../webhooks/signing-secret-rule.ts'

/** The signing secret, or null if Posthorn cannot sign with it. A text without `whsec_` may be the key itself. */
export function takenSecret(text: string | null | undefined): string | null {
  return text && signingSecretRule.safeParse(text).success ? text : null
}
