import { Alert, Button, Center, Loader, MantineProvider, Stack } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { BrowserRouter } from 'react-router'
import { Centered } from './components/page/centered.tsx'
import { mount } from './mount.ts'
import { Pages } from './routes.tsx'
import { PortalEndedPage } from './session/portal-ended-page.tsx'
import { portalLink, SessionProvider } from './session/session.tsx'
import { SignInPage } from './session/sign-in-page.tsx'
import { cssVariables, theme, themeOfColor } from './theme.ts'

/** The reader's theme or, in the portal, the host application's. */
const ownTheme = portalLink?.color ? themeOfColor(portalLink.color) : theme
const forcedScheme = portalLink && portalLink.scheme !== 'auto' ? portalLink.scheme : undefined

export function App() {
  return (
    <MantineProvider
      theme={ownTheme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      forceColorScheme={forcedScheme}
    >
      <Notifications position="bottom-right" />
      <SessionProvider
        loading={
          <Center mih="100dvh">
            <Loader aria-label="Loading" />
          </Center>
        }
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
                  Try again
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
