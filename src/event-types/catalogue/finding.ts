/** What a change of the catalogue breaks. */
export interface Finding {
  /**
   * `refuses_accepted`: data that was accepted before is refused. `breaks_selection`: a webhook's selection takes what is
   * no longer there.
   */
  readonly kind: 'refuses_accepted' | 'breaks_selection'
  readonly message: string
  readonly remedy: string
  /** The newest event that is refused. */
  readonly eventId?: string
  /** The webhooks whose selection breaks. */
  readonly webhookIds?: readonly string[]
}
