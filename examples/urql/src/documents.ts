import { graphql } from './generated/gql.ts'

export const WebhookHealth = graphql(`
  fragment WebhookHealth on Webhook {
    id
    health { state }
    lastFailure { id status error recordedAt }
    backlog { count }
  }
`)

export const WebhookRow = graphql(`
  fragment WebhookRow on Webhook {
    id
    url
    description
    enabled
    eventSubscriptions { name }
    ...WebhookHealth
  }
`)

export const Webhooks = graphql(`
  query Webhooks($after: String) {
    webhooks(first: 20, after: $after) {
      nodes { ...WebhookRow }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

export const EventTypes = graphql(`
  query EventTypes {
    eventTypes { id name }
  }
`)

export const FormErrors = graphql(`
  fragment FormErrors on UserError {
    message
    ... on ValidationError { issues { path message } }
  }
`)

export const CreateWebhook = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    result: createWebhook(input: $input) {
      ... on CreateWebhookSuccess { webhook { ...WebhookRow } }
      ...FormErrors
    }
  }
`)

export const UpdateWebhook = graphql(`
  mutation UpdateWebhook($id: ID!, $input: UpdateWebhookInput!) {
    result: updateWebhook(id: $id, input: $input) {
      ... on UpdateWebhookSuccess { webhook { ...WebhookRow } }
      ...FormErrors
    }
  }
`)

export const AttemptRow = graphql(`
  fragment AttemptRow on Attempt {
    id
    number
    succeeded
    status
    error
    recordedAt
    webhook { id url }
  }
`)

export const Attempts = graphql(`
  query Attempts {
    attempts(first: 50) {
      nodes { ...AttemptRow }
    }
  }
`)

/** With the last failure and the backlog of the webhook, and the first state of a new one. */
export const AttemptRecorded = graphql(`
  subscription AttemptRecorded($after: ID) {
    attemptRecorded(after: $after) {
      ...AttemptRow
      webhook { ...WebhookHealth }
    }
  }
`)

/** Each change of the state of a webhook. It follows an attempt by seconds, or has none, as when a webhook is disabled. */
export const WebhookHealthChanged = graphql(`
  subscription WebhookHealthChanged {
    webhookHealthChanged {
      webhook { ...WebhookHealth }
    }
  }
`)
