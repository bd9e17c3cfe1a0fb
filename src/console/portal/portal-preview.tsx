import { Box, Button, Center, Loader, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import type { Rejection } from '../api/use-action.ts'
import { Notice } from '../components/page/notice.tsx'
import { Section } from '../components/page/section.tsx'
import type { CreatePortalSessionInput } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { PortalFrame } from './portal-frame.tsx'
import { usePreviewSession } from './use-preview-session.ts'
import './portal.css'

/** The width of the frame: of a phone, of a usual page of a host application, and of the window. */
const WIDTHS = { phone: 360, page: 1_020, full: '100%' } as const

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
  const reason = rejection?.message ?? (hasFailed ? t('portal:preview.notLoaded') : null)
  return (
    <Section
      title={t('portal:preview.title')}
      description={t('portal:preview.description')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('portal:preview.width')}
          data={(Object.keys(WIDTHS) as PreviewWidth[]).map((value) => ({
            value,
            label: t(`portal:preview.widths.${value}`),
          }))}
          value={width}
          onChange={(value) => events.onWidth(value as PreviewWidth)}
        />
      }
    >
      {reason !== null && (
        <div role="alert">
          <Notice
            color="red"
            title={t('portal:preview.failed')}
            action={
              <Button size="xs" variant="default" onClick={retry}>
                {t('common:retry')}
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
          aria-label={t('portal:preview.window')}
          aria-busy={!hasStarted}
          tabIndex={0}
        >
          {url === null ? (
            <Center h={296}>
              <Loader size="sm" aria-label={t('portal:preview.loading')} />
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
