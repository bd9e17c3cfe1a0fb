import { formatCount } from '../format.ts'

/** How much of what happens is shown. */
export function tailSentence({ came, shown }: { came: number; shown: number }): string {
  if (came === 0) return 'Waiting for the next attempt.'
  if (shown < came * 0.95 && came > 80) {
    return `Showing ${formatCount(shown)} of ${formatCount(came)} a second: a sample of them, taken by chance.`
  }
  return came === 1 ? '1 attempt a second.' : `${formatCount(came)} attempts a second.`
}
