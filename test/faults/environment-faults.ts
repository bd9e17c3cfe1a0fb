import { setTimeout as sleep } from 'node:timers/promises'
import { FAKE_CLOCK_MISSING } from './fake-clock.ts'
import type { Fault } from './fault.ts'
import { fillDisk, freeDisk } from './full-disk.ts'
import { IN_FLIGHT } from './members.ts'

const MAX_CLOCK_DIFFERENCE_SECONDS = 12 * 60 * 60

export const ENVIRONMENT_FAULTS: readonly Fault[] = [
  {
    name: 'a name server that is silent, fails and is slow',
    subject: 'DNS',
    needsRescue: false,
    maxDuplicates: () => 0,
    async inject({ nameServer, random }) {
      try {
        nameServer.fault = { failure: 'silence' }
        await sleep(1_000 + random() * 4_000)
        nameServer.fault = { failure: 'SERVFAIL' }
        await sleep(1_000 + random() * 3_000)
        nameServer.fault = { addresses: ['127.0.0.1'], delayMs: 300 + random() * 700 }
        await sleep(1_000 + random() * 2_000)
      } finally {
        nameServer.fault = null
      }
    },
  },
  {
    name: 'a full disk (an error where rows are stored)',
    subject: 'disk',
    needsRescue: false,
    maxDuplicates: () => 0,
    async inject({ postgres, random }) {
      await fillDisk(postgres)
      try {
        await sleep(1_000 + random() * 4_000)
      } finally {
        await freeDisk(postgres)
      }
    },
  },
  {
    name: 'a clock that jumps and stays wrong',
    subject: 'clock',
    needsRescue: false,
    missing: FAKE_CLOCK_MISSING,
    // A worker whose clock jumps checks its claims, and may lose them.
    maxDuplicates: () => IN_FLIGHT,
    async inject({ members, random }) {
      const member = members[Math.floor(random() * members.length)]
      // Every fourth time, the clock is right again.
      const difference = random() < 0.25 ? 0 : random() * 2 - 1
      member?.clock?.set(Math.round(difference * MAX_CLOCK_DIFFERENCE_SECONDS))
      await sleep(2_000)
    },
  },
]
