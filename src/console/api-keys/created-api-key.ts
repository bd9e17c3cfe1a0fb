import type { ApiKeysCreateMutation } from '../generated/graphql.ts'

/** A key that was just made, with its token. */
export type CreatedApiKey = Extract<
  NonNullable<ApiKeysCreateMutation['createApiKey']>,
  { __typename: 'CreateApiKeySuccess' }
>['createdApiKey']
