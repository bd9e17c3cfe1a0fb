import {
  type AttemptFilter,
  type DeliveryFilter,
  type PosthornAttemptFragment,
  PosthornAttemptsDocument,
  PosthornDeliveriesDocument,
  type PosthornDeliveryFragment,
} from '../generated/graphql.ts'
import { type Pages, usePages } from '../query/use-pages.ts'

/** One event for one webhook. */
export type Delivery = PosthornDeliveryFragment

/** One request for a delivery, and its outcome. */
export type Attempt = PosthornAttemptFragment

interface Options<Filter> {
  /** Default: everything that the session may see. */
  readonly filter?: Filter
  /** 1 to 100. Default: 20. */
  readonly pageSize?: number
}

/** The deliveries, newest first. */
export function useDeliveries(options: Options<DeliveryFilter> = {}): Pages<Delivery> {
  const { data: _, ...pages } = usePages(
    PosthornDeliveriesDocument,
    options,
    ({ deliveries }) => deliveries,
  )
  return pages
}

/** The attempts, newest first. */
export function useAttempts(options: Options<AttemptFilter> = {}): Pages<Attempt> {
  const { data: _, ...pages } = usePages(
    PosthornAttemptsDocument,
    options,
    ({ attempts }) => attempts,
  )
  return pages
}
