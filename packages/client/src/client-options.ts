export interface ClientOptions {
  /** The URL of Posthorn, such as `https://webhooks.example.com`. */
  readonly url: string
  /** An API key, `phk_…`. To publish, it needs the scope `events:publish`. */
  readonly token: string
  /**
   * The organization to act for: `org_…` or its uid. Another one than that of the key needs the scope `admin`.
   *
   * @default the organization of the key
   */
  readonly organization?: string | undefined
  /**
   * The time for all tries of a call, in milliseconds.
   *
   * @default 30_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Whether `request` sends the hash of its document, for a server with POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS.
   *
   * @default false
   */
  readonly trustedDocuments?: boolean | undefined
}

const OPTIONS: ReadonlySet<string> = new Set([
  'url',
  'token',
  'organization',
  'timeoutMs',
  'trustedDocuments',
] satisfies (keyof ClientOptions)[])

/** What fetch would refuse is refused here: its message would contain the key, and each try would fail. */
export function checkOptions(options: ClientOptions): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.has(name))
  if (unknown !== undefined) {
    throw new TypeError(
      `Unknown option ${JSON.stringify(unknown)}; the options are ${[...OPTIONS].join(', ')}.`,
    )
  }
  checkUrl(options.url)
  if (!/^[\x21-\x7e]+$/.test(options.token ?? '')) {
    throw new TypeError(
      'token must be an API key, phk_…, without spaces or line breaks. Is the variable that contains it set?',
    )
  }
  if (options.organization !== undefined && !/^\P{Cc}+$/u.test(options.organization)) {
    throw new TypeError('organization must be the id of an organization, org_…, or its uid.')
  }
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      'url must be https:// or http://, without a user or a password, such as https://webhooks.example.com.',
    )
  }
}
