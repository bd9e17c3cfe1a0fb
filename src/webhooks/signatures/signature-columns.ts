import { Prisma } from '../../db/generated/prisma/client.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { encryptSecondSecret } from './second-secret.ts'
import type { GivenSecondSignature, SignatureHeaders } from './signature-fields.ts'

interface Given {
  readonly signatureHeaders?: SignatureHeaders | null | undefined
  readonly secondSignature?: GivenSecondSignature | null | undefined
}

/** The columns of the given fields. `kept` is the secret of a second signature that is given without one. */
export function signatureColumns(
  keyring: Keyring,
  { signatureHeaders, secondSignature }: Given,
  webhookUuid: string,
  kept: string | null = null,
) {
  return {
    ...(signatureHeaders !== undefined && {
      signatureHeaders: signatureHeaders ?? Prisma.DbNull,
    }),
    ...(secondSignature !== undefined &&
      secondColumns(keyring, secondSignature, webhookUuid, kept)),
  }
}

function secondColumns(
  keyring: Keyring,
  given: GivenSecondSignature | null,
  webhookUuid: string,
  kept: string | null,
) {
  if (given === null) return { secondSignature: Prisma.DbNull, secondSecretCiphertext: null }
  const { secret, ...secondSignature } = given
  return {
    secondSignature,
    secondSecretCiphertext: encryptSecondSecret(keyring, secret ?? kept ?? '', webhookUuid),
  }
}
