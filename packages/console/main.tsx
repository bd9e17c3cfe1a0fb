import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme/fonts.css'
import './theme/console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { installHistoryGuard } from './components/forms/leave-guards.ts'
import { loadTexts } from './language/language.ts'
import { mount } from './mount.ts'
import { loadScriptOf } from './pages.ts'

installHistoryGuard()
// Not awaited: the scripts of the pages import from this one.
void loadTexts().then(start)

function start(): void {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element with the id root.')
  loadScriptOf(location.pathname.slice(mount.basename.length))
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
