import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './theme/fonts.css'
import './theme/console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { installHistoryGuard } from './components/forms/leave-guards.ts'
import { language } from './language/language.ts'
import { mount } from './mount.ts'
import { loadScriptOf } from './pages.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root.')
document.documentElement.lang = language
installHistoryGuard()
loadScriptOf(location.pathname.slice(mount.basename.length))
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
