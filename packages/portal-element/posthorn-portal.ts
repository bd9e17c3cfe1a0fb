/** Returns the `url` of a new portal session for the same organization and webhook, which your server creates. */
export type Renew = () => Promise<string>

/** The detail of `session-expiring`. */
export interface SessionExpiring {
  /** When the session ends. */
  readonly expiresAt: Date
}

/** The attributes that replace options of the session, with the names that these have in the fragment of its `url`. */
const OPTIONS: Readonly<Record<string, string>> = {
  background: 'backgroundColor',
  foreground: 'foregroundColor',
  padding: 'padding',
  pages: 'pages',
  locale: 'locale',
}

/** Each is an attribute and a property. */
const ATTRIBUTES = ['src', 'label', ...Object.keys(OPTIONS)]

/** On a server, which has no DOM, the import does nothing: a page that is rendered there may import this file. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/**
 * `<posthorn-portal src="…">` shows the portal in a frame that is as high as its page. `src` is the `url` of a portal
 * session. Events: `session-started` when the portal has opened or goes on with a renewed session; `session-expiring` two
 * minutes before the session ends, with a `SessionExpiring` as detail; and `session-ended`. `renew` answers the last two.
 * The attribute `label` names the frame for screen readers; default: Webhooks. The attributes `background`, `foreground`,
 * `padding`, `pages` and `locale` replace these options of the session; the portal reads them when it opens. Each attribute
 * is a property, too: `portal.src = url`; null removes it. The portal opens at the page that the fragment of the host page
 * names: `#posthorn=/webhooks/wh_…`.
 */
export class PosthornPortal extends Base {
  static observedAttributes = ATTRIBUTES

  declare src: string | null
  declare label: string | null
  declare background: string | null
  declare foreground: string | null
  declare padding: string | null
  declare pages: string | null
  declare locale: string | null

  /** Called before the session ends and after it ended. Forms keep what the reader typed. Default: the session ends. */
  renew: Renew | null = Reflect.get(this, 'renew') ?? null

  readonly #frame = document.createElement('iframe')
  #isRenewing = false

  connectedCallback(): void {
    // Properties that the page has set before it loaded this file.
    for (const name of ATTRIBUTES) {
      const early = Object.getOwnPropertyDescriptor(this, name)
      if (early === undefined) continue
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, early.value)
    }
    const frame = this.#frame
    frame.setAttribute(
      'sandbox',
      'allow-scripts allow-same-origin allow-forms allow-downloads allow-popups',
    )
    frame.allow = 'clipboard-write'
    frame.referrerPolicy = 'no-referrer'
    frame.style.cssText = 'display: block; width: 100%; height: 30rem; border: 0'
    frame.addEventListener('load', this.#connect)
    addEventListener('message', this.#receive)
    this.style.display ||= 'block'
    this.append(frame)
  }

  disconnectedCallback(): void {
    this.#frame.removeEventListener('load', this.#connect)
    removeEventListener('message', this.#receive)
  }

  attributeChangedCallback(name: string): void {
    const src = this.getAttribute('src')
    const isOption = name in OPTIONS
    // An open portal reads no options.
    if (src && (name === 'src' || (isOption && !this.isConnected)))
      this.#frame.src = atLinkedPage(this.#withOptions(src))
    this.#frame.title = this.getAttribute('label') ?? 'Webhooks'
  }

  /** Gives the portal the `url` of a new session. Forms keep what the reader typed. */
  renewWith(url: string): void {
    this.#send({ type: 'posthorn:renew', url: this.#withOptions(url) })
  }

  #withOptions(url: string): string {
    const [page, fragment] = url.split('#')
    const options = new URLSearchParams(fragment)
    for (const [name, option] of Object.entries(OPTIONS)) {
      const value = this.getAttribute(name)
      if (value !== null) options.set(option, value)
    }
    return `${page}#${options}`
  }

  readonly #connect = () => this.#send({ type: 'posthorn:connect' })

  #send(message: object): void {
    const { src, contentWindow } = this.#frame
    if (src) contentWindow?.postMessage(message, new URL(src).origin)
  }

  readonly #receive = ({ source, origin, data }: MessageEvent) => {
    const frame = this.#frame
    if (source !== frame.contentWindow || origin !== new URL(frame.src).origin) return
    if (data.type === 'posthorn:height') frame.style.height = `${data.height}px`
    if (data.type === 'posthorn:color-scheme') frame.style.colorScheme = data.scheme
    if (data.type === 'posthorn:session-started') {
      this.dispatchEvent(new CustomEvent('session-started'))
    }
    if (data.type === 'posthorn:session-expiring') {
      const detail: SessionExpiring = { expiresAt: new Date(data.expiresAt) }
      this.dispatchEvent(new CustomEvent('session-expiring', { detail }))
      this.#renew()
    }
    if (data.type === 'posthorn:session-ended') {
      this.dispatchEvent(new CustomEvent('session-ended'))
      this.#renew()
    }
  }

  #renew(): void {
    if (!this.renew || this.#isRenewing) return
    this.#isRenewing = true
    this.renew()
      .then((url) => this.renewWith(url))
      .finally(() => {
        this.#isRenewing = false
      })
  }
}

for (const name of ATTRIBUTES) {
  Object.defineProperty(PosthornPortal.prototype, name, {
    get(this: PosthornPortal) {
      return this.getAttribute(name)
    },
    set(this: PosthornPortal, value: unknown) {
      if (value === null || value === undefined) this.removeAttribute(name)
      else this.setAttribute(name, String(value))
    },
    configurable: true,
    enumerable: true,
  })
}

/** The URL of the page that a link to the host page names in its fragment: `#posthorn=/webhooks/wh_…`. */
function atLinkedPage(url: string): string {
  const path = new URLSearchParams(location.hash.slice(1)).get('posthorn') ?? ''
  const linked = new URL(url)
  if (/^(\/[\w-]+)+$/.test(path)) linked.pathname += path
  return linked.href
}

declare global {
  interface HTMLElementTagNameMap {
    'posthorn-portal': PosthornPortal
  }
}

globalThis.customElements?.define('posthorn-portal', PosthornPortal)
