import { Box, Button, Center, Loader, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { Rejection } from '../api/use-action.ts'
import { optionsOf } from '../components/filters/filter-params.ts'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { PortalFrame } from './portal-frame.tsx'
import { usePreviewSession } from './use-preview-session.ts'
import './portal.css'

/** The width of the frame: of a phone, of a usual page of a host application, and of the window. */
const WIDTHS = { phone: 360, page: 1_020, full: '100%' } as const

const WIDTH_OPTIONS = optionsOf<PreviewWidth>({
  phone: 'Phone, 360 px',
  page: 'Page, 1,020 px',
  full: 'Full width',
})

export type PreviewWidth = keyof typeof WIDTHS

interface PortalPreviewProps {
  readonly input: CreatePortalSessionInput
  readonly width: PreviewWidth
  onWidth(width: PreviewWidth): void
  /** The server created no session. */
  onRejected(rejection: Rejection): void
  retry(): void
}

/** The portal of the organization, in a session that ends with the preview. */
export function PortalPreview({ input, width, retry, ...events }: PortalPreviewProps) {
  const { url, rejection, renew } = usePreviewSession(input, events.onRejected)
  const [hasStarted, setHasStarted] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  const reason =
    rejection?.message ??
    (hasFailed
      ? 'The script of the portal could not be loaded. Check that Posthorn is reachable.'
      : null)
  return (
    <Section
      title="Preview"
      description="The portal of this organization, in a real session. It lasts 10 minutes at a time, ends when you leave this page, and is in the audit log."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Width of the frame"
          data={WIDTH_OPTIONS}
          value={width}
          onChange={(value) => events.onWidth(value as PreviewWidth)}
        />
      }
    >
      {reason !== null && (
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
            {reason}
          </Notice>
        </div>
      )}
      {reason === null && (
        <Box
          className="ph-preview"
          role="group"
          aria-label="Frame with the portal"
          aria-busy={!hasStarted}
          tabIndex={0}
        >
          {url === null ? (
            <Center h={296}>
              <Loader size="sm" aria-label="Opening the portal" />
            </Center>
          ) : (
            <Box mx="auto" w={WIDTHS[width]}>
              <PortalFrame
                url={url}
                renew={renew}
                onStarted={() => setHasStarted(true)}
                onFailed={() => setHasFailed(true)}
              />
            </Box>
          )}
        </Box>
      )}
    </Section>
  )
}
