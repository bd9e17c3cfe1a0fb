import { Anchor, Group, Stack, Text, useComputedColorScheme } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'
import { moveFocusToTitle } from '../components/page/title-focus.ts'
import { t } from '../language/t.ts'
import { tellHost } from '../session/host-messages.ts'
import { portalLink } from '../session/portal.ts'
import { useSession } from '../session/session.tsx'
import { navigationFor } from './navigation.ts'
import { PageOutlet } from './page-outlet.tsx'
import { UnreachableBar } from './unreachable-bar.tsx'
import './embedded.css'

const background = portalLink?.background ?? null
const padding = portalLink?.padding ?? (background === null ? 4 : 16)

/** The portal inside the page of a host application: slim tabs and the page, as high as its content. */
export function EmbeddedShell() {
  const { viewer, webhookId } = useSession()
  const { pathname } = useLocation()
  const firstPage = useRef(pathname)
  const box = useRef<HTMLDivElement>(null)
  useReportedHeight(box)
  const scheme = useComputedColorScheme()
  // A frame of another color scheme than its page is opaque.
  useEffect(() => tellHost('color-scheme', { scheme }), [scheme])

  useEffect(() => {
    if (firstPage.current !== pathname) moveFocusToTitle()
    firstPage.current = ''
  }, [pathname])

  const pages = navigationFor(useSession()).flatMap(({ destinations }) => destinations)
  const isOnlyPage = webhookId !== null && pathname === `/webhooks/${webhookId}`
  return (
    <div
      ref={box}
      className="ph-embedded"
      data-transparent={background === null || undefined}
      style={{ padding }}
    >
      <Anchor className="ph-skip" href="#main">
        {t('Skip to content')}
      </Anchor>
      <Group justify="space-between" wrap="nowrap" gap="md" className="ph-embedded-top">
        {isOnlyPage ? (
          <span />
        ) : (
          <nav aria-label={t('Pages')} className="ph-embedded-tabs">
            {pages.map(({ to, label }) => (
              <NavLink key={to} to={to} className="ph-embedded-tab">
                {label}
              </NavLink>
            ))}
          </nav>
        )}
        <Text
          component="aside"
          aria-label={t('Organization')}
          className="ph-embedded-organization"
          size="xs"
          c="dimmed"
          truncate
          title={viewer.organization.name}
        >
          {viewer.organization.name}
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
