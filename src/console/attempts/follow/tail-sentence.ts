import { formatCount, plural } from '../../lib/format.ts'

/** Says how many attempts arrive, and what part of them is shown. */
export function tailSentence({ received, shown }: { received: number; shown: number }): string {
  if (received === 0) return 'Waiting for the next attempt.'
  if (shown < received * 0.95 && received > 80) {
    return `Showing ${formatCount(shown)} of ${formatCount(received)} attempts per second (a random sample).`
  }
  return `${plural(received, '1 attempt', `${formatCount(received)} attempts`)} per second.`
}
