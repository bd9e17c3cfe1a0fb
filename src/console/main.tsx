import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './console.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { watchHistory } from './components/forms/guard-history.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root.')
watchHistory()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
