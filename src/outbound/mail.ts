export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** A page that unsubscribes the address at once by POST (RFC 8058). */
  readonly unsubscribeUrl: string
}

/** Throws if the server cannot be reached or does not take the mail now, or its settings are wrong: try again later. */
export type SendMail = (mail: Mail) => Promise<MailOutcome>

export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'rejected'; readonly answer: string }
