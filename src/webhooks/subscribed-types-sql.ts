/** SQL: the event types that the webhook `w` subscribes to, archived ones included. */
export const SUBSCRIBED_TYPES = `
  array(
    select t.name from posthorn.event_types as t where w.event_subscriptions && posthorn.subscriptions_to(t.name)
    order by t.name collate "C")`
