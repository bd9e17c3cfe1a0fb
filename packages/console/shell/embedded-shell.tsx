import { Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { t } from '../language/t.ts'
import { tellHost } from '../session/host-messages.ts'
import { portalLink } from '../session/portal.ts'
import { useSession } from '../session/session.tsx'
import { sectionsFor } from './navigation.ts'
import { PageOutlet } from './page-outlet.tsx'
import { SectionTabs } from './section-tabs.tsx'
import { SkipLink } from './shell.tsx'
import { UnreachableBar } from './unreachable-bar.tsx'
import './shell.css'

const background = portalLink?.background ?? null
const padding = portalLink?.padding ?? (background === null ? 4 : 16)

/** The portal inside the page of a host application: slim tabs and the page, as high as its content. */
export function EmbeddedShell() {
  const session = useSession()
  const { pathname } = useLocation()
  const box = useRef<HTMLDivElement>(null)
  useReportedHeight(box)
  const scheme = useComputedColorScheme()
  // A frame of another color scheme than its page is opaque.
  useEffect(() => tellHost('color-scheme', { scheme }), [scheme])

  const isOnlyPage = session.webhookId !== null && pathname === `/webhooks/${session.webhookId}`
  const { name } = session.viewer.organization
  return (
    <div
      ref={box}
      className="ph-embedded"
      data-transparent={background === null || undefined}
      style={{ padding }}
    >
      <SkipLink />
      <Group justify="space-between" wrap="nowrap" gap="md" mb="md">
        {isOnlyPage ? <span /> : <SectionTabs label={t('Pages')} sections={sectionsFor(session)} />}
        <Text
          component="aside"
          aria-label={t('Organization')}
          visibleFrom="xs"
          size="xs"
          c="dimmed"
          truncate
          title={name}
        >
          {name}
        </Text>
      </Group>
      <main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <UnreachableBar />
        <Stack gap="lg" className="ph-page">
          <PageOutlet />
        </Stack>
      </main>
    </div>
  )
}

/** Tells the host page how high the portal is, so that the frame needs no scroll bar. */
function useReportedHeight(box: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => {
      const { bottom } = current.getBoundingClientRect()
      tellHost('height', { height: Math.ceil(bottom + scrollY) })
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [box])
}
