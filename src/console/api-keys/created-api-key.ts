import type { ApiKeysCreateMutation } from '../generated/graphql.ts'

/** A new key with its token. */
export type CreatedApiKey = Extract<
  NonNullable<ApiKeysCreateMutation['createApiKey']>,
  { __typename: 'CreateApiKeySuccess' }
>['createdApiKey']
