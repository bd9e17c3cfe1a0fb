import { graphql } from './generated/gql.ts'

export const Webhooks = graphql(`
  query Webhooks {
    webhooks(first: 50) {
      nodes { id url health { state lastError } backlog { count } }
    }
  }
`)

export const WebhookHealthChanged = graphql(`
  subscription WebhookHealthChanged {
    webhookHealthChanged { state webhook { id } }
  }
`)

export const AttemptRow = graphql(`
  fragment AttemptRow on Attempt {
    id number succeeded status error recordedAt webhook { url }
  }
`)

export const Attempts = graphql(`
  query Attempts { attempts(first: 50) { nodes { ...AttemptRow } } }
`)

export const AttemptRecorded = graphql(`
  subscription AttemptRecorded($after: ID) {
    attemptRecorded(after: $after) { ...AttemptRow }
  }
`)
