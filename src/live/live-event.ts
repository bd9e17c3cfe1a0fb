/** What happened just now, in uuids: enough to tell whom it concerns, who then read the rest. */
export type LiveEvent =
  | {
      readonly kind: 'attempt'
      readonly organizationId: string
      readonly webhookId: string
      readonly deliveryId: string
      readonly attemptId: string
      readonly succeeded: boolean
      /** Whether its delivery succeeded or is exhausted by it. */
      readonly finished: boolean
    }
  | {
      readonly kind: 'canceled'
      readonly organizationId: string
      readonly webhookId: string
      readonly deliveryId: string
    }
  | {
      readonly kind: 'health'
      readonly organizationId: string
      readonly webhookId: string
      readonly health: LiveHealth
    }

export type Attempt = LiveEvent & { readonly kind: 'attempt' }

export type LiveHealth = 'healthy' | 'failing' | 'on_hold' | 'disabled'
