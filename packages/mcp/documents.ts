/*
 * The documents of the tools, with the fields that the console asks for. A list has edges, so that an answer with fewer items
 * knows where the next ones begin.
 */

const WEBHOOK = `
  fragment Webhook on Webhook {
    id uid url description enabled subscriptions
    health(window: DAY) {
      state since behindCause onHoldReason onHoldSince nextProbeAt consecutiveFailures failingSince lastError lastSuccessAt
      successRate
    }
    backlog { count oldest { createdAt parkedReason } }
    lastFailure { id recordedAt status cause meaning advice }
  }`

const DELIVERY = `
  fragment Delivery on Delivery {
    id state isTest createdAt finishedAt nextAttemptAt parkedAt parkedReason attemptCount webhookId
    eventType { name }
    event { id }
  }`

const ATTEMPT = `
  fragment Attempt on Attempt {
    id number startedAt durationMs succeeded status cause meaning advice webhookId
    response { body bodyEncoding bodyTruncated headers { name value } }
  }`

const REJECTION = `
  fragment Rejection on UserError {
    code message
    ... on ValidationError { issues { path message } }
  }`

export const WEBHOOKS = `
  query McpWebhooks($filter: WebhookFilter, $first: Int, $after: String) {
    webhooks(filter: $filter, orderBy: ATTENTION_FIRST, first: $first, after: $after) {
      totalCount
      edges { cursor node { ...Webhook } }
      pageInfo { hasNextPage endCursor }
    }
  }${WEBHOOK}`

export const DELIVERIES = `
  query McpDeliveries($filter: DeliveryFilter, $first: Int, $after: String) {
    deliveries(filter: $filter, first: $first, after: $after) {
      edges { cursor node { ...Delivery } }
      pageInfo { hasNextPage endCursor }
    }
  }${DELIVERY}`

export const ATTEMPTS = `
  query McpAttempts($filter: AttemptFilter, $first: Int, $after: String) {
    attempts(filter: $filter, first: $first, after: $after) {
      edges { cursor node { ...Attempt delivery { id } } }
      pageInfo { hasNextPage endCursor }
    }
  }${ATTEMPT}`

export const ATTEMPTS_OF_DELIVERY = `
  query McpAttemptsOfDelivery($deliveryId: ID!, $first: Int, $after: String) {
    delivery(id: $deliveryId) {
      ...Delivery
      plannedAttempts
      attempts(first: $first, after: $after) {
        edges { cursor node { ...Attempt } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }${DELIVERY}${ATTEMPT}`

export const EVENTS = `
  query McpEvents($filter: EventFilter, $first: Int, $after: String, $withPayload: Boolean!) {
    events(filter: $filter, first: $first, after: $after) {
      edges {
        cursor
        node {
          id occurredAt publishedAt isTest payloadState preview
          dataText @include(if: $withPayload)
          type { name }
          deliveryCounts { total succeeded retrying waiting unfinished exhausted canceled }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`

export const WHY_NOT_DELIVERED = `
  query McpWhyNotDelivered($eventId: ID!, $webhookId: ID!) {
    whyNotDelivered(eventId: $eventId, webhookId: $webhookId) {
      reason message
      delivery {
        ...Delivery
        plannedAttempts
        attempts(first: 5) {
          edges { cursor node { ...Attempt } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
    webhook(id: $webhookId) { ...Webhook filterText }
  }${DELIVERY}${ATTEMPT}${WEBHOOK}`

export const HEALTH = `
  query McpHealth {
    deliveryHealth {
      onTimeRate
      waiting { reason count oldestAt }
      webhooks { state count }
    }
    webhooks(filter: { states: [FAILING, ON_HOLD, BEHIND, DEGRADED] }, orderBy: ATTENTION_FIRST, first: 10) {
      totalCount
      edges { cursor node { ...Webhook } }
      pageInfo { hasNextPage endCursor }
    }
    bulkTasks(first: 5) { nodes { id action state changed total totalIsExact createdAt } }
  }${WEBHOOK}`

export const WEBHOOK_BEFORE = `
  query McpWebhookBefore($id: ID!) {
    result: webhook(id: $id) { id enabled health(window: DAY) { state } backlog { count } }
  }`

export const REDELIVER = `
  mutation McpRedeliver($input: RedeliverInput!) {
    result: redeliver(input: $input) {
      ... on RedeliverSuccess { count countIsExact task { id state } }
      ...Rejection
    }
  }${REJECTION}`

export const RESUME = `
  mutation McpResumeWebhook($id: ID!) {
    result: resumeWebhook(id: $id) {
      ... on ResumeWebhookSuccess { webhook { id enabled health(window: DAY) { state } } }
      ...Rejection
    }
  }${REJECTION}`

export const SEND_TEST_EVENT = `
  mutation McpTestDelivery($id: ID!, $eventType: String!) {
    result: testDelivery(id: $id, input: { eventType: $eventType }) {
      ... on TestDeliverySuccess { delivery { id state } }
      ...Rejection
    }
  }${REJECTION}`
