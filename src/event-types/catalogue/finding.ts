/** What a change of the catalogue breaks. */
export interface Finding {
  /**
   * `refuses_accepted`: data that was accepted before is refused. `breaks_receivers`: receivers get data that they may
   * not expect. `breaks_filter`: a webhook's filter never matches. `breaks_selection`: a webhook's selection takes what
   * is no longer there. `breaks_search_key`: a search key finds nothing.
   */
  readonly kind:
    | 'refuses_accepted'
    | 'breaks_receivers'
    | 'breaks_filter'
    | 'breaks_selection'
    | 'breaks_search_key'
  readonly message: string
  readonly remedy: string
  /** The newest event that is refused. */
  readonly eventId?: string
  /** The webhooks whose filter or selection breaks. */
  readonly webhookIds?: readonly string[]
}
