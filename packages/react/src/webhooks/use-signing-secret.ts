import { useCallback } from 'react'
import {
  PosthornRotateSigningSecretDocument,
  PosthornSigningSecretDocument,
} from '../generated/graphql.ts'
import { type Action, usePosthornMutation } from '../query/use-posthorn-mutation.ts'
import { type Query, usePosthornQuery } from '../query/use-posthorn-query.ts'

export interface SigningSecret extends Omit<Query<unknown>, 'data'> {
  /** The key that signs the deliveries: `whsec_…`. Null until `isRevealed`, and without the scope `secrets:read`. */
  readonly secret: string | null
  /** The secrets before, which receivers may accept until `expiresAt`. */
  readonly expiring: readonly { readonly key: string; readonly expiresAt?: string | null }[]
  /** Creates another secret, which signs every attempt from then on. Needs the scope `secrets:rotate`. */
  readonly rotate: Action<[], unknown>
}

/** The signing secret of a webhook. It is read only while `isRevealed`, when the user asks to see it. */
export function useSigningSecret(
  webhookId: string,
  { isRevealed }: { readonly isRevealed: boolean },
): SigningSecret {
  const { data, ...query } = usePosthornQuery(
    PosthornSigningSecretDocument,
    { id: webhookId },
    { skip: !isRevealed },
  )
  const mutation = usePosthornMutation(PosthornRotateSigningSecretDocument)
  const { run } = mutation
  const shown = isRevealed ? data?.webhook : null
  return {
    ...query,
    secret: shown?.signingSecret?.key ?? null,
    expiring: shown?.expiringSigningSecrets ?? [],
    rotate: { ...mutation, run: useCallback(() => run({ id: webhookId }), [run, webhookId]) },
  }
}
