/** A change that subscribers can watch. Ids are uuids. Subscribers load the rows. */
export type LiveEvent =
  | {
      readonly kind: 'attempt'
      readonly organizationId: string
      readonly webhookId: string
      readonly deliveryId: string
      readonly attemptId: string
      readonly succeeded: boolean
      /** Whether its delivery is now succeeded or exhausted. */
      readonly finished: boolean
    }
  | {
      readonly kind: 'canceled'
      readonly organizationId: string
      readonly webhookId: string
      readonly deliveryId: string
    }
  /** A request waits for `posthorn listen --forward`. */
  | {
      readonly kind: 'forwarded'
      readonly organizationId: string
      readonly webhookId: string
      readonly requestId: string
    }
  | {
      readonly kind: 'health'
      readonly organizationId: string
      readonly webhookId: string
      readonly health: LiveHealth
    }

export type Attempt = LiveEvent & { readonly kind: 'attempt' }

export type LiveHealth = 'healthy' | 'failing' | 'on_hold' | 'disabled'
