import { type ApiTarget, curlRequest } from '../components/snippets/api-request.ts'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'

const MUTATION = `mutation ($input: CreatePortalSessionInput!) {
  createPortalSession(input: $input) {
    ... on CreatePortalSessionSuccess { portalSession { id url expiresAt } }
    ... on UserError { code message }
  }
}`

/** A command that creates a session of the portal. */
export const sessionRequest = (target: ApiTarget, input: CreatePortalSessionInput) =>
  curlRequest(target, '/graphql', { query: MUTATION.replace(/\s+/g, ' '), variables: { input } })
