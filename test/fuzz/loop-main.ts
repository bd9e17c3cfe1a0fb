import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { loadConfig } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import { startApp } from '../../src/run/app.ts'

/*
 * A process of Posthorn that reports, for each message, the longest delay of its event loop since the last message, the
 * longest garbage collection in that time, and the most processor time that its main thread used without a pause.
 */
const { config, secrets } = loadConfig(process.env)
const app = await startApp({ config, secrets: secrets as Settings['secrets'] }, { role: 'api' })
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
let longestCollectionMs = 0
let longestWorkMs = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    longestCollectionMs = Math.max(longestCollectionMs, duration)
  }
}).observe({ entryTypes: ['gc'] })
let usage = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(usage)
  longestWorkMs = Math.max(longestWorkMs, (user + system) / 1e3)
  usage = process.threadCpuUsage()
}, 1)

process.on('message', () => {
  // After the pending work of the event loop.
  setTimeout(() => {
    process.send?.({ longestMs: delay.max / 1e6, longestCollectionMs, longestWorkMs })
    delay.reset()
    longestCollectionMs = 0
    longestWorkMs = 0
  }, 20)
})
process.on('disconnect', () => process.exit())
process.send?.({ url: app.url })
