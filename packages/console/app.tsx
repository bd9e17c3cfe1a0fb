import { Alert, Button, Center, Loader, MantineProvider, Stack } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { BrowserRouter } from 'react-router'
import { Centered } from './components/page/centered.tsx'
import { t } from './language/t.ts'
import { mount } from './mount.ts'
import { Pages } from './routes.tsx'
import { portalLink } from './session/portal.ts'
import { PortalEndedNotice, PortalEndedPage } from './session/portal-ended.tsx'
import { SessionProvider } from './session/session.tsx'
import { SignInPage } from './session/sign-in-page.tsx'
import { cssVariables, theme } from './theme/theme.ts'
import { loadFont, themeOfPortal, variablesOfPortal } from './theme/theme-of-portal.ts'

/** The reader's theme or, in the portal, the host application's. */
const ownTheme = portalLink ? themeOfPortal(portalLink) : theme
const ownVariables = portalLink ? variablesOfPortal(portalLink) : cssVariables()
const forcedScheme = portalLink && portalLink.scheme !== 'auto' ? portalLink.scheme : undefined
if (portalLink?.font && portalLink.fontUrl) loadFont(portalLink.font, portalLink.fontUrl)

export function App() {
  return (
    <MantineProvider
      theme={ownTheme}
      cssVariablesResolver={ownVariables}
      defaultColorScheme="auto"
      forceColorScheme={forcedScheme}
    >
      <Notifications position="bottom-right" />
      <SessionProvider
        loading={
          <Center mih="100dvh">
            <Loader aria-label={t('Loading')} />
          </Center>
        }
        ended={<PortalEndedNotice />}
        signedOut={(reason, onSignedIn) =>
          mount.kind === 'portal' ? (
            <PortalEndedPage />
          ) : (
            <SignInPage reason={reason} onSignedIn={onSignedIn} />
          )
        }
        failed={(message, retry) => (
          <Centered>
            <Alert color="red" variant="light" title="The console failed to start">
              <Stack align="start">
                {message}
                <Button size="xs" onClick={retry}>
                  {t('Try again')}
                </Button>
              </Stack>
            </Alert>
          </Centered>
        )}
      >
        <BrowserRouter basename={mount.basename}>
          <Pages />
        </BrowserRouter>
      </SessionProvider>
    </MantineProvider>
  )
}
