import { OPERATIONAL_PREFIX } from './event-type.ts'

/** `*`, or the beginning of names and `.*`. */
export function isPattern(subscription: string): boolean {
  return subscription === '*' || subscription.endsWith('.*')
}

/**
 * The subscriptions that include an event type: its name, `*`, and a pattern for each of its beginnings. Patterns never
 * include the operational events. `posthorn.subscriptions_to` has the same rule.
 */
export function subscriptionsTo(eventType: string): string[] {
  if (eventType.startsWith(OPERATIONAL_PREFIX)) return [eventType]
  const words = eventType.split('.')
  const beginnings = words.slice(1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`)
  return [eventType, '*', ...beginnings]
}

export function subscribesTo(subscriptions: readonly string[], eventType: string): boolean {
  return subscriptionsTo(eventType).some((one) => subscriptions.includes(one))
}

/** The names of the event types that subscriptions mean today: those named, then those of the catalogue that patterns include. */
export function expandSubscriptions(
  subscriptions: readonly string[],
  catalogue: readonly string[],
): string[] {
  const named = subscriptions.filter((one) => !isPattern(one))
  const included = catalogue.filter((name) => subscribesTo(subscriptions, name))
  return [...new Set([...named, ...included])]
}
