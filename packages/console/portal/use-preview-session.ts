import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type Rejection, useAction } from '../api/use-action.ts'
import {
  type CreatePortalSessionInput,
  PortalPreviewBeginDocument,
  PortalPreviewEndDocument,
} from '../generated/graphql.ts'

/** The portal asks for another session in time, and the server ends one that is left behind. */
const TTL_SECONDS = 600

/**
 * A portal session of the reader, as `input` describes but short-lived, for as long as the component is mounted. `url` is
 * null until the session exists.
 */
export function usePreviewSession(
  input: CreatePortalSessionInput,
  onRejected: (rejection: Rejection) => void,
) {
  const { run: begin } = useAction(PortalPreviewBeginDocument)
  const { run: end } = useAction(PortalPreviewEndDocument)
  const [url, setUrl] = useState<string | null>(null)
  const [rejection, setRejection] = useState<Rejection | null>(null)
  const ids = useRef<readonly string[]>([])
  const hasLeft = useRef(false)

  /** Resolves to the URL of a new session, or to null with a rejection. */
  async function createSession(): Promise<string | null> {
    const outcome = await begin({ input: { ...input, ttlSeconds: TTL_SECONDS } })
    if (!outcome.ok) {
      setRejection(outcome)
      onRejected(outcome)
      return null
    }
    const { id, url } = outcome.value.portalSession
    // The session before the last has expired.
    ids.current = [...ids.current.slice(-1), id]
    if (hasLeft.current) endSessions()
    return urlHere(url)
  }

  function endSessions() {
    for (const id of ids.current) void end({ id })
    ids.current = []
  }

  const enter = useEffectEvent(() => {
    hasLeft.current = false
    createSession().then(setUrl)
  })
  const leave = useEffectEvent(() => {
    hasLeft.current = true
    endSessions()
  })
  useEffect(() => {
    enter()
    return () => leave()
  }, [])

  return { url, rejection, renew: createSession }
}

/** The portal at the address of the console, which the public address can differ from: the console frames no other. */
function urlHere(url: string): string {
  const { pathname, hash } = new URL(url)
  return `${location.origin}${pathname}${hash}`
}
