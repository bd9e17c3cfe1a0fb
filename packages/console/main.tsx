import '@mantine/core/styles.css'
import '@mantine/notifications/styles.layer.css'
import './theme/fonts.css'
import './theme/console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { loadTexts } from './language/language.ts'

// Not awaited: the scripts of the pages import from this one.
void loadTexts().then(() => {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
})
