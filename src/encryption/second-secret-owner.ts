/**
 * The associated data of the secret of a second signature. They differ from those of the headers of the same webhook, so
 * that the two ciphertexts of a row cannot be exchanged.
 */
export function ownerOfSecondSecret(webhookUuid: string): string {
  return `${webhookUuid} second signature`
}

/** SQL: the same, of a row of webhooks. */
export const OWNER_OF_SECOND_SECRET = `id::text || ' second signature'`
