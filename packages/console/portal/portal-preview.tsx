import { Box, Button, Center, Loader, SegmentedControl } from '@mantine/core'
import { createElement, useEffect, useEffectEvent, useState } from 'react'
import { type Issue, useAction } from '../api/use-action.ts'
import { optionsOf } from '../components/filters/filter-params.ts'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import {
  type CreatePortalSessionInput,
  PortalPreviewBeginDocument,
  PortalPreviewEndDocument,
} from '../generated/graphql.ts'

/** Of a phone, and of the window. */
const WIDTHS = optionsOf({ '360px': 'Phone, 360 px', '100%': 'Full width' })

/** The script of `<posthorn-portal>`, as docs/guides/portal.md describes the element. */
const ELEMENT: string = '/portal/element.js'

interface SessionProps {
  readonly input: CreatePortalSessionInput
  /** The server created no session. */
  onRejected(issues: readonly Issue[]): void
  retry(): void
}

/** The portal of the organization, in a session that ends with the preview. */
export function PortalPreview({ round, ...session }: SessionProps & { readonly round: number }) {
  const [width, setWidth] = useState('100%')
  return (
    <Section
      title="Preview"
      description="The portal of this organization, in a real session. It ends when you leave this page, and is in the audit log."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Width of the frame"
          data={WIDTHS}
          value={width}
          onChange={setWidth}
        />
      }
    >
      <PreviewSession key={round} {...session} width={width} />
    </Section>
  )
}

function PreviewSession({
  input,
  onRejected,
  retry,
  width,
}: SessionProps & { readonly width: string }) {
  const { run: begin } = useAction(PortalPreviewBeginDocument)
  const { run: end } = useAction(PortalPreviewEndDocument)
  const [url, setUrl] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const enter = useEffectEvent(async (left: AbortSignal) => {
    await import(/* @vite-ignore */ ELEMENT)
    if (left.aborted) return
    const outcome = await begin({ input })
    if (!outcome.ok) {
      setFailure(outcome.message)
      return onRejected(outcome.issues)
    }
    const { id, url } = outcome.value.portalSession
    const leave = () => void end({ id })
    if (left.aborted) return leave()
    left.addEventListener('abort', leave)
    // The public address can differ from that of the console, which frames no other.
    const { pathname, hash } = new URL(url)
    setUrl(`${location.origin}${pathname}${hash}`)
  })
  useEffect(() => {
    const visit = new AbortController()
    enter(visit.signal).catch(() =>
      setFailure('The script of the portal could not be loaded. Check that Posthorn is reachable.'),
    )
    return () => visit.abort()
  }, [])

  if (failure !== null) {
    return (
      <div role="alert">
        <Notice
          color="red"
          title="The portal did not open"
          action={
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
          }
        >
          {failure}
        </Notice>
      </div>
    )
  }
  // It scrolls, as the page of a host application does.
  return (
    <Box
      role="group"
      aria-label="Frame with the portal"
      aria-busy={url === null}
      tabIndex={0}
      mih={320}
      mah="min(70vh, 720px)"
      p="sm"
      bd="1px solid var(--posthorn-line)"
      bdrs="md"
      style={{ overflow: 'auto' }}
    >
      {url === null ? (
        <Center h={296}>
          <Loader size="sm" aria-label="Opening the portal" />
        </Center>
      ) : (
        <Box mx="auto" w={width}>
          {/* As in the page of a host application. */}
          {createElement('posthorn-portal', { src: url, label: 'Preview of the portal' })}
        </Box>
      )}
    </Box>
  )
}
