import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '../../encryption/keyring.ts'
import { readSecondSecret } from './second-secret.ts'
import { createSecondSigner, type SecondSigner } from './second-signer.ts'
import type { SecondSignature, SignatureHeaders } from './signature-fields.ts'

/** How deliveries of a webhook are signed otherwise than by the contract. */
export interface Signing {
  readonly names: SignatureHeaders | null
  readonly second: SecondSigner | null
  /** Whether the header with the id has the id of the event, in the place of that of the delivery. */
  readonly sendsEventId: boolean
  /** The keys of the previous secrets, newest first, which sign until they expire. */
  readonly previousKeys: readonly { readonly key: KeyObject; readonly expiresAt: number }[]
}

/** The columns of a webhook that say how deliveries are signed. */
export interface SigningRow {
  readonly signature_headers: SignatureHeaders | null
  readonly second_signature: SecondSignature | null
  readonly second_secret_ciphertext: Buffer | null
  readonly message_id_kind: string
  /** Null: only the current secret signs. */
  readonly previous_secrets: readonly PreviousSecret[] | null
}

interface PreviousSecret {
  readonly id: string
  /** In hexadecimal. */
  readonly ciphertext: string
  /** In milliseconds. */
  readonly expires_at: number
}

/** SQL: the previous secrets of the webhook `w`, which are only read of a webhook that signs with them. */
export const PREVIOUS_SECRETS = `case when w.signs_with_previous_secret then (
  select json_agg(json_build_object(
    'id', p.id, 'ciphertext', encode(p.key_ciphertext, 'hex'), 'expires_at', 1000 * extract(epoch from p.expires_at)
  ) order by p.expires_at desc)
  from posthorn.signing_secrets as p where p.webhook_id = w.id and p.expires_at > now()
) end`

/** Null for the signature of the contract alone. `unreadable` if no key of the ring decrypts a secret. */
export function readSigning(
  keyring: Keyring,
  webhookUuid: string,
  row: SigningRow,
): Signing | null | 'unreadable' {
  const { signature_headers: names, second_signature, second_secret_ciphertext } = row
  const previous = row.previous_secrets ?? []
  const sendsEventId = row.message_id_kind === 'event'
  if (!sendsEventId && names === null && second_signature === null && previous.length === 0) {
    return null
  }
  const secret = readSecondSecret(keyring, second_secret_ciphertext, webhookUuid)
  if (secret === 'unreadable') return 'unreadable'
  try {
    return {
      names,
      sendsEventId,
      second: second_signature && secret && createSecondSigner(second_signature, secret),
      previousKeys: previous.map(({ id, ciphertext, expires_at }) => ({
        key: createSecretKey(keyring.decrypt(Buffer.from(ciphertext, 'hex'), id)),
        expiresAt: expires_at,
      })),
    }
  } catch {
    return 'unreadable'
  }
}
