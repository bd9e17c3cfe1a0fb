import { t } from '../../language/t.ts'

/** Says how many attempts arrive, and what part of them is shown. */
export function tailSentence({ received, shown }: { received: number; shown: number }): string {
  if (received === 0) return t('Waiting for the next attempt.')
  if (shown < received * 0.95 && received > 80) {
    return t(
      'Showing {shown, number} of {received, number} attempts per second (a random sample).',
      { shown, received },
    )
  }
  return t('{received, plural, one {# attempt} other {# attempts}} per second.', { received })
}
