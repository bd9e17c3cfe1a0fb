import { useEffect, useEffectEvent, useRef } from 'react'

/** `<posthorn-portal>`, as docs/guides/portal.md describes. */
interface PortalElement extends HTMLElement {
  renew: (() => Promise<string>) | null
}

interface PortalFrameProps {
  /** The URL of a portal session. */
  readonly url: string
  /** Resolves to the URL of another session, or to null if there is none. */
  renew(): Promise<string | null>
  onStarted(): void
  onFailed(): void
}

/** Shows the portal as the page of a host application does: with the element that the server serves. */
export function PortalFrame({ url, ...events }: PortalFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const onStarted = useEffectEvent(() => events.onStarted())
  const onFailed = useEffectEvent(() => events.onFailed())
  const renew = useEffectEvent(async () => {
    const next = await events.renew()
    // Without another session, the preview gives way to the reason.
    return next ?? (await new Promise<never>(() => {}))
  })

  useEffect(() => {
    const element = document.createElement('posthorn-portal') as PortalElement
    element.setAttribute('label', 'Preview of the portal')
    element.setAttribute('src', url)
    element.addEventListener('session-started', () => onStarted())
    box.current?.append(element)
    loadElement().then(
      () => {
        element.renew = () => renew()
      },
      () => onFailed(),
    )
    return () => element.remove()
  }, [url])

  return <div ref={box} />
}

let loading: Promise<void> | null = null

/** Runs the script of the element, once. After a failure, the next call tries again. */
function loadElement(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.type = 'module'
    script.src = '/portal/element.js'
    script.onload = () => resolve()
    script.onerror = () => {
      loading = null
      reject()
    }
    document.head.append(script)
  })
  return loading
}
