const STATES: Readonly<Record<string, string>> = {
  BEHIND: 'Behind',
  DEGRADED: 'Degraded',
  DISABLED: 'Disabled',
  FAILING: 'Failing',
  HEALTHY: 'Healthy',
  NO_DELIVERIES: 'No deliveries yet',
  ON_HOLD: 'On hold',
}

/** A state that a later version of Posthorn adds is shown by its name. */
export function stateText(state: string): string {
  return STATES[state] ?? state
}

export interface Failure {
  readonly status?: number | null | undefined
  readonly error?: string | null | undefined
}

export function failureText({ status, error }: Failure): string {
  return error ?? `The endpoint answered with status ${status}.`
}

export function outcomeText(attempt: Failure & { readonly succeeded: boolean }): string {
  return attempt.succeeded ? `Delivered, status ${attempt.status}` : failureText(attempt)
}

export function backlogText(count: number): string {
  if (count === 0) return 'No delivery waits'
  return count === 1 ? '1 delivery waits' : `${count.toLocaleString('en')} deliveries wait`
}

export function timeText(time: string): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
}

export const STREAM_STATES = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost. Reconnecting…',
  ended: 'Stopped',
} as const
