import { useEffect, useRef } from 'react'
import { noteRenewal, useConnection } from '../api/connection.ts'
import { PORTAL_ORIGINS } from '../page-settings.ts'
import { isFramed, takeOverSession } from './portal.ts'
import type { Viewer } from './session.tsx'

type Subject = 'height' | 'color-scheme' | 'session-expiring' | 'session-ended' | 'session-started'

/** The origin of the host page, once it has connected. */
let host: string | null = null
/** The last message about each subject, for a host page that connects later. */
const last = new Map<string, object>()
let renew: (url: string) => void = () => {}

/** Tells the host page, which must have connected: only then is its origin known. */
export function tellHost(subject: Subject, detail: object = {}): void {
  const message = { type: `posthorn:${subject}`, ...detail }
  last.set(subject.startsWith('session') ? 'session' : subject, message)
  if (host !== null) window.parent.postMessage(message, host)
}

/** The console, which previews the portal, has the portal's own origin. */
const isAllowed = (origin: string) => origin === location.origin || PORTAL_ORIGINS.includes(origin)

/** Accepts messages of the framing page alone, and only from an origin that the server allows. */
function receive({ source, origin, data }: MessageEvent): void {
  if (source !== window.parent || !isAllowed(origin)) return
  if (data?.type === 'posthorn:connect') {
    host = origin
    for (const message of last.values()) window.parent.postMessage(message, host)
  }
  if (data?.type === 'posthorn:renew' && typeof data.url === 'string') renew(data.url)
}

if (isFramed) addEventListener('message', receive)

/** How long before its end the host page hears that the session ends. */
const WARN_BEFORE_MS = 120_000

/** Tells the host page how its session goes on, and takes over another one from it. `reload`: reads the viewer again. */
export function useHostSession(viewer: Viewer | undefined, reload: () => void): void {
  const { endedBecause } = useConnection()
  const subject = viewer && `${viewer.organization.id} ${viewer.session?.webhookId}`
  const first = useRef<string>(undefined)
  const expiresAt = viewer?.session?.expiresAt

  useEffect(() => {
    renew = (url) => {
      if (!takeOverSession(url)) return
      noteRenewal()
      reload()
    }
  }, [reload])

  useEffect(() => {
    if (!isFramed || !viewer) return
    first.current ??= subject
    // A session of other data starts the page again.
    if (first.current !== subject) location.reload()
    tellHost('session-started')
  }, [viewer, subject])

  useEffect(() => {
    if (endedBecause !== null) tellHost('session-ended')
  }, [endedBecause])

  useEffect(() => {
    if (!isFramed || !expiresAt) return
    const waitMs = Math.max(0, Date.parse(expiresAt) - Date.now() - WARN_BEFORE_MS)
    const timer = setTimeout(() => tellHost('session-expiring', { expiresAt }), waitMs)
    return () => clearTimeout(timer)
  }, [expiresAt])
}
