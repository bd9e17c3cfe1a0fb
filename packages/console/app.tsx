import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { useState } from 'react'
import { RouterProvider } from 'react-router'
import { Provider } from 'urql'
import { client } from './api/client.ts'
import { createRouter } from './routes.tsx'
import { portalLink } from './session/portal.ts'
import { SessionProvider } from './session/session.tsx'
import { cssVariables, theme } from './theme/theme.ts'
import { loadFont, themeOfPortal, variablesOfPortal } from './theme/theme-of-portal.ts'

/** The reader's theme or, in the portal, the host application's. */
const ownTheme = portalLink ? themeOfPortal(portalLink) : theme
const ownVariables = portalLink ? variablesOfPortal(portalLink) : cssVariables()
const forcedScheme = portalLink && portalLink.scheme !== 'auto' ? portalLink.scheme : undefined
if (portalLink?.font && portalLink.fontUrl) loadFont(portalLink.font, portalLink.fontUrl)

export function App() {
  const [router] = useState(createRouter)
  return (
    <MantineProvider
      theme={ownTheme}
      cssVariablesResolver={ownVariables}
      defaultColorScheme="auto"
      forceColorScheme={forcedScheme}
    >
      <Notifications position="bottom-right" />
      <Provider value={client}>
        <SessionProvider>
          {/* Without transitions, in which a page asks for its data before it is shown, and again afterwards. */}
          <RouterProvider router={router} useTransitions={false} />
        </SessionProvider>
      </Provider>
    </MantineProvider>
  )
}
